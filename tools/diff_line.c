/* Lines of the program's source in what `ventus diff` prints. */
#include "diff.h"

void diff_print_line(const struct diff *d, uint32_t pc)
{
    const uint32_t line = note_line_at(&d->note, pc);
    size_t size;
    const char *text = line ? note_text_at(&d->note, pc, &size) : NULL;
    if (line) printf(", line %u", (unsigned)line);
    while (text && size && (*text == ' ' || *text == '\t')) text++, size--;
    if (text) printf(": %.*s", (int)(size < 100 ? size : 100), text);
}
