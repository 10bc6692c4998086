/* Words of the environment (word.h). Called by all who read a variable that says one of a few. */
#include "host/word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

static void complain(struct host_word *word, const char *text)
{
    char line[200];
    int n = snprintf(line, sizeof line, "%.40s is none of", text);
    if (atomic_exchange(&word->said, true)) return;
    for (unsigned i = 0; word->words[i] && (size_t)n < sizeof line; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %s", i ? "," : "", word->words[i]);
    if ((size_t)n < sizeof line) snprintf(line + n, sizeof line - (size_t)n, "; it counts as %s", word->words[0]);
    host_say(word->variable, line);
}

unsigned host_word(struct host_word *word)
{
    const char *text = secure_getenv(word->variable);
    if (!text || !*text) return 0;
    for (unsigned i = 0; word->words[i]; i++)
        if (!strcmp(text, word->words[i])) return i;
    complain(word, text);
    return 0;
}
