/* Fuzz target: the reader and the writer of module notes. Any text is refused with a reason and a place inside it,
 * or what was read is written to a note that reads, and writes, the same again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/note.h"
#include "fuzz.h"

static void check_error(const struct note_error *error, size_t size)
{
    char text[NOTE_ERROR_ROOM];
    if (!error->what || error->line > size + 1 || error->column > size + 1) abort();
    note_explain(error, text);
}

/* The text of what a note says; it must be one that can be read. */
static char *write_and_read(const struct note *note, struct note *again)
{
    struct note_error error;
    char *text = note_write(note, 1);
    if (!text || !note_read(text, strlen(text), again, &error)) abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct note note, second, third;
    struct note_error error = {0};
    if (!note_read((const char *)data, size, &note, &error)) {
        check_error(&error, size);
        return 0;
    }
    char *text = write_and_read(&note, &second), *again = write_and_read(&second, &third);
    if (strcmp(text, again) || note.nkernels != second.nkernels || note.nunknown != third.nunknown) abort();
    free(text);
    free(again);
    note_free(&note);
    note_free(&second);
    note_free(&third);
    return 0;
}
