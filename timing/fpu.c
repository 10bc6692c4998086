/* The FPU: a multiplier and an adder, both of which multiply-add goes through, and a pipeline for comparisons, signs
 * and conversions. They share one way out (section 7).
 *
 *     product, multiply-add  ->  mul  ->  product                 ->  write-back
 *                                `----->  between  ->  add  ->  sum  ->  write-back
 *     sum                    ->  waiting  ---------'
 *     all others             ->  other  ->  compared              ->  write-back
 *
 * Of the output registers the first that is full has the way out: product, sum, compared. A stage is refilled in the
 * cycle in which it is emptied. */
#include "timing/model.h"

void fpu_open(struct core *c)
{
    const struct timing_config *config = &c->model->config;
    c->fpu = (struct fpu){.mul.stages = config->fpu_stages,
                          .add.stages = config->fpu_stages - 1,
                          .other.stages = config->fpu_other_stages};
}

struct flight *fpu_result(const struct core *c)
{
    const struct fpu *u = &c->fpu;
    return u->product ? u->product : u->sum ? u->sum : u->compared;
}

static bool is_vector(const struct flight *f) { return f->op->destination >= 256; }

static struct flight **last_of(struct pipe *p) { return &p->stage[p->stages - 1]; }

static void move(struct flight **from, struct flight **to)
{
    if (*to || !*from) return;
    *to = *from;
    *from = NULL;
}

/* All but what is in the last stage goes on by one. */
static void advance(struct pipe *p)
{
    for (unsigned i = p->stages - 1; i > 0; i--) move(&p->stage[i - 1], &p->stage[i]);
}

static void drop(struct core *c, struct flight **f)
{
    flight_free(c, *f);
    *f = NULL;
}

/* In the Verilog RTL the adder's last stage looks at whether the register behind it is emptied, not at whether it is
 * empty. So a sum that could not leave at once when it comes there also stays in the last stage, and is written twice.
 * What is emptied may be a sum that had to let a product go first, because there is another one of it. */
static void fill_sum(struct core *c, bool emptied)
{
    struct fpu *u = &c->fpu;
    struct flight **last = last_of(&u->add);
    bool again = u->again;
    if (u->sum && emptied) {
        if (!u->written && !again) return; /* lost, and its warp waits for ever: not imitated */
        drop(c, &u->sum);
    }
    if (u->sum || !*last) return;
    u->sum = *last;
    u->sum_vector = is_vector(u->sum);
    u->written = false;
    u->again = !emptied;
    *last = emptied ? NULL : flight_new(c, u->sum->op, u->sum->slot);
}

/* A register that has been written is empty, but for the sum's, which may be said to be so a cycle later. */
static void leave(struct core *c, bool leaves)
{
    struct fpu *u = &c->fpu;
    struct flight *next = *last_of(&u->mul), *result = fpu_result(c);
    bool fault = c->model->config.fault_sum_twice;
    if (result && leaves) {
        if (result == u->product) drop(c, &u->product);
        else if (result == u->compared) drop(c, &u->compared);
        else if (fault) u->written = true;
        else drop(c, &u->sum);
    }
    if (fault) fill_sum(c, leaves && !(next && next->op->class == C_PRODUCT));
    else move(last_of(&u->add), &u->sum);
}

void fpu_cycle(struct core *c, const bool port_free[2])
{
    struct fpu *u = &c->fpu;
    struct flight *result = fpu_result(c), **last = last_of(&u->mul);
    u->compares = result && result == u->compared;
    leave(c, port_free[result ? is_vector(result) : u->sum_vector]);
    advance(&u->add);
    move(u->between ? &u->between : &u->waiting, &u->add.stage[0]);
    if (*last) move(last, (*last)->op->class == C_PRODUCT ? &u->product : &u->between);
    advance(&u->mul);
    move(last_of(&u->other), &u->compared);
    advance(&u->other);
}

/* Where an instruction comes in. */
static struct flight **first_of(struct fpu *u, const struct op *op)
{
    switch (op->class) {
    case C_PRODUCT:
    case C_FUSED: return &u->mul.stage[0];
    case C_OTHER_FLOAT: return &u->other.stage[0];
    default: return &u->waiting;
    }
}

/* That it is ready is what the part says that has the way out, or the adder to a comparison. */
bool fpu_ready(const struct core *c, const struct op *op)
{
    struct fpu *u = (struct fpu *)&c->fpu;
    struct flight *other = u->compares ? u->other.stage[0] : op->class == C_OTHER_FLOAT ? u->waiting : NULL;
    return !*first_of(u, op) && !other && u->next <= c->model->now;
}

void fpu_take(struct core *c, struct flight *f, uint32_t passes)
{
    *first_of(&c->fpu, f->op) = f;
    c->fpu.next = c->model->now + passes;
}
