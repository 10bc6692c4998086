/* The timeline as a log of the pipeline viewer Konata ("Kanata" format, version 4).
 *
 * Every instruction that reaches a warp's buffer has a line: stage B (in the buffer), C (operand collection), then its
 * unit until it is written back. What is dropped by a jump, and prefixes, which never issue, end as flushed. */
#include <stdlib.h>
#include <string.h>

#include "timing/timeline.h"

enum stage { BUFFERED, ISSUED, LEAVING /* retires in the next cycle */ };

struct line {
    uint64_t id, leaves;
    unsigned thread; /* number of SM and warp slot */
    uint32_t pc;
    enum stage stage;
};

struct konata {
    FILE *out;
    bool begun;
    uint64_t now, ids, retired;
    struct line *lines; /* of instructions under way, the oldest first */
    size_t nlines, room;
};

static const char *const unit_stages[UNITS] = {
    [U_SALU] = "Salu", [U_VALU] = "Valu", [U_CSR] = "Csr",     [U_MUL] = "Mul",   [U_FPU] = "Fpu",   [U_SFU] = "Sfu",
    [U_LSU] = "Lsu",   [U_SIMT] = "Simt", [U_VBRANCH] = "Vbr", [U_WARP] = "Warp", [U_TENSOR] = "Mma"};

/* ---- lines ---- */

static void remove_line(struct konata *k, struct line *l, bool flushed)
{
    fprintf(k->out, "R\t%llu\t%llu\t%d\n", (unsigned long long)l->id, (unsigned long long)(flushed ? 0 : k->retired++),
            flushed);
    k->nlines--;
    memmove(l, l + 1, (size_t)(k->lines + k->nlines - l) * sizeof *l);
}

/* When there is no memory the instruction is missing from the log. */
static void add_line(struct konata *k, unsigned thread, uint32_t pc)
{
    if (k->nlines == k->room) {
        size_t room = k->room ? 2 * k->room : 64;
        struct line *more = realloc(k->lines, room * sizeof *more);
        if (!more) return;
        k->lines = more;
        k->room = room;
    }
    k->lines[k->nlines++] = (struct line){.id = k->ids, .thread = thread, .pc = pc};
    fprintf(k->out, "I\t%llu\t%llu\t%u\nS\t%llu\t0\tB\n", (unsigned long long)k->ids, (unsigned long long)k->ids,
            thread, (unsigned long long)k->ids);
    k->ids++;
}

static struct line *find(struct konata *k, unsigned thread, uint32_t pc, enum stage stage)
{
    for (struct line *l = k->lines; l < k->lines + k->nlines; l++)
        if (l->thread == thread && l->pc == pc && l->stage == stage) return l;
    return NULL;
}

/* The warp's instructions in the buffer that are older than `id`. */
static void flush(struct konata *k, unsigned thread, uint64_t id)
{
    for (struct line *l = k->lines; l < k->lines + k->nlines;)
        if (l->thread == thread && l->stage == BUFFERED && l->id < id) remove_line(k, l, true);
        else l++;
}

static void put_stage(struct konata *k, const struct line *l, const char *stage)
{
    fprintf(k->out, "S\t%llu\t0\t%s\n", (unsigned long long)l->id, stage);
}

/* Nothing more will come of what is under way. */
static void flush_all(struct konata *k)
{
    while (k->nlines) remove_line(k, k->lines, true);
}

/* ---- time ---- */

/* Instructions that leave between two events do so in their own cycle. */
static void advance(struct konata *k, uint64_t to)
{
    uint64_t next = to;
    for (struct line *l = k->lines; l < k->lines + k->nlines; l++)
        if (l->stage == LEAVING && l->leaves < next) next = l->leaves;
    if (!k->begun) fprintf(k->out, "C=\t%llu\n", (unsigned long long)next);
    else if (next > k->now) fprintf(k->out, "C\t%llu\n", (unsigned long long)(next - k->now));
    k->begun = true;
    k->now = next;
    for (struct line *l = k->lines; l < k->lines + k->nlines;)
        if (l->stage == LEAVING && l->leaves <= next) remove_line(k, l, false);
        else l++;
    if (next < to) advance(k, to);
}

static void leave_next(struct konata *k, struct line *l)
{
    l->stage = LEAVING;
    l->leaves = k->now + 1;
}

/* ---- events ---- */

static void fetched(struct konata *k, const struct timeline_event *e, unsigned thread)
{
    unsigned mask;
    if (sscanf(e->extra, "hit mask%x", &mask) != 1) return;
    for (unsigned i = 0; i < 2; i++)
        if (mask >> i & 1) add_line(k, thread, e->pc + 4 * i);
}

static void issued(struct konata *k, const struct timeline_event *e, unsigned thread)
{
    char text[100];
    struct line *l = find(k, thread, e->pc, BUFFERED);
    if (!l) return;
    code_text(&code_op_alone(e->core->model, e->pc)->in, e->pc, text, sizeof text);
    fprintf(k->out, "L\t%llu\t0\t%08x %s\n", (unsigned long long)l->id, (unsigned)e->pc, text);
    fprintf(k->out, "L\t%llu\t1\tSM %u, slot %u\n", (unsigned long long)l->id, e->core->number, e->warp);
    put_stage(k, l, "C");
    l->stage = ISSUED;
    flush(k, thread, l->id);
}

static void left_collection(struct konata *k, const struct timeline_event *e, unsigned thread)
{
    struct line *l = find(k, thread, e->pc, ISSUED);
    const struct op *op = code_op_alone(e->core->model, e->pc);
    if (!l) return;
    put_stage(k, l, unit_stages[op->unit]);
    if (op->destination == NO_REGISTER) leave_next(k, l);
}

static void written_back(struct konata *k, const struct timeline_event *e, unsigned thread)
{
    struct line *l = find(k, thread, e->pc, ISSUED);
    if (!l) return;
    put_stage(k, l, "W");
    leave_next(k, l);
}

static void event(void *state, const struct timeline_event *e)
{
    struct konata *k = state;
    unsigned thread = e->core->number * e->core->nslots + e->warp;
    advance(k, e->cycle);
    if (!strcmp(e->name, "host_req") && !e->core->model->running->next) flush_all(k);
    else if (!strcmp(e->name, "fetch_rsp")) fetched(k, e, thread);
    else if (!strcmp(e->name, "issue")) issued(k, e, thread);
    else if (!strcmp(e->name, "oc_out")) left_collection(k, e, thread);
    else if (!strncmp(e->name, "wb_", 3)) written_back(k, e, thread);
    else if (!strcmp(e->name, "flush")) flush(k, thread, UINT64_MAX);
}

/* ---- the file ---- */

static void *open_file(FILE *out, const struct model *m)
{
    struct konata *k = calloc(1, sizeof *k);
    (void)m;
    if (!k) return NULL;
    k->out = out;
    fputs("Kanata\t0004\n", out);
    return k;
}

static void close_file(void *state, uint64_t now)
{
    struct konata *k = state;
    advance(k, now + 1);
    flush_all(k);
    free(k->lines);
    free(k);
}

const struct timeline_form timeline_konata = {{".kanata", ".konata", ".log"}, open_file, event, NULL, close_file};
