/* Commands of the user in the GPU's own words: "monitor info warps" in gdb, "process plugin packet monitor info warps"
 * in lldb; debug/ventus_gdb.py and debug/ventus_lldb.py make them commands of the debuggers. They are about the
 * work-item that is selected, its warp and its group. */
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"
#include "isa/effects.h"

struct asked {
    struct debugger *d;
    struct text *t;
    struct item item;  /* that is selected; without warp when no work-item lives */
    const char *words; /* behind the command's name */
};

/* ---- places ---- */

static void add_line(const struct asked *a, uint32_t pc)
{
    const struct launch_info *info = a->d->info;
    uint32_t line = info && info->line ? info->line(info->user, pc) : 0;
    text_add(a->t, "0x%08x", pc);
    if (line) text_add(a->t, " line %u", line);
}

static bool has_warp(const struct asked *a)
{
    if (!a->item.warp) text_add(a->t, "No work-item is running.\n");
    return a->item.warp;
}

/* ---- info ---- */

static uint64_t groups_of(const struct launch *l) { return (uint64_t)l->groups[0] * l->groups[1] * l->groups[2]; }

static void info_kernels(const struct asked *a)
{
    const struct launch *l = a->d->launch;
    if (!l) {
        text_add(a->t, "No kernel is running.\n");
        return;
    }
    text_add(a->t, "launch %llu: kernel %s, %u x %u x %u groups of %u work-items (%u warps), %llu resident\n",
             (unsigned long long)a->d->number, *a->d->kernel ? a->d->kernel : "?", l->groups[0], l->groups[1],
             l->groups[2], l->work_items, l->warps, (unsigned long long)a->d->ngroups);
    text_add(a->t, "  %llu instructions so far, %u vector and %u scalar registers a warp, ",
             (unsigned long long)a->d->count, l->vgprs, l->sgprs);
    text_add(a->t, "%u bytes of local memory a group, %u of private memory a work-item\n", l->lds_bytes, l->pds_bytes);
    if (*a->d->program.path) text_add(a->t, "  program %s\n", a->d->program.path);
}

static void info_groups(const struct asked *a)
{
    static const char *const names[] = {"run", "wait at a barrier", "wait for copies", "ended"};
    for (size_t i = 0; i < a->d->ngroups; i++) {
        const struct group *g = a->d->groups[i];
        uint32_t count[4] = {0};
        for (uint32_t w = 0; w < g->launch->warps; w++) count[g->warps[w].state]++;
        text_add(a->t, "%c group (%u,%u,%u) number %u of %llu on SM %u, local memory 0x%08x:",
                 a->item.warp && a->item.warp->group == g ? '*' : ' ', g->index[0], g->index[1], g->index[2], g->wgid,
                 (unsigned long long)groups_of(g->launch), group_sm(g), g->lds_base);
        for (unsigned k = 0; k < 4; k++)
            if (count[k]) text_add(a->t, " %u %s", count[k], names[k]);
        text_add(a->t, "\n");
    }
    if (!a->d->ngroups) text_add(a->t, "No work-group is resident.\n");
}

/* The lanes as a picture: # run, - wait, . do not exist. */
static void add_mask(struct text *t, const struct warp *w, uint32_t active)
{
    for (uint32_t lane = 0; lane < w->group->launch->threads_per_warp; lane++)
        text_add(t, "%c", !(w->lanes >> lane & 1) ? '.' : active >> lane & 1 ? '#' : '-');
}

static void add_warp(const struct asked *a, const struct warp *w)
{
    static const char *const names[] = {"ready", "at a barrier", "waits for copies", "ended"};
    bool own = a->item.warp == w;
    text_add(a->t, "%c group (%u,%u,%u) warp %-2u ", own ? '*' : ' ', w->group->index[0], w->group->index[1],
             w->group->index[2], w->wid);
    add_mask(a->t, w, w->state == WARP_ENDED ? 0 : w->active);
    text_add(a->t, " ");
    add_line(a, w->pc);
    text_add(a->t, " %s", names[w->state]);
    if (w->depth) text_add(a->t, ", %u on the SIMT stack", w->depth);
    if (warp_copies(w)) text_add(a->t, ", %u bytes of copies in flight", warp_copies(w));
    text_add(a->t, "\n");
}

static void info_warps(const struct asked *a)
{
    for (size_t i = 0; i < a->d->ngroups; i++)
        for (uint32_t w = 0; w < a->d->groups[i]->launch->warps; w++) add_warp(a, &a->d->groups[i]->warps[w]);
    if (!a->d->ngroups) text_add(a->t, "No warp is resident.\n");
}

static void info_lanes(const struct asked *a)
{
    if (!has_warp(a)) return;
    for (uint32_t lane = 0; lane < a->item.warp->group->launch->threads_per_warp; lane++) {
        struct item item = {a->item.warp, lane};
        if (!(item.warp->lanes >> lane & 1)) continue;
        text_add(a->t, "%c lane %-2u ", lane == a->item.lane ? '*' : ' ', lane);
        item_name(a->t, item);
        text_add(a->t, " ");
        add_line(a, item_pc(item));
        text_add(a->t, " ");
        item_state(a->t, a->d, item);
        text_add(a->t, "\n");
    }
}

/* Who waits where for which join, the innermost first. */
static void simt(const struct asked *a)
{
    const struct warp *w = a->item.warp;
    uint32_t seen;
    if (!has_warp(a)) return;
    seen = w->mask;
    text_add(a->t, "runs        ");
    add_mask(a->t, w, w->mask);
    text_add(a->t, " at ");
    add_line(a, w->pc);
    text_add(a->t, "\n");
    for (uint32_t i = w->depth; i-- > 0;) {
        const struct simt_entry *e = &w->stack[i];
        bool at_join = e->pc == e->rpc;
        text_add(a->t, "%-11s ", at_join ? "join" : "other side");
        add_mask(a->t, w, e->mask & ~seen);
        text_add(a->t, " %s ", at_join ? "at" : "goes on at");
        add_line(a, e->pc);
        if (!at_join) text_add(a->t, ", join "), add_line(a, e->rpc);
        text_add(a->t, "\n");
        seen |= e->mask;
    }
    text_add(a->t, "next branch meets at ");
    add_line(a, w->rpc);
    text_add(a->t, "\n");
}

static void info_barriers(const struct asked *a)
{
    if (!has_warp(a)) return;
    const struct group *g = a->item.warp->group;
    uint32_t waiting = 0, ended = 0;
    for (uint32_t i = 0; i < g->launch->warps; i++) {
        const struct warp *w = &g->warps[i];
        waiting += w->state == WARP_WAITING;
        ended += w->state == WARP_ENDED;
        if (w->state != WARP_WAITING) continue;
        text_add(a->t, "  warp %u waits behind ", w->wid);
        add_line(a, w->pc - 4);
        text_add(a->t, ", lanes ");
        add_mask(a->t, w, w->mask);
        text_add(a->t, "\n");
    }
    text_add(a->t, "group (%u,%u,%u): %u of %u warps wait, %u have ended, %u are on their way\n", g->index[0],
             g->index[1], g->index[2], waiting, g->launch->warps, ended, g->launch->warps - waiting - ended);
}

static void info_csrs(const struct asked *a)
{
    char name[16];
    uint32_t value;
    if (!has_warp(a)) return;
    for (uint32_t n = REG_CSR; n < register_count(); n++)
        if (register_read(a->item, n, &value))
            text_add(a->t, "%-10s 0x%08x %u\n", register_name(n, name), value, value);
}

/* What --check has found since the machine began. */
static void info_checks(const struct asked *a)
{
    const struct findings *f = &a->d->findings;
    for (size_t i = 0; i < f->n; i++) text_add(a->t, "%s", f->list[i].text);
    if (!f->n) text_add(a->t, "No check has found a mistake (ventus run --check, VENTUS_CHECK).\n");
}

/* ---- one instruction ---- */

static void add_registers(const struct asked *a, const char *what, const struct isa_registers *r)
{
    uint32_t value;
    for (uint32_t n = 1; n < ISA_XREGS; n++)
        if (r->x >> n & 1 && register_read(a->item, n < 32 ? n : REG_X32 + n - 32, &value))
            text_add(a->t, "  %s x%u = 0x%08x\n", what, n, value);
    for (uint32_t n = 0; n < ISA_VREGS; n++)
        if (r->v[n / 64] >> n % 64 & 1 && register_read(a->item, REG_V + n, &value))
            text_add(a->t, "  %s v%u = 0x%08x\n", what, n, value);
}

static void instruction(const struct asked *a)
{
    uint32_t words[ISA_MAX_WORDS], pc = item_pc(a->item);
    struct insn in;
    char text[160];
    if (!has_warp(a)) return;
    size_t n = warp_code(a->item.warp, pc, words);
    add_line(a, pc);
    if (!n || !isa_decode_in((enum isa_profile)gpu_config_of(a->d->gpu)->profile, words, n, &in)) {
        text_add(a->t, ": no instruction\n");
        return;
    }
    isa_print(&in, pc, 0, text, sizeof text);
    text_add(a->t, ": %s\n", text);
    struct isa_effects e = isa_effects(&in, a->item.warp->group->launch->threads_per_warp);
    struct isa_registers reads = isa_registers_read(&in, &e), writes = isa_registers_written(&in, &e);
    add_registers(a, "reads", &reads);
    add_registers(a, "will write", &writes);
}

/* ---- settings ---- */

static void threads(const struct asked *a)
{
    static const char *const names[] = {"all", "group", "warp", "one"};
    static const char *const meaning[] = {"all resident work-items are", "those of the stopped group are",
                                          "those of the stopped warp are", "only the one that stopped is"};
    for (unsigned i = 0; i < 4; i++)
        if (!strcmp(a->words, names[i])) a->d->filter.what = (int)i;
    text_add(a->t, "threads %s: %s%s\n", names[a->d->filter.what], meaning[a->d->filter.what],
             a->d->filter.what == SHOW_ONE ? " a thread" : " threads");
}

static void program(const struct asked *a) { text_add(a->t, "%s\n", a->d->program.path); }

/* Says the number of a thread that the user selects. lldb does not say it with requests for memory, of which it
 * believes that all threads have the same: so they are about this one, until lldb asks for another one's registers. In
 * non-stop mode the only thread becomes it. */
static void select_item(const struct asked *a, tid thread)
{
    if (a->d->lldb || a->d->nonstop) a->d->looked_at = thread;
    if (a->d->nonstop) a->d->general = thread;
    text_add(a->t, "thread %llu\n", (unsigned long long)(a->d->nonstop ? TID_DEVICE : thread));
}

static void thread(const struct asked *a)
{
    unsigned long long n;
    struct item item;
    if (sscanf(a->words, "%llu", &n) == 1 && item_find(a->d, n, &item)) select_item(a, n);
    else text_add(a->t, "Usage: thread N, by the number that the debugger knows it by\n");
}

/* By its global id. */
struct search {
    uint32_t id[3];
    tid found;
};

static bool is_sought(void *user, struct item item)
{
    struct search *s = user;
    uint32_t local[3], global[3];
    item_ids(item, local, global);
    if (memcmp(global, s->id, sizeof global) != 0) return true;
    s->found = item_tid(item);
    return false;
}

static void workitem(const struct asked *a)
{
    struct search s = {{0}, 0};
    if (sscanf(a->words, "%u %u %u", &s.id[0], &s.id[1], &s.id[2]) < 1) {
        text_add(a->t, "Usage: workitem X [Y [Z]]\n");
        return;
    }
    items_each(a->d, is_sought, &s);
    if (s.found) select_item(a, s.found);
    else text_add(a->t, "No such work-item is running (%u,%u,%u).\n", s.id[0], s.id[1], s.id[2]);
}

/* A thread of a warp of the selected group: its first lane that is active, or there. */
static void warp(const struct asked *a)
{
    unsigned n;
    if (!has_warp(a)) return;
    const struct group *g = a->item.warp->group;
    if (sscanf(a->words, "%u", &n) != 1 || n >= g->launch->warps || g->warps[n].state == WARP_ENDED) {
        text_add(a->t, "Usage: warp N, of a warp of the group that has not ended\n");
        return;
    }
    struct warp *w = &g->warps[n];
    struct item item = {w, first_lane(w->active ? w->active : w->lanes)};
    select_item(a, item_tid(item));
}

static void lane(const struct asked *a)
{
    unsigned n;
    if (!has_warp(a)) return;
    if (sscanf(a->words, "%u", &n) != 1 || n >= ISA_LANES || !(a->item.warp->lanes >> n & 1))
        text_add(a->t, "Usage: lane N, of a lane that the warp has\n");
    else select_item(a, item_tid((struct item){a->item.warp, n}));
}

/* In non-stop mode gdb asks for threads also when its user sees nothing: debug/ventus_gdb.py says when. */
static void shown(const struct asked *a) { a->d->shown = true; }

/* ---- the table ---- */

static void help(const struct asked *a);

static const struct {
    const char *name;
    void (*run)(const struct asked *a);
    const char *help;
} commands[] = {
    {"info kernels", info_kernels, "the launch that runs"},
    {"info groups", info_groups, "resident work-groups"},
    {"info warps", info_warps, "their warps: lanes (# run, - wait, . do not exist), pc, state"},
    {"info lanes", info_lanes, "the lanes of the selected warp: work-item, pc, what each waits for"},
    {"info barriers", info_barriers, "who of the selected group waits at a barrier"},
    {"info csrs", info_csrs, "control registers of the selected warp"},
    {"info checks", info_checks, "mistakes that checks have found so far (--check)"},
    {"simt", simt, "SIMT stack of the selected warp: who waits where for which join"},
    {"instruction", instruction,
     "the selected work-item's next instruction, and the registers that it reads and writes"},
    {"threads", threads, "which work-items are threads: all, group, warp, one"},
    {"workitem", workitem, "the thread of the work-item with the global id X Y Z"},
    {"warp", warp, "a thread of warp N of the selected group"},
    {"lane", lane, "the thread of lane N of the selected warp"},
    {"shown", shown, "the user has seen this stop: what else has stopped here is not one more"},
    {"thread", thread, "what memory is about from now on (lldb does not say it)"},
    {"program", program, "the file with the program's symbols"},
    {"help", help, "these commands"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(const struct asked *a)
{
    for (unsigned i = 0; i < COMMANDS; i++) text_add(a->t, "%-14s %s\n", commands[i].name, commands[i].help);
}

void monitor(struct debugger *d, const char *command, struct text *answer)
{
    struct asked a = {d, answer, item_looked_at(d), ""};
    command += strspn(command, " ");
    for (unsigned i = 0; i < COMMANDS; i++) {
        size_t n = strlen(commands[i].name);
        if (strncmp(command, commands[i].name, n) != 0 || (command[n] && command[n] != ' ')) continue;
        a.words = command + n + strspn(command + n, " ");
        commands[i].run(&a);
        return;
    }
    text_add(answer, "No such command: %.80s (monitor help lists them)\n", command);
}
