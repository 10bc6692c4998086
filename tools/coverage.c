/* ventus coverage: adds up what `ventus run --coverage=FILE.json` has counted in many runs. */
#include <stdlib.h>
#include <string.h>

#include "sim/output.h"
#include "tool.h"
#include "tools/coverage_file.h"
#include "tools/json.h"

enum { FLAG_ALL, FLAG_JSON, FLAG_PAGE };
static const struct flag flags[] = {
    {"all", 'a', NULL, "name all instructions in each list, not the first ten"},
    {"json", 'j', "FILE", "write the sum to FILE, which can be added to others; - is standard output"},
    {"page", 'p', "FILE", "write a page to look at; - is standard output"},
    {0},
};

/* A count of the file. */
static uint64_t count_of(const char *path, const struct json *value)
{
    if (value && value->kind == JSON_NUMBER && value->count != JSON_NO_COUNT) return value->count;
    die("%s: no count where one belongs", path);
}

static unsigned find_bin(const char *name)
{
    char full[80];
    for (unsigned b = 0; b < COVERAGE_BINS; b++) {
        snprintf(full, sizeof full, "%s.%s", coverage_rows[b].group, coverage_rows[b].name);
        if (!strcmp(full, name)) return b;
    }
    return COVERAGE_BINS;
}

static void add_instruction(struct coverage *c, const char *path, const struct json *row)
{
    const struct json *name = json_member(row, "name"), *bins = json_member(row, "bins");
    if (!name || name->kind != JSON_STRING || !bins || bins->kind != JSON_OBJECT)
        die("%s: an instruction without a name or counts", path);
    const enum isa_op op = isa_find_in(c->profile, name->text);
    if (op == OP_INVALID) die("%s: %s is no instruction of %s", path, name->text, isa_profile_name(c->profile));
    c->executed[op] += count_of(path, json_member(row, "executed"));
    for (const struct json *m = bins->first; m; m = m->next) {
        const unsigned bin = find_bin(m->key);
        if (bin == COVERAGE_BINS) die("%s: nothing is known of '%s'", path, m->key);
        if (!coverage_can(op, (enum coverage_bin)bin)) die("%s: %s cannot have '%s'", path, name->text, m->key);
        c->bins[op][bin] += count_of(path, m);
    }
}

void coverage_add_file(struct coverage *c, const char *path, bool first)
{
    char why[200];
    size_t size;
    enum isa_profile profile;
    char *text = read_file(path, &size);
    struct json *all = json_read(text, size, why, sizeof why);
    if (!all) die("%s: %s", path, why);
    const struct json *version = json_member(all, "version"), *name = json_member(all, "profile"),
                      *list = json_member(all, "instructions");
    if (!version || !list || list->kind != JSON_ARRAY) die("%s: not written by ventus run --coverage", path);
    if (version->kind != JSON_NUMBER || version->count != 1) die("%s: another version of the format than 1", path);
    if (!name || name->kind != JSON_STRING || !isa_profile_find(name->text, &profile)) die("%s: no profile", path);
    if (first) c->profile = profile;
    if (profile != c->profile)
        die("%s: profile %s, not %s as in the files before", path, name->text, isa_profile_name(c->profile));
    for (const struct json *row = list->first; row; row = row->next) add_instruction(c, path, row);
    json_free(all);
    free(text);
}

static bool is_stdout(const char *path) { return path && !strcmp(path, "-"); }

static void write_to(const struct coverage *c, const char *path, void (*put)(const struct coverage *c, FILE *out))
{
    char why[300];
    FILE *out = path ? output_open(path, why, sizeof why) : NULL;
    if (!path) return;
    if (!out) die("%s", why);
    put(c, out);
    if (!output_close(out, path, why, sizeof why)) die("%s", why);
}

int cmd_coverage(int argc, char **argv)
{
    enum { FEW = 10 }; /* instructions of each kind that are named without --all */
    struct args args = {.command = "coverage",
                        .usage = "[--all] [--json FILE] [--page FILE] FILE.json...",
                        .about =
                            "Adds up what `ventus run --coverage FILE.json` has counted, and prints what has been\n"
                            "exercised of each instruction and what has not: docs/coverage.md.",
                        .flags = flags,
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    struct coverage *c = allocate(sizeof *c);
    const char *json = NULL, *page = NULL;
    unsigned files = 0, most = FEW;
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_ALL) most = UINT32_MAX;
        else if (flag == FLAG_JSON) json = args.value;
        else if (flag == FLAG_PAGE) page = args.value;
        else coverage_add_file(c, args.value, !files++);
    }
    if (!files) usage_error(&args, "a file that ventus run --coverage has written is needed");
    if (is_stdout(json) && is_stdout(page)) usage_error(&args, "--json and --page cannot both be standard output");
    write_to(c, json, coverage_json);
    write_to(c, page, coverage_page);
    if (!is_stdout(json) && !is_stdout(page)) coverage_table(c, most, stdout);
    free(c);
    return EXIT_OK;
}
