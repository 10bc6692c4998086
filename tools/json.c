/* JSON (RFC 8259) into a tree. Strings are decoded where they stand: no escape is shorter than what it means. */
#include "json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

struct reader {
    char *at;
    unsigned depth;
    const char *wanted; /* what should have been there; NULL: nothing is wrong */
};

static bool fail(struct reader *r, const char *wanted)
{
    if (!r->wanted) r->wanted = wanted;
    return false;
}

static bool take(struct reader *r, char c)
{
    r->at += strspn(r->at, " \t\r\n");
    if (*r->at != c) return false;
    r->at++;
    return true;
}

/* ---- strings ---- */

enum { REPLACEMENT = 0xfffd };

static void put_utf8(char **out, uint32_t code)
{
    unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};
    *(*out)++ = (char)(heads[more] | code >> 6 * more);
    while (more--) *(*out)++ = (char)(0x80 | (code >> 6 * more & 0x3f));
}

static bool read_hex4(struct reader *r, uint32_t *code)
{
    if (strspn(r->at, "0123456789abcdefABCDEF") < 4) return fail(r, "four hexadecimal digits");
    const char digits[] = {r->at[0], r->at[1], r->at[2], r->at[3], 0};
    *code = (uint32_t)strtoul(digits, NULL, 16);
    r->at += 4;
    return true;
}

/* Behind "\u". A half of a pair alone is no character. */
static bool read_code(struct reader *r, uint32_t *code)
{
    uint32_t low;
    if (!read_hex4(r, code)) return false;
    const bool high = *code >= 0xd800 && *code < 0xdc00;
    if (high && r->at[0] == '\\' && r->at[1] == 'u') {
        char *before = r->at;
        r->at += 2;
        if (!read_hex4(r, &low)) return false;
        if (low >= 0xdc00 && low < 0xe000) return *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00), true;
        r->at = before;
    }
    if (!*code || (*code >= 0xd800 && *code < 0xe000)) *code = REPLACEMENT;
    return true;
}

/* Behind a backslash. */
static bool read_escape(struct reader *r, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name = *r->at ? strchr(names, *r->at) : NULL;
    uint32_t code;
    if (!name && *r->at != 'u') return fail(r, "an escape");
    r->at++;
    if (name) return *(*out)++ = values[name - names], true;
    if (!read_code(r, &code)) return false;
    put_utf8(out, code);
    return true;
}

/* Behind the quotation mark. */
static bool read_string(struct reader *r, const char **text)
{
    char *out = r->at;
    *text = out;
    for (;;) {
        const unsigned char c = (unsigned char)*r->at;
        if (c < ' ') return fail(r, "the end of a string");
        r->at++;
        if (c == '"') break;
        if (c != '\\') *out++ = (char)c;
        else if (!read_escape(r, &out)) return false;
    }
    *out = 0;
    return true;
}

/* ---- values ---- */

static bool digits(struct reader *r)
{
    const size_t n = strspn(r->at, "0123456789");
    r->at += n;
    return n || fail(r, "a digit");
}

static bool read_number(struct reader *r, struct json *v)
{
    const char *first = r->at;
    r->at += *first == '-';
    if (*r->at == '0') r->at++;
    else if (!digits(r)) return false;
    const bool whole = *first != '-' && !strchr(".eE", *r->at ? *r->at : ' ') && r->at - first < 20;
    v->kind = JSON_NUMBER;
    v->text = first;
    v->count = whole ? strtoull(first, NULL, 10) : JSON_NO_COUNT;
    if (*r->at == '.' && (r->at++, !digits(r))) return false;
    if (*r->at != 'e' && *r->at != 'E') return true;
    r->at++;
    r->at += *r->at == '+' || *r->at == '-';
    return digits(r);
}

static bool read_word(struct reader *r, struct json *v)
{
    static const char *const words[] = {[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        if (strncmp(r->at, words[i], n) != 0) continue;
        r->at += n;
        v->kind = (enum json_kind)i;
        return true;
    }
    return fail(r, "a value");
}

static bool read_value(struct reader *r, struct json *v);

static bool read_member(struct reader *r, struct json *v, bool keyed)
{
    if (keyed && !(take(r, '"') && read_string(r, &v->key))) return fail(r, "a key in quotation marks");
    if (keyed && !take(r, ':')) return fail(r, "':'");
    return read_value(r, v);
}

/* Behind the bracket that opens it. */
static bool read_members(struct reader *r, struct json *v, bool keyed)
{
    const char close = keyed ? '}' : ']';
    struct json **link = &v->first;
    v->kind = keyed ? JSON_OBJECT : JSON_ARRAY;
    if (take(r, close)) return true;
    if (++r->depth > JSON_DEPTH) return fail(r, "no more brackets within one another");
    do {
        *link = allocate(sizeof **link);
        if (!read_member(r, *link, keyed)) return false;
        link = &(*link)->next;
    } while (take(r, ','));
    r->depth--;
    return take(r, close) || fail(r, keyed ? "',' or '}'" : "',' or ']'");
}

static bool read_value(struct reader *r, struct json *v)
{
    if (take(r, '{')) return read_members(r, v, true);
    if (take(r, '[')) return read_members(r, v, false);
    if (take(r, '"')) return v->kind = JSON_STRING, read_string(r, &v->text);
    return *r->at == '-' || (*r->at >= '0' && *r->at <= '9') ? read_number(r, v) : read_word(r, v);
}

struct json *json_read(char *text, size_t size, char *why, size_t why_size)
{
    struct reader r = {.at = text};
    if (strlen(text) != size) return snprintf(why, why_size, "it has a zero byte"), NULL;
    struct json *v = allocate(sizeof *v);
    if (read_value(&r, v) && (take(&r, 0) || fail(&r, "the end"))) return v;
    snprintf(why, why_size, "byte %zu: %s is expected", (size_t)(r.at - text) + 1, r.wanted);
    json_free(v);
    return NULL;
}

void json_free(struct json *v)
{
    for (struct json *next; v; v = next) {
        next = v->next;
        json_free(v->first);
        free(v);
    }
}

const struct json *json_member(const struct json *json, const char *key)
{
    if (!json || json->kind != JSON_OBJECT) return NULL;
    for (const struct json *m = json->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) return m;
    return NULL;
}
