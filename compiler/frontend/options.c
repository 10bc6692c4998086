/* Build options: an OpenCL option string becomes arguments for clang.
 *
 * Invariant: only options listed here reach clang, so a hostile option string can do no more than define
 * macros and name include folders. Each is one word of the argument vector (there is no shell) with its
 * value attached, so that no word begins with `@`: clang would read its arguments from the file named
 * behind that, and those may load code and write files. Anything else ends with CC_BAD_OPTION. Called
 * once by main.c; tests/fuzz/options.h checks the invariant. */
#include <ctype.h>
#include <string.h>

#include "compiler/frontend/frontend.h"

enum treatment {
    PASS,   /* handed to clang as it is */
    DROP,   /* accepted, of no effect here */
    OTHER,  /* the same, of other vendors' compilers: whatever begins so, with a remark in the log */
    MACRO,  /* takes a value, attached or in the next word; handed over attached */
    FOLDER, /* the same */
    STD,    /* -cl-std=... */
    DEBUG,  /* the program carries debug information, and its source */
    AVOID,  /* known faults of the hardware, by name */
    REFUSE, /* known, but not possible here: the text says why */
};

static const struct option {
    const char *name;
    enum treatment treatment;
    const char *text;
} options[] = {
    {"-D", MACRO, "a macro"},
    {"-I", FOLDER, "a folder"},
    {"-w", PASS},
    {"-Werror", PASS},
    {"-g", DEBUG}, /* source lines are always recorded */
    {"-cl-std=", STD},
    {"-mavoid=", AVOID},
    {"-cl-mad-enable", PASS},
    {"-cl-fast-relaxed-math", PASS},
    {"-cl-finite-math-only", PASS},
    {"-cl-unsafe-math-optimizations", PASS},
    {"-cl-no-signed-zeros", PASS},
    {"-cl-single-precision-constant", PASS},
    {"-cl-fp32-correctly-rounded-divide-sqrt", PASS},
    {"-cl-opt-disable", DROP},
    {"-cl-kernel-arg-info", DROP},  /* always on */
    {"-cl-denorms-are-zero", DROP}, /* a permission we do not need */
    {"-cl-strict-aliasing", DROP},
    {"-cl-uniform-work-group-size", DROP}, /* all are */
    {"-cl-no-subgroup-ifp", DROP},
    {"-O", OTHER}, /* always as much as there is */
    {"-cl-nv-", OTHER},
    {"-cl-intel-", OTHER},
    {"-fbin-", OTHER}, /* what AMD's binaries contain */
    {"-fno-bin-", OTHER},
    {"-create-library", REFUSE, "it belongs to clLinkProgram"},
    {"-enable-link-options", REFUSE, "it belongs to clLinkProgram"},
    {"-x", REFUSE, "only OpenCL C sources are accepted"},
    {"-spir-std=", REFUSE, "only OpenCL C sources are accepted"},
};

struct parser {
    struct cc *cc;
    const char **words;
    size_t nwords, next;
    const char *std;
    size_t nargs;
};

/* Copies one word to *out, removing quotes; returns what follows, or NULL at the end. A backslash
 * protects quotes, blanks and itself only, so that it can stand in a path or macro otherwise. */
static const char *split_word(struct cc *cc, const char *p, char *out)
{
    char quote = 0;
    while (isspace((unsigned char)*p)) p++;
    if (!*p) return NULL;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (*p == '\\' && p[1] && strchr("\\\"' \t", p[1])) *out++ = *++p;
        else if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
        else *out++ = *p;
    }
    *out = 0;
    if (quote) cc_error(cc, CC_BAD_OPTION, NULL, "missing closing %c in the build options", quote);
    return p;
}

static void split(struct parser *s, const char *text)
{
    size_t length = strlen(text);
    s->words = cc_alloc(s->cc, (length / 2 + 2) * sizeof *s->words);
    char *store = cc_alloc(s->cc, length * 2 + 2);
    for (const char *p = text; (p = split_word(s->cc, p, store));) {
        s->words[s->nwords++] = store;
        store += strlen(store) + 1;
    }
}

static bool takes_prefix(const struct option *o)
{
    return o->treatment == MACRO || o->treatment == FOLDER || o->treatment == OTHER ||
           o->name[strlen(o->name) - 1] == '=';
}

static const struct option *find(const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct option *o = &options[i];
        if (takes_prefix(o) ? !strncmp(word, o->name, strlen(o->name)) : !strcmp(word, o->name)) return o;
    }
    return NULL;
}

static void pass(struct parser *s, const char *argument) { s->cc->clang_args[s->nargs++] = argument; }

/* The value of an option, attached to it or in the next word. */
static const char *value_of(struct parser *s, const struct option *o, const char *word)
{
    const char *value = word + strlen(o->name);
    if (*value) return value;
    if (s->next == s->nwords || !*s->words[s->next])
        cc_error(s->cc, CC_BAD_OPTION, NULL, "build option %s needs %s behind it", o->name, o->text);
    return s->words[s->next++];
}

/* Letters of other alphabets come as bytes with the highest bit set; clang knows which are letters. */
static bool starts_name(unsigned char c) { return isalpha(c) || c == '_' || c == '$' || c >= 0x80; }

/* NAME, NAME=TEXT or NAME(PARAMETERS)=TEXT on one line. clang puts what stands before the `=` into a
 * #define as it is; with a line break in it, more directives could follow. */
static bool is_macro(const char *p)
{
    if (!starts_name((unsigned char)*p) || strpbrk(p, "\n\r")) return false;
    while (starts_name((unsigned char)*p) || isdigit((unsigned char)*p)) p++;
    return !*p || *p == '=' || *p == '(';
}

static void joined(struct parser *s, const struct option *o, const char *word)
{
    const char *value = value_of(s, o, word);
    if (o->treatment == MACRO && !is_macro(value))
        cc_error(s->cc, CC_BAD_OPTION, NULL,
                 "build option -D: \"%s\" is no macro; it takes NAME, NAME=TEXT or NAME(PARAMETERS)=TEXT on one line",
                 value);
    pass(s, cc_printf(s->cc, "%s%s", o->name, value));
}

static void set_std(struct parser *s, const char *word)
{
    static const char *const good[] = {"CL1.0",    "CL1.1",     "CL1.2", "CL2.0",    "CL3.0",    "CLC++",
                                       "CLC++1.0", "CLC++2021", "clc++", "clc++1.0", "clc++2021"};
    const char *value = word + strlen("-cl-std=");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!strcmp(value, good[i])) {
            s->std = cc_printf(s->cc, "-cl-std=%s", good[i]);
            return;
        }
    cc_error(s->cc, CC_BAD_OPTION, NULL,
             "unknown language version \"%s\"; use CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CLC++ or CLC++2021", word);
}

/* A number may stand behind it, as in "-cl-nv-maxrregcount 32". */
static void skip_other(struct parser *s, const char *word)
{
    cc_log(s->cc, "<source>: remark: build option %s changes nothing on this device\n", word);
    if (s->next == s->nwords) return;
    const char *next = s->words[s->next];
    if (*next && !next[strspn(next, "0123456789")]) s->next++;
}

static void one(struct parser *s, const char *word)
{
    const struct option *o = find(word);
    if (!o) cc_error(s->cc, CC_BAD_OPTION, NULL, "unknown build option \"%s\"", word);
    switch (o->treatment) {
    case PASS: pass(s, o->name); break;
    case DROP: break;
    case OTHER: skip_other(s, word); break;
    case DEBUG: s->cc->debug = true; break;
    case MACRO:
    case FOLDER: joined(s, o, word); break;
    case STD: set_std(s, word); break;
    case AVOID: avoid_add(s->cc, word + strlen(o->name)); break;
    case REFUSE: cc_error(s->cc, CC_BAD_OPTION, NULL, "build option \"%s\" is not possible here: %s", word, o->text);
    }
}

/* Macros of the optional features of OpenCL C 3.0: some are clang's own, others it leaves to its header. */
static const char *const features[] = {
#define FEATURE(name, ...) "-D" name "=1",
#include "isa/features.def"
};
enum { FEATURES = sizeof features / sizeof *features };

void options_parse(struct cc *cc, const char *text)
{
    struct parser s = {.cc = cc, .std = "-cl-std=CL1.2"};
    split(&s, text);
    cc->clang_args = cc_alloc(cc, (s.nwords + FEATURES + 2) * sizeof *cc->clang_args);
    while (s.next < s.nwords) one(&s, s.words[s.next++]);
    pass(&s, s.std);
    bool has_features = !strcmp(s.std, "-cl-std=CL3.0") || !strcasecmp(s.std, "-cl-std=CLC++2021");
    for (unsigned i = 0; i < FEATURES && has_features; i++) pass(&s, features[i]);
}
