/* Documents that debuggers ask for: which registers there are, which threads, which program. */
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"

/* ---- text that others read ---- */

static void add_xml(struct text *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '<') text_add(t, "&lt;");
        else if (*s == '&') text_add(t, "&amp;");
        else if (*s == '"') text_add(t, "&quot;");
        else if ((unsigned char)*s < ' ') text_add(t, "?");
        else text_bytes(t, s, 1);
    }
}

static void add_json(struct text *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') text_add(t, "\\%c", *s);
        else if (*s == '\n') text_add(t, "\\n");
        else if ((unsigned char)*s < ' ') text_add(t, "?");
        else text_bytes(t, s, 1);
    }
}

/* ---- registers ---- */

static void add_register(struct text *t, uint32_t n, const char *type, const char *group, uint32_t dwarf)
{
    char name[16];
    static const char *const generic[] = {[1] = "ra", [2] = "sp", [8] = "fp", [REG_PC] = "pc"};
    text_add(t, "<reg name=\"%s\" bitsize=\"32\" type=\"%s\" regnum=\"%u\" group=\"%s\" group_id=\"%d\"",
             register_name(n, name), type, n, group, group[0] == 'v' ? 2 : 1);
    if (dwarf != UINT32_MAX) text_add(t, " dwarf_regnum=\"%u\" gcc_regnum=\"%u\"", dwarf, dwarf);
    if (n <= REG_PC && generic[n]) text_add(t, " generic=\"%s\"", generic[n]);
    text_add(t, "/>");
}

static void add_range(struct text *t, uint32_t from, uint32_t end, const char *group, uint32_t (*dwarf)(uint32_t n),
                      uint32_t first)
{
    for (uint32_t n = from; n < end; n++)
        add_register(t, n, "int", group, dwarf ? dwarf(first + n - from) : UINT32_MAX);
}

/* gdb wants features of its own names for x0 to x31, pc, and v0 to v31. */
void document_features(struct text *t)
{
    text_add(t, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
                "<architecture>riscv:rv32</architecture><osabi>none</osabi><feature name=\"org.gnu.gdb.riscv.cpu\">");
    add_range(t, 0, REG_PC, "general", abi_dwarf_x, 0);
    add_register(t, REG_PC, "code_ptr", "general", UINT32_MAX);
    text_add(t, "</feature><feature name=\"org.gnu.gdb.riscv.vector\">");
    add_range(t, REG_V, REG_V + 32, "vector", abi_dwarf_v, 0);
    text_add(t, "</feature><feature name=\"org.ventus.vector\">");
    add_range(t, REG_V + 32, REG_X32, "vector", abi_dwarf_v, 32);
    text_add(t, "</feature><feature name=\"org.ventus.scalar\">");
    add_range(t, REG_X32, REG_CSR, "general", abi_dwarf_x, 32);
    text_add(t, "</feature><feature name=\"org.ventus.control\">");
    add_range(t, REG_CSR, register_count(), "system", NULL, 0);
    text_add(t, "</feature></target>");
}

/* ---- threads ---- */

struct writer {
    struct text *t;
    const struct debugger *d;
    bool some;
};

static bool add_thread(void *user, struct item item)
{
    struct writer *w = user;
    struct text name = {0}, state = {0};
    item_name(&name, item);
    item_describe(&state, w->d, item);
    text_add(w->t, "<thread id=\"%llx\" core=\"%u\" name=\"%s\">",
             (unsigned long long)(w->d->nonstop ? TID_DEVICE : item_tid(item)),
             item.warp ? group_sm(item.warp->group) : 0, name.data ? name.data : "");
    add_xml(w->t, state.data ? state.data : "");
    text_add(w->t, "</thread>");
    text_free(&name);
    text_free(&state);
    return w->some = true;
}

void document_threads(struct text *t, const struct debugger *d)
{
    struct writer w = {t, d, false};
    text_add(t, "<?xml version=\"1.0\"?><threads>");
    if (d->past) text_add(t, "<thread id=\"%llx\" name=\"ended\"/>", (unsigned long long)d->past), w.some = true;
    if (!d->nonstop) items_each(d, add_thread, &w);
    else if (d->stopped) add_thread(&w, item_of(d, d->general));
    if (!w.some) add_thread(&w, (struct item){0});
    text_add(t, "</threads>");
}

/* lldb's form of the same, with the pc of each so that it need not ask. */
static bool add_json_thread(void *user, struct item item)
{
    struct writer *w = user;
    struct text name = {0};
    uint32_t pc = item_pc(item);
    const struct event *e = &w->d->last;
    item_name(&name, item);
    bool same = item_tid(item) == e->thread;
    bool hits = e->kind == EVENT_BREAK && item_is_active(item) && stops_at(&w->d->points, pc);
    text_add(w->t, "%s{\"tid\":%llu,\"name\":\"%s\",\"reason\":\"%s\"", w->some ? "," : "",
             (unsigned long long)item_tid(item), name.data ? name.data : "",
             hits                         ? "breakpoint"
             : !same                      ? "none"
             : e->kind == EVENT_STEP      ? "trace"
             : e->kind == EVENT_WATCH     ? "watchpoint"
             : event_has_message(w->d, e) ? "exception"
                                          : "signal");
    if (same && e->kind == EVENT_WATCH) text_add(w->t, ",\"description\":\"%llu 0\"", (unsigned long long)e->addr);
    else if (same && event_has_message(w->d, e)) {
        text_add(w->t, ",\"description\":\"");
        add_json(w->t, w->d->message);
        text_add(w->t, "\"");
    }
    if (same || hits) text_add(w->t, ",\"signal\":%d", e->signal);
    text_add(w->t, ",\"registers\":{\"%d\":\"", REG_PC);
    text_hex(w->t, &pc, 4);
    text_add(w->t, "\"}}");
    text_free(&name);
    return w->some = true;
}

void document_json(struct text *t, const struct debugger *d)
{
    struct writer w = {t, d, false};
    text_add(t, "[");
    items_each(d, add_json_thread, &w);
    if (!w.some) add_json_thread(&w, (struct item){0});
    text_add(t, "]");
}

/* ---- the program ---- */

void document_libraries(struct text *t, const struct debugger *d)
{
    text_add(t, "<?xml version=\"1.0\"?><library-list version=\"1.0\">");
    if (*d->program.path) {
        text_add(t, "<library name=\"");
        add_xml(t, d->program.path);
        text_add(t, "\"><segment address=\"0x%x\"/></library>", ABI_CODE_BASE);
    }
    text_add(t, "</library-list>");
}
