/* ventus isa: the manual entry of a mnemonic, the explanation of a word, or the whole manual.
 *
 * All of it is printed by isa/manual.c from the tables. */
#include <stdlib.h>
#include <string.h>

#include "isa/manual.h"
#include "tool.h"

enum { FLAG_PROFILE, FLAG_MANUAL };
static const struct flag flags[] = {
    {"profile", 0, "P", "instructions of a profile, for words: " ISA_PROFILE_NAMES},
    {"manual", 0, NULL, "print the whole manual, in Markdown"},
    {0},
};

static const char about[] =
    "Explains instructions. A mnemonic gives its entries of all revisions, the beginning of some a list of them;\n"
    "hexadecimal words, in the order of memory, are decoded, and every field is explained:\n\n"
    "    ventus isa vadd.vv\n"
    "    ventus isa shuffle\n"
    "    ventus isa 0010200b 5e024057         # a prefix and its instruction\n"
    "    ventus isa --profile r2025 0x202b";

/* A word is what has a 0x, or eight hexadecimal digits. */
static bool parse_word(const char *text, uint32_t *word)
{
    bool marked = text[0] == '0' && (text[1] | 32) == 'x';
    const char *digits = marked ? text + 2 : text;
    size_t n = strspn(digits, "0123456789abcdefABCDEF");
    if (!n || n > 8 || digits[n] || (!marked && n != 8)) return false;
    *word = (uint32_t)strtoul(digits, NULL, 16);
    return true;
}

/* The instructions whose names begin with `start`, each once; false if there are none. */
static bool list_family(const char *start)
{
    bool any = false;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const char *name = isa_table[op].name;
        unsigned first = 1;
        while (strcmp(isa_table[first].name, name)) first++;
        if (first != op || strncmp(name, start, strlen(start))) continue;
        if (!any) printf("Instructions whose names begin with '%s':\n", start);
        puts(name);
        any = true;
    }
    return any;
}

static void unknown(const char *name)
{
    const char **names = allocate((OP_COUNT + 1) * sizeof *names);
    for (unsigned op = 1; op < OP_COUNT; op++) names[op - 1] = isa_table[op].name;
    const char *near = nearest_word(name, names);
    if (near) die("'%s' is no instruction and no hexadecimal word; did you mean '%s'?", name, near);
    die("'%s' is no instruction and no hexadecimal word (0x..., or eight digits)", name);
}

int cmd_isa(int argc, char **argv)
{
    struct args args = {.command = "isa",
                        .usage = "NAME | WORD [WORD...] | --manual",
                        .about = about,
                        .flags = flags,
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    uint32_t words[ISA_MAX_WORDS];
    size_t n = 0, names = 0;
    enum isa_profile profile = PROFILE_DEFAULT;
    bool manual = false;
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        uint32_t word;
        if (flag == FLAG_PROFILE) profile = (enum isa_profile)profile_arg(&args, args.value);
        else if (flag == FLAG_MANUAL) manual = true;
        else if (parse_word(args.value, &word) && n == ISA_MAX_WORDS)
            usage_error(&args, "an instruction has at most %d words", ISA_MAX_WORDS);
        else if (parse_word(args.value, &word)) words[n++] = word;
        else if (names++, !isa_explain_name(args.value, stdout) && !list_family(args.value)) unknown(args.value);
    }
    if (manual) isa_manual(stdout);
    else if (!n && !names) usage_error(&args, "an instruction's name or word is needed");
    if (n && !isa_explain_word(profile, words, n, stdout))
        die("0x%08x is no instruction in profile %s", words[0], isa_profile_name(profile));
    return EXIT_OK;
}
