/* Numbers of the environment (number.h). Called by all who read one. */
#include "host/number.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/host.h"

static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return !errno && !*end;
}

static void complain(struct host_number *n, const char *text)
{
    char line[200];
    if (atomic_exchange(&n->said, true)) return;
    snprintf(line, sizeof line, "%.40s is no %s from %llu to %llu; it counts as %llu", text, n->what,
             (unsigned long long)n->least, (unsigned long long)n->most, (unsigned long long)n->usual);
    host_say(n->variable, line);
}

uint64_t host_number(struct host_number *number)
{
    const char *text = secure_getenv(number->variable);
    uint64_t value;
    if (!text || !*text) return number->usual;
    if (read_number(text, &value) && value >= number->least && value <= number->most) return value;
    complain(number, text);
    return number->usual;
}

/* ---- compilations ---- */

/* Guesses: they end compilers that hang. */
enum { SECONDS = 120, PATIENCE = 10 /* times the seconds, and no less than SECONDS */ };

static uint64_t usual_patience(uint64_t seconds)
{
    const uint64_t usual = PATIENCE * seconds;
    return usual < SECONDS ? SECONDS : usual < INT_MAX ? usual : INT_MAX;
}

struct host_compile_limits host_compile_limits(bool says)
{
    static struct host_number seconds = {"VENTUS_CC_SECONDS", "number of seconds", 1, INT_MAX, SECONDS, false};
    static struct host_number patience = {"VENTUS_CC_PATIENCE", "number of seconds", 1, INT_MAX, 0, false};
    if (!says) seconds.said = patience.said = true;
    const uint64_t processor = host_number(&seconds);
    struct host_number clock = {
        patience.variable,          patience.what, patience.least, patience.most, usual_patience(processor),
        atomic_load(&patience.said)};
    const uint64_t wall = host_number(&clock);
    if (clock.said) patience.said = true;
    return (struct host_compile_limits){(unsigned)processor, (unsigned)wall};
}
