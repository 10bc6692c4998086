/* Names of variables: VENTUS_TIMEOT is ignored by everybody, so somebody has to say so. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "asm/near.h"
#include "driver/driver.h"

extern char **environ;

/* All that the project looks at, in any of its programs and tests. */
static const char *const known[] = {
#define VARIABLE(name) "VENTUS_" #name,
#include "driver/environment.def"
#undef VARIABLE
};
enum { KNOWN = sizeof known / sizeof *known };

/* A variable of another program's may begin so, too: only one that is near to one of ours is meant to be that. */
static void look_at(const char *variable)
{
    char name[64], text[160];
    const size_t length = strcspn(variable, "=");
    if (strncmp(variable, "VENTUS_", 7) != 0 || length >= sizeof name) return;
    memcpy(name, variable, length);
    name[length] = 0;
    struct nearest nearest = {name, length, 3, NULL};
    for (size_t i = 0; i < KNOWN; i++) {
        if (!strcmp(known[i], name)) return;
        near_offer(&nearest, known[i]);
    }
    if (!nearest.best) return;
    snprintf(text, sizeof text, "there is no such variable; is %s meant?", nearest.best);
    host_say(name, text);
}

void environment_check(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&said)) return;
    for (char **at = environ; at && *at; at++) look_at(*at);
}
