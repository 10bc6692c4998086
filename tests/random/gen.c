/* Random kernels as a whole: prelude, argument structs, helper functions, kernel frames and the run
 * line of each. Invariant: one seed, one text. Called by the random test and by gen_main.c. */
#include <stdlib.h>

#include "gen.h"

uint32_t gen_below(struct gen *g, uint32_t n)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)((g->state >> 18 ^ g->state) >> 27), turn = (uint32_t)(g->state >> 59);
    x = x >> turn | x << (-turn & 31);
    return (uint32_t)((uint64_t)x * n >> 32);
}

bool gen_chance(struct gen *g, unsigned percent) { return gen_below(g, 100) < percent; }

void gen_line(struct gen *g) { fprintf(g->out, "%*s", (int)g->indent * 2, ""); }

void gen_type(struct gen *g, struct type type)
{
    fprintf(g->out, "%s", base_names[type.base]);
    if (type.width > 1) fprintf(g->out, "%u", type.width);
}

struct var *gen_declare(struct gen *g, struct type type, enum tier tier)
{
    static struct var overflow; /* never read: a full table only means fewer names to choose from */
    struct var *v = g->nvars < MAX_VARS ? &g->vars[g->nvars++] : &overflow;
    *v = (struct var){.type = type, .tier = tier};
    snprintf(v->name, sizeof v->name, "v%u", g->serial++);
    return v;
}

static void known(struct gen *g, const char *name, struct type type, enum tier tier)
{
    if (g->nvars == MAX_VARS) return;
    struct var *v = &g->vars[g->nvars++];
    *v = (struct var){.type = type, .tier = tier, .constant = true};
    snprintf(v->name, sizeof v->name, "%s", name);
}

static const char prelude[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#define DIVIDE(T, U) \\\n"
    "  T div_##T(T a, T b) { return b == 0 ? a : b == (T)-1 ? (T)(0 - (U)a) : (T)(a / b); } \\\n"
    "  T mod_##T(T a, T b) { return b == 0 || b == (T)-1 ? (T)0 : (T)(a % b); }\n"
    "DIVIDE(char, uint) DIVIDE(uchar, uint) DIVIDE(short, uint) DIVIDE(ushort, uint)\n"
    "DIVIDE(int, uint) DIVIDE(uint, uint) DIVIDE(long, ulong) DIVIDE(ulong, ulong)\n"
    "int f2i(float f) { return fabs(f) < 2e9f ? (int)f : 0; }\n"
    "uint f2u(float f) { return f > -0.5f && f < 4e9f ? (uint)f : 0; }\n"
    "long f2l(float f) { return fabs(f) < 9e18f ? (long)f : 0; }\n"
    "int d2i(double f) { return fabs(f) < 2e9 ? (int)f : 0; }\n"
    "uint d2u(double f) { return f > -0.5 && f < 4e9 ? (uint)f : 0; }\n"
    "long d2l(double f) { return fabs(f) < 9e18 ? (long)f : 0; }\n"
    "uint float_bits(float f) { return isnan(f) ? 0x7fc00000u : as_uint(f); }\n"
    "uint double_bits(double f) { return isnan(f) ? 0x7ff80000u : (uint)as_ulong(f) + (uint)(as_ulong(f) >> 32) * 7u; "
    "}\n"
    "void cas_add_wide(volatile global ulong *p, ulong v)\n"
    "{\n"
    "  ulong old, seen = *p;\n"
    "  do { old = seen; seen = atom_cmpxchg(p, old, old + v); } while (seen != old);\n"
    "}\n"
    "void cas_add(volatile global uint *p, uint v)\n"
    "{\n"
    "  uint old, seen = *p;\n"
    "  do { old = seen; seen = atomic_cmpxchg(p, old, old + v); } while (seen != old);\n"
    "}\n";

/* The first field is an integer. */
static unsigned structure(struct gen *g, char letter, struct field *fields)
{
    unsigned n = 2 + gen_below(g, FIELDS - 1);
    fprintf(g->out, "\nstruct %c%u {\n", letter, g->index);
    for (unsigned i = 0; i < n; i++) {
        struct field *f = &fields[i];
        f->type = i == 0 ? any_scalar(g) : any_type(g);
        if (i == 0 && base_floating(f->type.base)) f->type.base = INT;
        f->length = i > 0 && f->type.width == 1 && gen_chance(g, 30) ? 2u << gen_below(g, 2) : 0;
        fputs("  ", g->out);
        gen_type(g, f->type);
        if (f->length) fprintf(g->out, " a%u[%u];\n", i, f->length);
        else fprintf(g->out, " a%u;\n", i);
    }
    fputs("};\n", g->out);
    return n;
}

/* Fields of a struct as readable variables; an array through its first and last element. */
static void know_fields(struct gen *g, const char *object, const struct field *fields, unsigned n, enum tier tier)
{
    char name[48];
    for (unsigned i = 0; i < n; i++) {
        snprintf(name, sizeof name, fields[i].length ? "%s.a%u[0]" : "%s.a%u", object, i);
        known(g, name, fields[i].type, tier);
        if (!fields[i].length) continue;
        snprintf(name, sizeof name, "%s.a%u[%u]", object, i, fields[i].length - 1);
        known(g, name, fields[i].type, tier);
    }
}

/* The same of one that can be assigned to. */
static void know_members(struct gen *g, const char *object)
{
    unsigned first = g->nvars;
    know_fields(g, object, g->members, g->nmembers, ANY);
    for (unsigned i = first; i < g->nvars; i++) g->vars[i].constant = false;
}

/* First values of the fields, in braces. */
static void first_values(struct gen *g, enum tier tier)
{
    for (unsigned i = 0; i < g->nmembers; i++) {
        const struct field *f = &g->members[i];
        fputs(i ? ", " : "{", g->out);
        for (unsigned k = 0; k < (f->length ? f->length : 1); k++) {
            if (f->length) fputs(k ? ", " : "{", g->out);
            gen_expr(g, f->type, 1, tier);
        }
        if (f->length) fputc('}', g->out);
    }
    fputc('}', g->out);
}

static void helper(struct gen *g, unsigned i)
{
    const char *call = gen_chance(g, 50) ? "__attribute__((noinline)) " : "";
    fprintf(g->out, "\n%suint h%u_%u(uint x, int y)\n", call, g->index, i);
    g->nvars = 0;
    g->in_kernel = false;
    g->returns = true;
    g->result = "x + (uint)y";
    g->budget = 10;
    known(g, "x", (struct type){UINT, 1}, SCALARISH);
    known(g, "y", (struct type){INT, 1}, SCALARISH);
    fputs("{\n  uint r = x;\n", g->out);
    known(g, "r", (struct type){UINT, 1}, ANY);
    g->vars[g->nvars - 1].constant = false;
    g->indent = 1;
    gen_line(g);
    gen_block(g, (struct place){.loops = 2, .depth = 2}, 4);
    if (i > 0 && gen_chance(g, 50)) fprintf(g->out, "  if (r & 4u) r ^= h%u_%u(r, y);\n", g->index, i - 1);
    fputs("  return r * 5u + x;\n}\n", g->out);
}

/* A function that takes a struct and returns it changed, with up to MAX_PARAMS more parameters of any types. */
static void transformation(struct gen *g)
{
    char name[24];
    g->nmembers = structure(g, 't', g->members);
    g->nparams = gen_below(g, MAX_PARAMS + 1);
    fprintf(g->out, "\n%sstruct t%u g%u(struct t%u s", gen_chance(g, 60) ? "__attribute__((noinline)) " : "", g->index,
            g->index, g->index);
    g->nvars = 0;
    know_members(g, "s");
    for (unsigned i = 0; i < g->nparams; i++) {
        g->params[i] = any_type(g);
        fputs(", ", g->out);
        gen_type(g, g->params[i]);
        fprintf(g->out, " x%u", i);
        snprintf(name, sizeof name, "x%u", i);
        known(g, name, g->params[i], SCALARISH);
        g->vars[g->nvars - 1].constant = gen_chance(g, 70);
    }
    g->in_kernel = false;
    g->returns = true;
    g->result = "s";
    g->budget = 12;
    g->indent = 1;
    fputs(")\n{\n", g->out);
    gen_line(g);
    gen_block(g, (struct place){.loops = 2, .depth = 2}, 6);
    fputs("  return s;\n}\n", g->out);
}

struct shape {
    unsigned local[2], groups[2], offset;
};

static struct shape random_shape(struct gen *g)
{
    static const unsigned sizes[] = {1, 3, 7, 16, 31, 32, 33, 40, 48, 64, 70};
    struct shape s = {{sizes[gen_below(g, sizeof sizes / sizeof *sizes)], 1}, {1 + gen_below(g, 3), 1}, 0};
    if (gen_chance(g, 25)) {
        s.local[0] = 1 + gen_below(g, 12);
        s.local[1] = 1 + gen_below(g, 6);
        s.groups[1] = 1 + gen_below(g, 2);
    }
    if (gen_chance(g, 20)) s.offset = 1 + gen_below(g, 9);
    return s;
}

static void run_line(struct gen *g, const struct shape *s)
{
    unsigned items = s->local[0] * s->local[1], groups = s->groups[0] * s->groups[1];
    fprintf(g->out, "// run: k%u global=%u,%u local=%u,%u ", g->index, s->local[0] * s->groups[0],
            s->local[1] * s->groups[1], s->local[0], s->local[1]);
    if (s->offset) fprintf(g->out, "offset=%u,0 ", s->offset);
    fprintf(g->out, "args=b%u,b1024,b%u,r,%u,r,l512\n", items * groups * 32, (68 + groups * 8) * 4, gen_below(g, 40));
}

static void frame(struct gen *g, struct type vector)
{
    static const char *const head = "  uint lid = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));\n"
                                    "  uint group_size = (uint)(get_local_size(0) * get_local_size(1));\n"
                                    "  uint group = (uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0));\n"
                                    "  uint gid = group * group_size + lid;\n"
                                    "  uint gx = (uint)get_global_id(0);\n"
                                    "  global uint *o = out + gid * 8u;\n"
                                    "  local uint tile[128];\n"
                                    "  local ulong wide[8];\n"
                                    "  local uint counters[4];\n";
    fputs("{\n", g->out);
    fputs(head, g->out);
    g->nvars = 0;
    known(g, "lid", (struct type){UINT, 1}, ANY);
    known(g, "gid", (struct type){UINT, 1}, ANY);
    known(g, "gx", (struct type){UINT, 1}, ANY);
    known(g, "group", (struct type){UINT, 1}, UNIFORM);
    known(g, "group_size", (struct type){UINT, 1}, UNIFORM);
    known(g, "n", (struct type){INT, 1}, UNIFORM);
    known(g, "w", vector, UNIFORM);
    know_fields(g, "p", g->fields, g->nfields, UNIFORM);
    known(g, "in", (struct type){UINT, 1}, UNIFORM);
    g->vars[g->nvars - 1].memory = true;
}

/* Two structs and an array of them. */
static void objects(struct gen *g)
{
    fprintf(g->out, "  struct t%u q = ", g->index);
    first_values(g, ANY);
    fprintf(g->out, ", r = ");
    first_values(g, SCALARISH);
    fprintf(g->out, ", many[4] = {q, r, r, q};\n");
    know_members(g, "q");
    know_members(g, "r");
}

static void kernel(struct gen *g)
{
    struct shape shape = random_shape(g);
    struct type vector = any_type(g);
    g->nfields = structure(g, 's', g->fields);
    g->helpers = gen_below(g, 3);
    for (unsigned i = 0; i < g->helpers; i++) helper(g, i);
    g->nmembers = 0;
    if (gen_chance(g, 50)) transformation(g);
    g->mazes = gen_chance(g, 30);
    if (g->mazes) gen_large_struct(g);
    g->in_kernel = true;
    g->returns = gen_chance(g, 40);
    g->barriers = !g->returns;
    g->stores = 0;
    g->budget = 14 + (int)gen_below(g, 40);
    g->indent = 1;
    fputc('\n', g->out);
    run_line(g, &shape);
    fprintf(g->out, "kernel void k%u(global uint *out, global const uint *in, global uint *acc, struct s%u p, int n, ",
            g->index, g->index);
    gen_type(g, vector);
    fputs(" w, local uint *scratch)\n", g->out);
    frame(g, vector);
    for (unsigned i = 0; i < 5; i++) {
        struct type t = i < 2 ? (struct type){UINT, 1} : any_type(g);
        enum tier tier = i == 0 ? UNIFORM : i == 1 ? ANY : (enum tier)gen_below(g, 3);
        fputs("  ", g->out);
        gen_type(g, t);
        fprintf(g->out, " v%u = ", g->serial);
        gen_expr(g, t, 2, tier);
        fputs(";\n", g->out);
        gen_declare(g, t, tier);
    }
    unsigned locals = 5, first = g->nvars - locals;
    if (g->nmembers) objects(g);
    gen_line(g);
    gen_block(g, (struct place){.uniform = !g->returns}, 100);
    fputs("  uint h = 0;\n", g->out);
    for (unsigned i = first; i < g->nvars; i++) {
        fputs("  h = h * 31u + ", g->out);
        gen_fold(g, &g->vars[i]);
        fputs(";\n", g->out);
    }
    fputs("  o[0] += h;\n}\n", g->out);
    fprintf(g->out, "#ifdef HOST\nARGS7(k%u, global uint *, global const uint *, global uint *, struct s%u, int, ",
            g->index, g->index);
    gen_type(g, vector);
    fputs(", local uint *)\n#endif\n", g->out);
}

char *gen_source(uint64_t seed, unsigned kernels)
{
    char *text = NULL;
    size_t size = 0;
    struct gen g = {.out = open_memstream(&text, &size)};
    if (!g.out) return NULL;
    fputs(prelude, g.out);
    for (g.index = 0; g.index < kernels; g.index++) {
        g.state = (seed + g.index) * 0x9e3779b97f4a7c15u + 12345; /* kernel i of seed s is kernel 0 of s + i */
        gen_below(&g, 2);
        g.serial = 0;
        fprintf(g.out, "\n// seed %llu\n", (unsigned long long)(seed + g.index));
        kernel(&g);
    }
    fclose(g.out);
    return text;
}
