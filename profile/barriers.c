/* Whether a barrier of a work-group separates anything (profile.h): two accesses to a word by different warps, one of
 * them a write, the first since the barrier before it, the second before the next one. Called by memory.c.
 *
 * What lies between two barriers is a segment. Each word has who has read and written it in its last two segments. */
#include <stdlib.h>

#include "profile/profile.h"

enum { NOBODY = 0, SEVERAL = UINT16_MAX /* else a warp's number, from 1 on */ };

struct users {
    uint16_t reader, writer;
};

struct word {
    uint32_t addr, segment; /* the last one with an access; 0: the place is free */
    struct users before, now;
};

struct segments {
    struct word *words; /* a table of 2^bits places, half of them used */
    unsigned bits;
    size_t used;
    uint32_t segment;
    struct profile_memory *barrier; /* that this segment has begun with; NULL: the beginning of the group */
    bool needed;
    bool lost; /* accesses are not all known: every barrier counts as needed */
};

struct segments *segments_new(void)
{
    struct segments *s = calloc(1, sizeof *s);
    if (s) s->segment = 1;
    return s;
}

static struct word *place_of(const struct segments *s, uint32_t addr)
{
    const uint32_t mask = (1u << s->bits) - 1;
    uint32_t at = addr * 0x9e3779b1u >> (32 - s->bits);
    while (s->words[at].segment && s->words[at].addr != addr) at = (at + 1) & mask;
    return &s->words[at];
}

static bool grow(struct segments *s)
{
    struct segments more = *s;
    more.bits = s->bits ? s->bits + 1 : 6;
    more.words = more.bits < 31 ? calloc((size_t)1 << more.bits, sizeof *more.words) : NULL;
    if (!more.words) return false;
    for (size_t i = 0; s->bits && i < (size_t)1 << s->bits; i++)
        if (s->words[i].segment) *place_of(&more, s->words[i].addr) = s->words[i];
    free(s->words);
    *s = more;
    return true;
}

static bool is_other(uint16_t user, uint16_t warp) { return user != NOBODY && user != warp; }
static void add_user(uint16_t *user, uint16_t warp) { *user = is_other(*user, warp) ? SEVERAL : warp; }

void segments_access(struct segments *s, uint32_t warp, uint32_t addr, bool write)
{
    const uint16_t number = (uint16_t)(warp + 1);
    if (!s || s->lost) return;
    if (2 * s->used >= (s->bits ? (size_t)1 << s->bits : 0) && !grow(s)) {
        s->lost = true;
        return;
    }
    struct word *w = place_of(s, addr / 4);
    s->used += !w->segment;
    if (w->segment != s->segment) {
        w->before = w->segment && w->segment + 1 == s->segment ? w->now : (struct users){0};
        w->now = (struct users){0};
        w->addr = addr / 4;
        w->segment = s->segment;
    }
    s->needed |= is_other(w->before.writer, number) || (write && is_other(w->before.reader, number));
    add_user(write ? &w->now.writer : &w->now.reader, number);
}

static void end_segment(struct segments *s)
{
    if (!s->barrier) return;
    s->barrier->barriers++;
    s->barrier->needless += !s->needed && !s->lost;
}

void segments_barrier(struct segments *s, struct profile_memory *at)
{
    if (!s) return;
    end_segment(s);
    s->barrier = at;
    s->needed = false;
    s->segment++;
}

void segments_unknown(struct segments *s)
{
    if (s) s->lost = true;
}

void segments_free(struct segments *s)
{
    if (!s) return;
    end_segment(s);
    free(s->words);
    free(s);
}
