/* Reads JSON into a tree. Files may hold anything: what is no JSON is an error with its place. */
#ifndef VENTUS_TOOLS_JSON_H
#define VENTUS_TOOLS_JSON_H

#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum { JSON_DEPTH = 64 }; /* arrays and objects within one another */

#define JSON_NO_COUNT UINT64_MAX
#define JSON_DIGITS   "+-.0123456789eE"

struct json {
    struct json *first, *next; /* what an array or object holds, in its order; behind this one */
    const char *key;           /* in an object, else NULL */
    const char
        *text; /* of a string; U+0000 in it has become U+FFFD. Of a number those of JSON_DIGITS that it begins with */
    uint64_t count; /* of a number; JSON_NO_COUNT: it is negative, has a fraction or exponent, or is larger */
    enum json_kind kind;
};

/* Reads `text` of `size` bytes, with a zero behind them. The tree's strings lie in it: it changes, and has to live as
 * long. NULL, and the reason with its byte in `why`: it is no JSON. Ends the program when memory is out. */
struct json *json_read(char *text, size_t size, char *why, size_t why_size);

void json_free(struct json *json);

/* The member of an object with this key, the first of several; NULL: there is none, or `json` is NULL or no object. */
const struct json *json_member(const struct json *json, const char *key);

#endif
