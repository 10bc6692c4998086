/* .debug_line: which line of the source each instruction was made of, as a program for the machine of the standard
 * (6.2): its registers address, file, line and column, and opcodes that change them and add a row to the table. */
#include "compiler/dwarf/dwarf.h"

#include <string.h>

enum { LINE_BASE = -5, LINE_RANGE = 14, OPCODE_BASE = 13, UNIT = 4 /* bytes of an instruction word */ };
enum {
    DW_LNS_copy = 1,
    DW_LNS_advance_pc,
    DW_LNS_advance_line,
    DW_LNS_set_file,
    DW_LNS_set_column,
    DW_LNS_set_prologue_end = 10,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNCT_path = 1,
    DW_LNCT_directory_index = 2,
};

uint32_t line_file(struct cc *cc, struct line_files *files, const char *folder, const char *name)
{
    for (uint32_t i = 0; i < files->n; i++)
        if (!strcmp(files->list[i].folder, folder) && !strcmp(files->list[i].name, name)) return i;
    files->list = cc_grow(cc, files->list, files->n, &files->room, sizeof *files->list);
    files->list[files->n] = (struct line_file){folder, name};
    return files->n++;
}

/* To a new line and address, with a row there: in one byte where both are near. */
static void advance(struct cc *cc, struct bytes *p, int64_t lines, uint32_t words)
{
    if (lines < LINE_BASE || lines >= LINE_BASE + LINE_RANGE) {
        put_u8(cc, p, DW_LNS_advance_line);
        put_sleb(cc, p, lines);
        lines = 0;
    }
    uint64_t special = (uint64_t)(lines - LINE_BASE) + (uint64_t)LINE_RANGE * words + OPCODE_BASE;
    if (special > 255) {
        put_u8(cc, p, DW_LNS_advance_pc);
        put_uleb(cc, p, words);
        special = (uint64_t)(lines - LINE_BASE) + OPCODE_BASE;
    }
    put_u8(cc, p, (uint32_t)special);
}

static void set_address(struct cc *cc, struct bytes *p, uint32_t address)
{
    put_u8(cc, p, 0); /* an extended opcode, */
    put_uleb(cc, p, 5);
    put_u8(cc, p, DW_LNE_set_address);
    put_u32(cc, p, address);
}

void line_sequence(struct cc *cc, struct bytes *p, const struct line_row *rows, uint32_t n, uint32_t end)
{
    if (!n) return;
    struct line_row now = {.address = rows[0].address, .file = 1, .line = 1}; /* what the machine begins with */
    set_address(cc, p, now.address);
    for (uint32_t i = 0; i < n; i++) {
        const struct line_row *r = &rows[i];
        if (r->file != now.file) {
            put_u8(cc, p, DW_LNS_set_file);
            put_uleb(cc, p, r->file);
        }
        if (r->column != now.column) {
            put_u8(cc, p, DW_LNS_set_column);
            put_uleb(cc, p, r->column);
        }
        if (r->prologue_end) put_u8(cc, p, DW_LNS_set_prologue_end);
        advance(cc, p, (int64_t)r->line - now.line, (r->address - now.address) / UNIT);
        now = *r;
    }
    put_u8(cc, p, DW_LNS_advance_pc);
    put_uleb(cc, p, (end - now.address) / UNIT);
    put_u8(cc, p, 0);
    put_uleb(cc, p, 1);
    put_u8(cc, p, DW_LNE_end_sequence);
}

/* How many operands the standard's opcodes have, for readers that do not know all of them. */
static const uint8_t operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

/* The folders of all files, each once, that of the unit first. */
static uint32_t list_folders(struct cc *cc, const struct line_files *files, const char **folders, uint32_t *folder_of)
{
    uint32_t n = 0;
    (void)cc;
    for (uint32_t i = 0; i < files->n; i++) {
        uint32_t k = 0;
        while (k < n && strcmp(folders[k], files->list[i].folder)) k++;
        if (k == n) folders[n++] = files->list[i].folder;
        folder_of[i] = k;
    }
    return n;
}

static void write_tables(struct cc *cc, struct bytes *b, const struct line_files *files)
{
    const char **folders = cc_alloc(cc, (files->n + 1) * sizeof *folders);
    uint32_t *folder_of = cc_alloc(cc, (files->n + 1) * sizeof *folder_of);
    uint32_t n = list_folders(cc, files, folders, folder_of);
    put_u8(cc, b, 1); /* a folder is one thing: a path */
    put_uleb(cc, b, DW_LNCT_path);
    put_uleb(cc, b, DW_FORM_string);
    put_uleb(cc, b, n);
    for (uint32_t i = 0; i < n; i++) put_text(cc, b, folders[i]);
    put_u8(cc, b, 2); /* a file is two: a path, and the number of a folder */
    put_uleb(cc, b, DW_LNCT_path);
    put_uleb(cc, b, DW_FORM_string);
    put_uleb(cc, b, DW_LNCT_directory_index);
    put_uleb(cc, b, DW_FORM_udata);
    put_uleb(cc, b, files->n);
    for (uint32_t i = 0; i < files->n; i++) {
        put_text(cc, b, files->list[i].name);
        put_uleb(cc, b, folder_of[i]);
    }
}

void line_write(struct cc *cc, struct bytes *section, const struct line_files *files, const struct bytes *program)
{
    uint32_t unit = unit_begin(cc, section);
    put_u16(cc, section, 5); /* version */
    put_u8(cc, section, 4);  /* size of an address */
    put_u8(cc, section, 0);  /* of a segment selector */
    uint32_t header = unit_begin(cc, section);
    put_u8(cc, section, UNIT);
    put_u8(cc, section, 1); /* operations of an instruction */
    put_u8(cc, section, 1); /* a debugger may stop at all rows */
    put_u8(cc, section, (uint8_t)LINE_BASE);
    put_u8(cc, section, LINE_RANGE);
    put_u8(cc, section, OPCODE_BASE);
    put_bytes(cc, section, operands, sizeof operands);
    write_tables(cc, section, files);
    unit_end(section, header);
    put_bytes(cc, section, program->data, program->n);
    unit_end(section, unit);
}
