/* The table of parameters: values of the built-in configurations, the text form, what makes sense.
 *
 * Called by model.c and the tools. */
#include "timing/parameters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VERILOG, CHISEL, IDEAL, LARGE, BUILT_IN };
static const char *const names[BUILT_IN] = {"verilog", "chisel", "ideal", "large"};

static const struct parameter {
    const char *name;
    size_t at;
    uint32_t least, most, values[BUILT_IN];
    const char *text;
} parameters[] = {
#define PARAMETER(name, least, most, verilog, chisel, ideal, large, text) \
    {#name, offsetof(struct timing_config, name), least, most, {verilog, chisel, ideal, large}, text},
#include "timing/parameters.def"
#undef PARAMETER
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static uint32_t *field(struct timing_config *c, const struct parameter *p) { return (uint32_t *)((char *)c + p->at); }

static bool set_built_in(struct timing_config *c, const char *name)
{
    for (int n = 0; n < BUILT_IN; n++) {
        if (strcmp(name, names[n])) continue;
        for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) *field(c, p) = p->values[n];
        snprintf(c->name, sizeof c->name, "%s", name);
        return true;
    }
    return false;
}

void timing_config_print(const struct timing_config *config, FILE *out)
{
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++)
        fprintf(out, "%-18s = %-10u # %s\n", p->name, (unsigned)*field((struct timing_config *)config, p), p->text);
}

/* ---- the text form ---- */

/* Cuts the comment and the white space at both ends off. */
static char *trim(char *s)
{
    static const char space[] = " \t\r\n";
    s[strcspn(s, "#")] = 0;
    s += strspn(s, space);
    size_t n = strlen(s);
    while (n && strchr(space, s[n - 1])) n--;
    s[n] = 0;
    return s;
}

/* Decimal or 0x hexadecimal, with K or M behind it for times 2^10 or 2^20. */
static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    if (*end == 'K' && *value < 1u << 22) *value <<= 10, end++;
    else if (*end == 'M' && *value < 1u << 12) *value <<= 20, end++;
    return !errno && !*end;
}

static const struct parameter *find(const char *name)
{
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++)
        if (!strcmp(p->name, name)) return p;
    return NULL;
}

/* NULL, or what is wrong with the line "name = text", in `why`. */
static const char *set(struct timing_config *c, const char *name, const char *text, char *why, size_t size)
{
    const struct parameter *p = find(name);
    uint64_t value;
    if (!strcmp(name, "base")) {
        if (set_built_in(c, text)) return NULL;
        snprintf(why, size, "there is no configuration '%.40s'; there are: " TIMING_NAMES, text);
    } else if (!p) {
        snprintf(why, size, "there is no parameter '%.40s'", name);
    } else if (!parse_number(text, &value) || value < p->least || value > p->most) {
        snprintf(why, size, "%s is a number from %u to %u, not '%.40s'", name, p->least, p->most, text);
    } else {
        *field(c, p) = (uint32_t)value;
        return NULL;
    }
    return why;
}

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

/* NULL, or what cannot be built. */
static const char *check(const struct timing_config *c)
{
    if (!power_of_two(c->line_bytes)) return "line_bytes must be a power of two";
    if (!power_of_two(c->l1i_sets) || !power_of_two(c->l1d_sets) || !power_of_two(c->l2_sets))
        return "the sets of a cache must be a power of two";
    if (c->lanes && !power_of_two(c->lanes)) return "lanes must be 0 or a power of two";
    if (c->dram_banks && !power_of_two(c->dram_banks)) return "dram_banks must be 0 or a power of two";
    if (!power_of_two(c->dram_row_bytes)) return "dram_row_bytes must be a power of two";
    return NULL;
}

/* One line, already trimmed. */
static const char *read_line(struct timing_config *c, char *line, char *why, size_t size)
{
    char *equals = strchr(line, '=');
    if (!equals) return "a line is 'name = value'";
    *equals = 0;
    return set(c, trim(line), trim(equals + 1), why, size);
}

static bool read_file(struct timing_config *c, FILE *f, const char *path, char *why, size_t why_size)
{
    char buf[512], what[300];
    const char *wrong = NULL;
    unsigned number = 0;
    while (!wrong && fgets(buf, sizeof buf, f)) {
        number++;
        bool whole = strchr(buf, '\n') || feof(f);
        char *line = trim(buf);
        if (!whole) wrong = "the line is too long";
        else if (*line) wrong = read_line(c, line, what, sizeof what);
    }
    if (wrong) snprintf(why, why_size, "%s:%u: %s", path, number, wrong);
    else if (ferror(f)) snprintf(why, why_size, "%s: cannot be read", wrong = path);
    else if ((wrong = check(c))) snprintf(why, why_size, "%s: %s", path, wrong);
    return !wrong;
}

bool timing_config_read(struct timing_config *config, const char *name, char *why, size_t why_size)
{
    struct timing_config c;
    if (set_built_in(&c, name)) {
        *config = c;
        return true;
    }
    FILE *f = fopen(name, "r");
    if (!f) {
        snprintf(why, why_size, "'%s' is neither a configuration (" TIMING_NAMES ") nor a file: %s", name,
                 strerror(errno));
        return false;
    }
    set_built_in(&c, "verilog");
    snprintf(c.name, sizeof c.name, "%s", name);
    bool read = read_file(&c, f, name, why, why_size);
    fclose(f);
    if (!read) return false;
    snprintf(c.name, sizeof c.name, "%.63s", name);
    *config = c;
    return true;
}
