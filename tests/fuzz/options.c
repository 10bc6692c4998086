/* Fuzz target: build options (options.h). Built as a libFuzzer program by run.sh, as a test over corpus/ by
 * replay.c. */
#include "fuzz.h"
#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *options = malloc(size + 1);
    if (!options) return 0;
    if (size) memcpy(options, data, size);
    options[size] = 0;
    options_check(options);
    free(options);
    return 0;
}
