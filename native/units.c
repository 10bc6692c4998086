/* Which translation belongs to a launch, asking for those that pay, and loading what comes back.
 *
 * A unit is not freed while an SM holds it or its translation is under way. Called by native.c. */
#include "native/units.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

#include "host/host.h"
#include "host/number.h"
#include "host/word.h"
#include "native/symbols.h"
#include "native/tally.h"
#include "sim/next.h"

#define BYTES_MOST (128u << 20) /* of units that nobody holds, about: only the memory is bounded */
/* Instructions of `step` before a translation: 1 ms. Whatever runs for less costs none. Of 87 kernels that run twelve
 * times for a quarter of a millisecond, with an empty cache, the next process then has 40 % more of the speed than with
 * 400,000; with 50,000 and 25,000 as much. */
#define HOT 100000u

/* Instructions of `step` for which a translation is made when the program is over, for the next one: what a dozen
 * launches of some microseconds take, which measure such kernels; a guess. */
#define WARM (HOT / 16)

/* ---- host levels ---- */

static const char *const level_names[] = {
#define LEVEL(name, words, cpu) #name,
    NATIVE_LEVELS(LEVEL)
#undef LEVEL
};

static bool (*const host_is[])(void) = {
#define LEVEL(name, words, cpu) host_is_##name,
    NATIVE_LEVELS(LEVEL)
#undef LEVEL
};

static void complain_of_level(void)
{
    char text[200];
    int n = snprintf(text, sizeof text, "%.40s is no level of hosts; there are:", secure_getenv("VENTUS_NATIVE_LEVEL"));
    for (unsigned i = NATIVE_LEVEL_COUNT; i-- && (size_t)n < sizeof text;)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", level_names[i]);
    host_say("VENTUS_NATIVE_LEVEL", text);
}

enum native_level units_level(void)
{
    static once_flag said = ONCE_FLAG_INIT;
    const char *most = secure_getenv("VENTUS_NATIVE_LEVEL");
    unsigned level = 0;
    bool known = !most || !*most;
    for (unsigned i = 0; most && i < NATIVE_LEVEL_COUNT; i++)
        if (!strcmp(most, level_names[i])) level = i, known = true;
    if (!known) call_once(&said, complain_of_level);
    while (level < NATIVE_LEVEL_COUNT && !host_is[level]()) level++;
    return (enum native_level)level;
}

/* ---- requests ---- */

/* The executable pages around pc, as one range of at most NATIVE_CODE_LIMIT words. */
static void code_range(const struct gpu *gpu, uint32_t pc, struct native_request *r)
{
    uint32_t first = pc >> PAGE_BITS, last = first, most = NATIVE_CODE_LIMIT / PAGE_WORDS;
    if (!(gpu->pages[first] & GPU_EXEC)) return;
    while (first > 0 && (gpu->pages[first - 1] & GPU_EXEC) && last - first + 1 < most) first--;
    while (last + 1 < PAGES && (gpu->pages[last + 1] & GPU_EXEC) && last - first + 1 < most) last++;
    r->code_base = first << PAGE_BITS;
    r->code_words = (last - first + 1) * PAGE_WORDS;
}

/* The pages that can only be read behind the code, if they begin within MOST_GAP pages of its end: 1 MiB, a guess, of
 * which 256 bytes of gpu->pages are looked at. */
static void constant_range(const struct gpu *gpu, struct native_request *r)
{
    enum { MOST_GAP = 256 };
    const uint32_t end = r->code_base / 4 / PAGE_WORDS + r->code_words / PAGE_WORDS;
    uint32_t first = end, last, most = NATIVE_CONSTANT_LIMIT / PAGE_WORDS;
    while (first < PAGES && first < end + MOST_GAP && !gpu->pages[first]) first++;
    for (last = first; last < PAGES && last - first < most && gpu->pages[last] == GPU_READ;) last++;
    if (last == first) return;
    r->constant_base = first << PAGE_BITS;
    r->constant_words = (last - first) * PAGE_WORDS;
}

static enum native_effort effort(void)
{
    static struct host_word said = {"VENTUS_TRANSLATE_EFFORT", {"usual", "least"}, false};
    return host_word(&said) == 1 ? EFFORT_LEAST : EFFORT_USUAL;
}

static enum native_registers registers(void)
{
    static struct host_word said = {"VENTUS_TRANSLATE_REGISTERS", {"read", "all"}, false};
    return host_word(&said) == 1 ? REGISTERS_ALL : REGISTERS_READ;
}

static enum native_nest_runs nests(void)
{
    static struct host_word said = {"VENTUS_TRANSLATE_NESTS", {"measured", "together"}, false};
    return host_word(&said) == 1 ? NESTS_TOGETHER : NESTS_MEASURED;
}

static bool is_watched(uint32_t addr, uint32_t size)
{
    return addr % 4 == 0 && addr - WATCHED_BASE <= WATCHED_SIZE - size;
}

/* Where the code around pc and its constants are. Launch after launch has the same until a program is loaded. */
static void find_ranges(struct native_units *u, uint32_t pc, struct native_request *r)
{
    struct native_ranges *known = &u->ranges;
    const uint32_t version = u->gpu->code_version;
    if (known->version != version || known->pc != pc || !known->code_words) {
        code_range(u->gpu, pc, r);
        if (r->code_words) constant_range(u->gpu, r);
        *known = (struct native_ranges){version, pc, r->code_base, r->code_words, r->constant_base, r->constant_words};
    }
    r->code_base = known->code_base;
    r->code_words = known->code_words;
    r->constant_base = known->constant_base;
    r->constant_words = known->constant_words;
}

/* With the lock held. */
static struct native_request make_request(struct native_units *u, const struct warp *w)
{
    const struct group *g = w->group;
    const struct launch *l = g->launch;
    uint32_t meta[ABI_META_SIZE / 4];
    struct native_request r;
    memset(&r, 0, sizeof r); /* compared as bytes */
    r.magic = NATIVE_MAGIC;
    r.layout = u->layout;
    r.level = (uint8_t)u->level;
    r.tuning = host_is_amd() ? NATIVE_FOR_amd : NATIVE_FOR_intel;
    r.profile = u->gpu->config.profile;
    r.order = (uint8_t)g->job->options.order;
    r.tallies = g->job->options.counts != NULL;
    r.effort = (uint8_t)effort();
    r.registers = (uint8_t)registers();
    r.nests = (uint8_t)nests();
    r.warps = (uint16_t)l->warps;
    r.threads = (uint16_t)l->threads_per_warp;
    r.lanes = launch_is_mixed(l) ? LANES_ANY : LANES_ALL;
    r.items = (uint8_t)(r.lanes == LANES_ANY ? l->threads_per_warp : (uint32_t)__builtin_popcount(w->lanes));
    r.vgprs = l->vgprs;
    r.sgprs = l->sgprs;
    r.late = u->gpu->scheduler.late;
    r.start = r.entry = l->start_pc;
    if (mem_allows(u->gpu, l->knl, sizeof meta, GPU_READ)) {
        memcpy(meta, u->gpu->mem + l->knl, sizeof meta);
        r.metadata = METADATA_READABLE;
        uint32_t args = meta[ABI_META_ARGS / 4];
        if (is_watched(l->knl, sizeof meta) && is_watched(args, METADATA_ARGS) &&
            mem_allows(u->gpu, args, METADATA_ARGS, GPU_READ))
            r.metadata |= METADATA_WATCHED;
        r.entry = meta[ABI_META_ENTRY / 4];
        memcpy(r.local, meta + ABI_META_LOCAL_SIZE / 4, sizeof r.local);
        const uint32_t *offset = meta + ABI_META_GLOBAL_OFFSET / 4;
        if (!(offset[0] | offset[1] | offset[2])) r.metadata |= METADATA_NO_OFFSET;
    }
    find_ranges(u, l->start_pc, &r);
    return r;
}

/* ---- images ---- */

uint32_t unit_entry_from(const struct native_unit *unit, uint32_t pc)
{
    uint32_t low = 0, high = unit->nentries;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (unit->entries[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    return low < unit->nentries ? low : NATIVE_NOWHERE;
}

uint32_t unit_entry(const struct native_unit *unit, uint32_t pc)
{
    uint32_t i = unit_entry_from(unit, pc);
    return i != NATIVE_NOWHERE && unit->entries[i].pc == pc ? i : NATIVE_NOWHERE;
}

static bool is_image(const uint8_t *bytes, size_t size)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)bytes;
    if (size < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_type != ET_DYN) return false;
    if (e->e_entry > size || size - e->e_entry < sizeof(struct native_header) || e->e_entry % 8) return false;
    const struct native_header *h = (const struct native_header *)(bytes + e->e_entry);
    uint64_t tables = h->nentries * (uint64_t)sizeof(struct native_entry) +
                      h->nsites * (uint64_t)sizeof(struct native_site) +
                      h->nblocks * (uint64_t)sizeof(struct native_block);
    return h->magic == NATIVE_MAGIC && h->layout == native_layout() && h->code && h->code < e->e_entry &&
           size - e->e_entry - sizeof *h >= tables;
}

/* Takes over an image in executable memory: unmaps it if it is none. */
static bool use_image(struct gpu *gpu, struct native_unit *unit, uint8_t *p, size_t size)
{
    if (!is_image(p, size)) {
        munmap(p, size);
        return false;
    }
    const struct native_header *h = (const struct native_header *)(p + ((const Elf64_Ehdr *)p)->e_entry);
    unit->image = p;
    unit->size = size;
    unit->run = (native_code *)(void *)(p + h->code);
    unit->insns = h->insns;
    unit->reserves = h->reserves;
    unit->cost_us = h->build_us + h->pass_us + h->code_us;
    unit->nentries = h->nentries;
    unit->nsites = h->nsites;
    unit->entries = (const struct native_entry *)(h + 1);
    unit->sites = (const struct native_site *)(unit->entries + h->nentries);
    unit->blocks = (const struct native_block *)(unit->sites + h->nsites);
    unit->nblocks = h->nblocks;
    if (unit->request.tallies && !tallies_make(gpu, unit)) {
        unit->image = NULL;
        munmap(p, size);
        return false;
    }
    uint32_t start = unit_entry(unit, unit->request.start);
    unit->start_need = start == NATIVE_NOWHERE ? UINT32_MAX : unit->entries[start].need;
    unit->symbol = symbol_add(unit->name, p + h->code, ((const Elf64_Ehdr *)p)->e_entry - h->code);
    return true;
}

/* Makes an image's code executable. */
static bool load_image(struct gpu *gpu, struct native_unit *unit, const void *bytes, size_t size)
{
    if (!bytes || !size) return false;
    uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    memcpy(p, bytes, size);
    if (mprotect(p, size, PROT_READ | PROT_EXEC) == 0) return use_image(gpu, unit, p, size);
    munmap(p, size);
    return false;
}

static void translate_unit(struct native_translator *t, struct native_unit *unit)
{
    size_t size = 0;
    void *bytes = translator_ask(&t->process, &unit->request, unit->program, &size);
    bool ready = load_image(t->units->gpu, unit, bytes, size);
    unit->state = ready ? TRANSLATION_READY : TRANSLATION_NONE;
    free(bytes);
}

/* What an earlier run has left makes a unit ready before its first instruction. */
static void look_in_cache(struct native_units *u, struct native_unit *unit)
{
    size_t size;
    uint8_t *image = cache_load(&u->cache, &unit->request, unit->program, &size);
    unit->cached = image && use_image(u->gpu, unit, image, size);
    if (unit->cached) unit->state = TRANSLATION_READY;
}

/* ---- in the background ---- */

/* The hottest one: where many wait, most of the time that waiting costs is spent on few. */
static struct native_unit *next_wanted(const struct native_units *u)
{
    struct native_unit *hottest = NULL;
    for (struct native_unit *unit = u->first; unit; unit = unit->next)
        if (unit->state == TRANSLATION_WANTED && (!hottest || unit->hotness > hottest->hotness)) hottest = unit;
    return hottest;
}

/* With the lock held. */
static struct native_unit *take_wanted(struct native_units *u, enum unit_state state)
{
    struct native_unit *unit = next_wanted(u);
    if (!unit) return NULL;
    u->wanted--;
    unit->state = state;
    return unit;
}

static void await_change(struct native_units *u)
{
    u->waiting++;
    pthread_cond_wait(&u->changed, &u->lock);
    u->waiting--;
}

static void *run_thread(void *translator)
{
    struct native_translator *t = translator;
    struct native_units *u = t->units;
    pthread_mutex_lock(&u->lock);
    while (!u->closing) {
        struct native_unit *unit = take_wanted(u, TRANSLATION_BEGUN);
        if (!unit) {
            await_change(u);
            continue;
        }
        t->unit = unit;
        t->process.sent = false;
        pthread_mutex_unlock(&u->lock);
        look_in_cache(u, unit); /* another process may have made it since */
        if (unit->state != TRANSLATION_READY) translate_unit(t, unit);
        pthread_mutex_lock(&u->lock);
    }
    pthread_mutex_unlock(&u->lock);
    return NULL;
}

/* Half of the processors are left to the machine and others; four translators are a guess. */
static unsigned most_translators(void)
{
    static struct host_number said = {"VENTUS_TRANSLATORS", "number of translators", 0, TRANSLATORS_MOST, 0, false};
    const uint32_t half = host_processors() / 2;
    const unsigned number = (unsigned)host_number(&said);
    return number ? number : half < 1 ? 1 : half < 4 ? half : 4;
}

/* Translators of this process, but the first one of each machine. */
static _Atomic unsigned others;

/* One more, if all have something to do. */
static void start_translator(struct native_units *u)
{
    struct native_translator *t = &u->translators[u->started];
    const bool other = u->started > 0;
    if (u->wanted < u->waiting || u->started >= u->most) return;
    if (other && others++ >= u->most - 1) others--;
    else if (host_thread(&t->thread, run_thread, t)) u->started++;
    else if (other) others--;
}

/* With the lock held. False: nobody will ever translate the unit. */
static bool want(struct native_units *u, struct native_unit *unit)
{
    start_translator(u);
    if (!u->started) return false;
    unit->state = TRANSLATION_WANTED;
    u->wanted++;
    pthread_cond_signal(&u->changed);
    return true;
}

void units_cool(struct native_unit *unit, uint64_t instructions)
{
    uint64_t heat = unit->hotness;
    unit->hotness = heat > instructions ? heat - instructions : 0;
}

void units_hotness(struct native_units *u, struct native_unit *unit, uint64_t instructions)
{
    const int state = unit->state;
    if (state != TRANSLATION_COLD && state != TRANSLATION_WANTED) return;
    if ((unit->hotness += instructions) < u->hot || state == TRANSLATION_WANTED) return;
    pthread_mutex_lock(&u->lock);
    if (unit->state == TRANSLATION_COLD && u->at_once) translate_unit(u->translators, unit);
    if (unit->state == TRANSLATION_COLD && !want(u, unit)) unit->state = TRANSLATION_NONE;
    pthread_mutex_unlock(&u->lock);
}

/* ---- units ---- */

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word;
        memcpy(&word, (const char *)bytes + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Of the beginning and the end, which is as much as it takes to tell programs apart. Once for each program that is
 * loaded. */
static uint64_t program_hash(struct native_units *u, const struct native_request *r)
{
    enum { PART = 4096 /* bytes; code and constants are whole pages */ };
    const uint32_t version = u->gpu->code_version;
    if (u->code.version == version && u->code.base == r->code_base && u->code.words == r->code_words)
        return u->code.hash;
    const uint8_t *code = u->gpu->mem + r->code_base, *constants = u->gpu->mem + r->constant_base;
    u->code.version = version;
    u->code.base = r->code_base;
    u->code.words = r->code_words;
    u->code.hash = add_hash(add_hash(0, code, PART), code + (size_t)r->code_words * 4 - PART, PART);
    if (r->constant_words) u->code.hash = add_hash(u->code.hash, constants, PART);
    return u->code.hash;
}

static bool is_same(struct native_units *u, struct native_unit *unit, const struct native_request *r)
{
    const uint8_t *mem = u->gpu->mem;
    if (memcmp(&unit->request, r, sizeof *r)) return false;
    if (unit->version == u->gpu->code_version) return true;
    if (memcmp(unit->program, mem + r->code_base, (size_t)r->code_words * 4)) return false;
    if (memcmp(unit->program + r->code_words, mem + r->constant_base, (size_t)r->constant_words * 4)) return false;
    unit->version = u->gpu->code_version;
    return true;
}

/* What it takes of memory, now and when it is translated. */
static uint64_t unit_bytes(const struct native_unit *unit) { return native_program_words(&unit->request) * 8; }

static struct native_unit **bucket_of(struct native_units *u, uint64_t hash)
{
    return &u->buckets[(hash ^ hash >> 32) % UNIT_BUCKETS];
}

static struct native_unit *add_unit(struct native_units *u, const struct native_request *r, uint64_t hash,
                                    const struct group *g)
{
    const char *kernel = g->job->options.kernel;
    struct native_unit *unit = calloc(1, sizeof *unit);
    if (!unit) return NULL;
    unit->program = malloc(native_program_words(r) * 4);
    if (!unit->program) {
        free(unit);
        return NULL;
    }
    unit->request = *r;
    unit->number = ++u->made;
    snprintf(unit->name, sizeof unit->name, "%s", kernel ? kernel : "ventus_kernel");
    unit->version = u->gpu->code_version;
    memcpy(unit->program, u->gpu->mem + r->code_base, (size_t)r->code_words * 4);
    memcpy(unit->program + r->code_words, u->gpu->mem + r->constant_base, (size_t)r->constant_words * 4);
    unit->hash = hash;
    unit->next = u->first;
    u->first = unit;
    struct native_unit **bucket = bucket_of(u, hash);
    unit->beside = *bucket;
    *bucket = unit;
    u->bytes += unit_bytes(unit);
    return unit;
}

static void free_unit(struct native_unit *unit)
{
    symbol_remove(unit->symbol);
    tallies_free(unit);
    if (unit->image) munmap(unit->image, unit->size);
    free(unit->program);
    free(unit);
}

static void drop(struct native_units *u, struct native_unit **link)
{
    struct native_unit *unit = *link, **bucket = bucket_of(u, unit->hash);
    *link = unit->next;
    while (*bucket != unit) bucket = &(*bucket)->beside;
    *bucket = unit->beside;
    u->bytes -= unit_bytes(unit);
    if (unit->state == TRANSLATION_READY) {
        u->gone.count++;
        u->gone.insns += unit->insns;
        u->gone.cached += unit->cached;
        u->gone.cost_us += unit->cached ? 0 : unit->cost_us;
    }
    free_unit(unit);
}

/* With the lock held. */
static struct native_unit *find(struct native_units *u, const struct native_request *r, const struct group *g)
{
    const uint64_t hash = add_hash(program_hash(u, r), r, sizeof *r);
    struct native_unit *unit = *bucket_of(u, hash);
    while (unit && (unit->hash != hash || !is_same(u, unit, r))) unit = unit->beside;
    if (!unit && (unit = add_unit(u, r, hash, g))) look_in_cache(u, unit);
    return unit;
}

/* The same; the convergent translation for as long as it is enough. */
static struct native_unit *choose(struct native_units *u, struct native_request r, const struct group *g)
{
    struct native_unit *unit = find(u, &r, g), *convergent;
    if (!unit || !u->convergent || r.lanes != LANES_ALL || unit->state == TRANSLATION_READY) return unit;
    r.lanes = LANES_CONVERGENT;
    convergent = find(u, &r, g);
    if (!convergent) return unit;
    if (convergent->divergent != unit)
        convergent->divergent = unit; /* it is, if an SM holds `convergent` and reads it */
    return convergent;
}

static void hold(struct native_unit *unit, int32_t change)
{
    if (!unit) return;
    unit->holders += (uint32_t)change;
    hold(unit->divergent, change);
}

static bool may_go(const struct native_unit *unit)
{
    return !unit->holders && unit->state != TRANSLATION_WANTED && unit->state != TRANSLATION_BEGUN;
}

/* The oldest, down to three quarters of the limit, so that not every unit that is added looks at all the others. */
static void make_room(struct native_units *u, uint32_t sm)
{
    uint64_t younger = 0;
    if (u->bytes <= BYTES_MOST) return;
    for (struct native_unit **link = &u->first; *link;) {
        younger += unit_bytes(*link);
        const bool goes = younger > BYTES_MOST / 4 * 3 && may_go(*link);
        if (goes) tallies_settle(*link, sm);
        if (goes) drop(u, link);
        else link = &(*link)->next;
    }
}

struct native_unit *units_hold(struct native_units *u, const struct warp *w)
{
    pthread_mutex_lock(&u->lock);
    struct native_request r = make_request(u, w);
    struct native_unit *unit = r.code_words ? choose(u, r, w->group) : NULL;
    hold(unit, 1);
    if (unit && u->at_once && unit->state == TRANSLATION_COLD) translate_unit(u->translators, unit);
    make_room(u, w->group->sm->index);
    pthread_mutex_unlock(&u->lock);
    return unit;
}

void units_let_go(struct native_units *u, struct native_unit *unit)
{
    if (!unit) return;
    pthread_mutex_lock(&u->lock);
    hold(unit, -1);
    pthread_mutex_unlock(&u->lock);
}

static bool open_translators(struct native_units *u)
{
    for (unsigned i = 0; i < u->most; i++) {
        u->translators[i].units = u;
        if (translator_init(&u->translators[i].process)) continue;
        while (i--) translator_close(&u->translators[i].process);
        return false;
    }
    return true;
}

bool units_open(struct native_units *u, struct gpu *gpu, bool at_once)
{
    static struct host_word lanes = {"VENTUS_TRANSLATE_LANES", {"all", "convergent", "divergent"}, false};
    const unsigned chosen = host_word(&lanes);
    const bool convergent = chosen == 1, divergent = chosen == 2;
    *u = (struct native_units){.gpu = gpu, .level = units_level(), .layout = native_layout(), .at_once = at_once};
    u->convergent = !at_once || divergent || convergent;
    u->hot = divergent ? 1 : HOT;
    cache_open(&u->cache, level_names[u->level]);
    u->most = most_translators();
    bool lock = pthread_mutex_init(&u->lock, NULL) == 0;
    if (lock && pthread_cond_init(&u->changed, NULL) == 0) {
        if (open_translators(u)) return true;
        pthread_cond_destroy(&u->changed);
    }
    if (lock) pthread_mutex_destroy(&u->lock);
    return false;
}

/* What will not become hot any more, and what a translator has begun with, but has not been told completely. */
static void want_last(struct native_units *u)
{
    for (struct native_unit *unit = u->first; unit; unit = unit->next) {
        bool left = unit->state == TRANSLATION_COLD && unit->hotness >= WARM;
        for (unsigned i = 0; i < u->started && unit->state != TRANSLATION_READY; i++)
            left |= u->translators[i].unit == unit && !u->translators[i].process.sent;
        if (!left) continue;
        unit->state = TRANSLATION_WANTED;
        u->wanted++;
    }
}

int units_write_wanted(struct native_units *u, int file)
{
    struct native_unit *unit;
    if (u->at_once || !*u->cache.files.folder || pthread_mutex_trylock(&u->lock)) return file;
    want_last(u);
    if (file < 0 && next_wanted(u)) file = host_above_standard(memfd_create("ventus-translate", MFD_CLOEXEC));
    while (file >= 0 && (unit = take_wanted(u, TRANSLATION_NONE)))
        if (!translator_write(file, &unit->request, unit->program)) break;
    pthread_mutex_unlock(&u->lock);
    return file;
}

void units_close(struct native_units *u)
{
    pthread_mutex_lock(&u->lock);
    u->closing = true;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
    for (unsigned i = 0; i < u->most; i++) translator_stop(&u->translators[i].process);
    for (unsigned i = 0; i < u->started; i++) pthread_join(u->translators[i].thread, NULL);
    if (u->started) others -= u->started - 1;
    for (unsigned i = 0; i < u->most; i++) translator_close(&u->translators[i].process);
    translator_leave(units_write_wanted(u, -1));
    while (u->first) {
        struct native_unit *unit = u->first;
        u->first = unit->next;
        free_unit(unit);
    }
    pthread_cond_destroy(&u->changed);
    pthread_mutex_destroy(&u->lock);
}
