/* ventus trace: prints a compact trace. Columns, separated by tabs: work-group, warp, address, SIMT mask, instruction,
 * effects. */
#include <stdlib.h>

#include "steps.h"
#include "tool.h"

/* ---- effects ---- */

static void print_lanes(const uint32_t *v, uint32_t lanes)
{
    unsigned top = lanes ? 31u - (unsigned)__builtin_clz(lanes) : 0;
    for (unsigned lane = 0; lane <= top; lane++) {
        if (lanes >> lane & 1) printf(" %x", v[lane]);
        else fputs(" -", stdout);
    }
}

/* The lanes of an access, which begins at *at. */
static void print_access(const struct step *s, size_t *at)
{
    const struct step_touch *t = &s->touches[*at];
    uint32_t lanes = 0, addr[ISA_LANES], high[ISA_LANES], data[ISA_LANES];
    for (; *at < s->ntouches && s->touches[*at].number == t->number; ++*at) {
        const struct step_touch *each = &s->touches[*at];
        lanes |= 1u << each->lane;
        addr[each->lane] = (uint32_t)each->addr;
        high[each->lane] = (uint32_t)(each->addr >> 32);
        data[each->lane] = each->value;
    }
    printf("%s %u at", t->atomic ? "atomic" : t->write ? "store" : "load", 8u * t->size);
    print_lanes(addr, lanes);
    if (t->wide) {
        fputs(" high", stdout);
        print_lanes(high, lanes);
    }
    if (!t->write) return;
    fputs(" =", stdout);
    print_lanes(data, lanes);
}

static void print_effects(const struct step *s)
{
    const char *separator = "";
    for (size_t i = 0; i < s->nwrites; i++, separator = "; ") {
        const struct step_write *w = &s->writes[i];
        if (!w->vector) {
            printf("%s%s = %x", separator, isa_xreg_name(w->reg), w->value[0]);
            continue;
        }
        printf("%sv%u =", separator, w->reg);
        print_lanes(w->value, w->lanes);
    }
    for (size_t at = 0; at < s->ntouches; separator = "; ") {
        fputs(separator, stdout);
        print_access(s, &at);
    }
}

/* ---- lines ---- */

static void print_step(const struct trace_source *source, const struct step *s)
{
    char text[200];
    step_text(s, source->profile, text, sizeof text);
    printf("%u\t%u\t%08x\t%08x\t%s\t", (unsigned)(s->group - source->launch.first), s->warp, s->pc, s->mask, text);
    print_effects(s);
    putchar('\n');
}

static void print_launch(const struct trace_launch *l)
{
    printf("# launch: %ux%ux%u work-groups, %u warps of %u threads, ", l->groups[0], l->groups[1], l->groups[2],
           l->warps, l->threads);
    printf("start 0x%08x, metadata 0x%08x\n", l->start, l->metadata);
}

static const struct flag flags[] = {{0}};

int cmd_trace(int argc, char **argv)
{
    // clang-format off
    struct args args = {.command = "trace", .usage = "FILE", .flags = flags, .argc = argc, .argv = argv, .at = 1,
        .about = "Prints a trace written by `ventus run --trace-binary`, one line an instruction: work-group, warp,\n"
                 "address, SIMT mask, instruction, and what it wrote or accessed, lane by lane, - for lanes that\n"
                 "took no part."};
    // clang-format on
    const char *path = NULL;
    uint64_t instructions = 0;
    struct step step;
    while (args_next(&args) != ARG_END) {
        if (path) usage_error(&args, "one file at a time, '%s' is the second", args.value);
        path = args.value;
    }
    if (!path) usage_error(&args, "a file is needed");
    FILE *in = open_input(path);
    struct trace_source *source = compact_steps(in, path);
    for (enum traced what; (what = source->next(source, &step)) != TRACE_END;) {
        if (what == TRACE_LAUNCH) {
            print_launch(&source->launch);
            continue;
        }
        print_step(source, &step);
        step_free(&step);
        instructions++;
    }
    printf("# %llu instructions\n", (unsigned long long)instructions);
    source->close(source);
    if (in != stdin) fclose(in);
    return EXIT_OK;
}
