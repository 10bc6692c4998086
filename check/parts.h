/* What the files of check/ share. All state is under check->lock. */
#ifndef VENTUS_CHECK_PARTS_H
#define VENTUS_CHECK_PARTS_H

#include <pthread.h>

#include "check/check.h"
#include "sim/layout.h"
#include "sim/machine.h"

/* ---- places.c: which memory exists ---- */

struct place {
    uint32_t base;
    uint64_t size;
    char name[48];
};

struct places {
    struct place *list;
    size_t n, room;
}; /* ascending, without overlap */

/* ---- shadow.c: which bytes are initialised ---- */

/* Per page. A byte of `undefined` has the bits of the memory byte that nobody has set; a bit of `computed`
 * says that the word is the result of arithmetic with such bits rather than a copy of them. */
struct shadow_page {
    uint8_t undefined[ABI_PAGE];
    uint8_t computed[ABI_PAGE / 4 / 8];
};

struct shadow {
    struct shadow_page **pages; /* NULL: all defined; &blank: nothing defined; else its own */
    struct shadow_page blank;
};

bool shadow_init(struct shadow *s);
void shadow_free(struct shadow *s);
void shadow_set(struct shadow *s, uint32_t addr, uint64_t size, bool undefined);
void shadow_copy(struct shadow *s, uint32_t to, uint32_t from, uint64_t size);
/* Undefined bits of up to four bytes, as a little-endian word; *computed is set if their word is computed. */
uint32_t shadow_get(const struct shadow *s, uint32_t addr, uint32_t size, bool *computed);
void shadow_put(struct shadow *s, uint32_t addr, uint32_t size, uint32_t undefined, bool computed);

/* ---- values.c: which registers are initialised ---- */

/* Undefined bits of a register or lane, and where they come from: the pc of the load that brought them (0: the
 * register itself was never written), and in its low bits: */
struct origin {
    uint32_t undefined, from;
};
enum {
    COMPUTED = 1, /* arithmetic has been done with them */
    VOID = 2,     /* nothing around them was initialised either, so they are no padding */
};
static inline uint32_t origin_pc(struct origin o) { return o.from & ~(uint32_t)(COMPUTED | VOID); }

/* ---- races.c: who used a word last ---- */

enum { RECENT_LOADS = 4, MOST_POLLS = 64 };

struct stamp {
    uint32_t group, pc;
    uint64_t time : 39, item : 16; /* item: number in its group */
    uint64_t valid : 1, wide : 1;  /* wide: a scalar access for several lanes, `item` the first ... */
    uint64_t second : 5;           /* ... and this lane the second */
};

struct unit {
    struct stamp write, atomic, read[2];
};

struct race_page {
    uint64_t launch; /* stamps of another one do not count */
    uint32_t shift;  /* bytes of a unit: 1 << shift, 2 or, once bytes have been accessed, 0 */
    struct unit units[];
};

struct races {
    struct race_page **pages;
    uint64_t time;              /* counts memory instructions and barriers */
    uint64_t bytes;             /* taken by pages */
    bool full;                  /* more would be needed: new pages are not watched */
    uint32_t polls[MOST_POLLS]; /* loads of words that their work-items go on to access atomically */
    unsigned npolls;
};

/* ---- a work-group ---- */

/* A warp's part. */
struct checked_warp {
    struct origin x[ISA_XREGS];
    uint32_t *undefined;               /* of each vector register: lanes with undefined bits, ... */
    struct origin (*v)[ISA_LANES];     /* ... and which they are; launch->vgprs of both */
    uint32_t barrier_pc, barrier_mask; /* where it waits */
    bool waits;
    uint64_t met; /* time of the last sub-group barrier */
    bool fenced;  /* no memory access since its last fence */
    struct {
        uint32_t pc, lanes, addr[ISA_LANES];
    } loads[RECENT_LOADS]; /* a ring; lanes 0: addr[0] is that of the warp */
    unsigned nloads;
};

struct checked_group {
    struct checked_group *next;
    const struct group *group;
    struct checked_warp *warps;
    struct origin (*rows)[ISA_LANES];
    uint32_t *undefined;
    uint64_t *ordered; /* of each work-item: what happened until then is before it, through atomics */
    uint64_t met[2];   /* time of the last barrier for global and for local memory */
};

enum { MOST_REPORTS = 500 }; /* further ones are counted alone */

struct check {
    pthread_mutex_t lock;
    struct gpu *gpu;
    unsigned what;
    FILE *out;
    struct places places;
    struct shadow shadow;
    struct races races;
    struct use *uses; /* of each operation, see values.c */
    struct checked_group *groups;

    struct observer observer;
    uint64_t launch; /* number of the running launch, 0: none yet */
    struct launch_info about;
    const struct insn *insn; /* in progress, ... */
    struct checked_group *group;
    unsigned word; /* ... and which of its accesses is next */
    bool placed;   /* sizes are known: */
    uint32_t local_size[3], offset[3];

    struct check_report *reports;
    size_t nreports, printed, told;
    uint64_t total, dropped;
};

static inline bool checks(const struct check *c, enum check_kind kind) { return c->what >> kind & 1; }

/* One access by one lane, or by the warp. */
struct touch {
    const struct warp *warp;
    uint32_t lane; /* the first of several, if scalar */
    uint32_t addr, size;
    bool scalar, write;
};

static inline uint32_t first_lane(const struct warp *w) { return w->active ? (uint32_t)__builtin_ctz(w->active) : 0; }

/* ---- places.c ---- */

bool places_add(struct places *p, uint32_t base, uint64_t size, const char *name);
void places_remove(struct places *p, uint32_t base, uint64_t size);
const struct place *places_at(const struct places *p, uint32_t addr);

/* The part of local memory at an offset, NULL: there is none. */
const struct named_range *places_part(const struct check *c, uint32_t offset);

/* Is the address in local memory of the warp's group; in its private memory? */
bool in_local(const struct group *g, uint32_t addr);
bool in_private(const struct group *g, uint32_t addr);
bool in_stack(const struct check *c, const struct group *g, uint32_t addr);

/* Describes the memory at an address. */
void places_describe(const struct check *c, const struct group *g, uint32_t addr, char *text, size_t size);

/* ---- bounds.c ---- */

/* Checks address, stack, alignment of the lanes of an access and reports; returns the lanes (bit 0 for a scalar
 * access) whose access is inside something. */
uint32_t bounds_check(struct check *c, const struct warp *w, const struct insn *in, const struct access *a);

/* ---- values.c ---- */

bool values_init(struct check *c);
/* What an instruction does to registers, but for what it loads; uses of undefined ones are reported. */
void values_before(struct check *c, const struct warp *w, const struct insn *in);
/* One access of a load, store or atomic, by `lanes` that are inside something. */
void values_access(struct check *c, const struct warp *w, const struct insn *in, const struct access *a,
                   uint32_t lanes);

/* ---- races.c ---- */

bool races_init(struct races *r);
void races_free(struct races *r);
/* New contents begin here, nobody has used them. */
void races_forget(struct races *r, uint32_t addr, uint64_t size);
/* Is a report one of a load and an atomic, as in a loop that exchanges what it has loaded? */
bool races_excused(const struct races *r, const struct check_report *report);
void races_access(struct check *c, const struct warp *w, const struct insn *in, const struct access *a, uint32_t lanes);

/* ---- report.c ---- */

/* A report by the lanes of w at the instruction in progress, or NULL when it is not to be filled in, because it has
 * been made before. `other`: pc of the other side, 0: none. */
struct check_report *report_new(struct check *c, enum check_kind kind, uint32_t other, const struct warp *w,
                                uint32_t lanes);
void report_access(struct check *c, struct check_report *r, const struct warp *w, const struct access *a,
                   uint32_t lane);
/* Fills in the other side as far as its pc tells; then the work-item. */
void report_other(struct check *c, struct check_report *r, const char *relation, const char *does, uint32_t pc);
void report_item(const struct check *c, struct check_item *item, uint32_t group, const struct launch *l,
                 uint32_t linear);
/* Tells other observers of what has been found since the last time, with the lock not held. Not of what may still turn
 * out to be none. */
void reports_tell(struct check *c, const struct warp *w);
/* The load of a report that is a race of a load and an atomic, as in a loop that exchanges what it has loaded; NULL: it
 * is another one. */
const struct check_side *report_load_of_exchange(const struct check_report *report);
/* Forgets those, not printed yet, that turn out to be none. */
void reports_forget(struct check *c, bool (*excused)(const struct races *r, const struct check_report *report));
void reports_print(struct check *c);

#endif
