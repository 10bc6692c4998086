/* Is progress to be shown (VENTUS_PROGRESS)? Called by driver/ and opencl/. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "host/host.h"
#include "host/word.h"

bool host_wants_progress(void)
{
    static struct host_word wanted = {"VENTUS_PROGRESS", {"0", "1"}, false};
    return host_word(&wanted) == 1 && isatty(STDERR_FILENO);
}

/* Back to the beginning of the line, which is emptied. */
void host_show_progress(const char *format, ...)
{
    char line[160];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    fprintf(stderr, "\r\033[K%s", line);
}
