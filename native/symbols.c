/* Names of translated code. gdb has a breakpoint in a function of a known name and reads a list of object files in
 * memory whenever it is called; both names and the structures are gdb's (its manual, "JIT Compilation Interface"). An
 * object file here is one symbol in a section that has an address and no contents. */
#include "native/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"
#include "host/word.h"

/* ---- what gdb knows ---- */

enum { JIT_NOTHING, JIT_REGISTERED, JIT_UNREGISTERED };

struct jit_code_entry {
    struct jit_code_entry *next, *prev;
    const void *file;
    uint64_t size;
};

struct jit_descriptor {
    uint32_t version, action;
    struct jit_code_entry *relevant, *first;
};

/* A shared library of ours and a program may each have these: gdb finds both in the symbol tables. */
struct jit_descriptor __jit_debug_descriptor = {.version = 1};
__attribute__((noinline)) void __jit_debug_register_code(void);

void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

static void tell(struct jit_code_entry *entry, uint32_t action)
{
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
}

static void link_entry(struct jit_code_entry *entry)
{
    host_lock();
    entry->next = __jit_debug_descriptor.first;
    if (entry->next) entry->next->prev = entry;
    __jit_debug_descriptor.first = entry;
    tell(entry, JIT_REGISTERED);
    host_unlock();
}

static void unlink_entry(struct jit_code_entry *entry)
{
    host_lock();
    if (entry->next) entry->next->prev = entry->prev;
    if (entry->prev) entry->prev->next = entry->next;
    else __jit_debug_descriptor.first = entry->next;
    tell(entry, JIT_UNREGISTERED);
    host_unlock();
}

/* ---- an object file with one symbol ---- */

enum { SECTION_NONE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_STRINGS, SECTIONS, NAME_MOST = 200 };

struct native_symbol {
    struct jit_code_entry entry;
    struct object {
        Elf64_Ehdr header;
        Elf64_Shdr sections[SECTIONS];
        Elf64_Sym symbols[2];
        char strings[32 + NAME_MOST];
    } object;
};

#define STRINGS "\0.text\0.symtab\0.strtab" /* ended by a zero, behind which the symbol's name stands */

static void fill_sections(struct object *o, const void *code, size_t size)
{
    o->sections[SECTION_TEXT] = (Elf64_Shdr){.sh_name = 1,
                                             .sh_type = SHT_NOBITS,
                                             .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                             .sh_addr = (uintptr_t)code,
                                             .sh_size = size,
                                             .sh_addralign = 1};
    o->sections[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_name = 7,
                                                .sh_type = SHT_SYMTAB,
                                                .sh_offset = offsetof(struct object, symbols),
                                                .sh_size = sizeof o->symbols,
                                                .sh_link = SECTION_STRINGS,
                                                .sh_info = 1,
                                                .sh_entsize = sizeof o->symbols[0],
                                                .sh_addralign = 8};
    o->sections[SECTION_STRINGS] = (Elf64_Shdr){.sh_name = 15,
                                                .sh_type = SHT_STRTAB,
                                                .sh_offset = offsetof(struct object, strings),
                                                .sh_size = sizeof o->strings,
                                                .sh_addralign = 1};
}

static void fill_object(struct object *o, const char *name, const void *code, size_t size)
{
    o->header = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_EXEC,
                             .e_version = EV_CURRENT,
                             .e_shoff = offsetof(struct object, sections),
                             .e_ehsize = sizeof o->header,
                             .e_shentsize = sizeof o->sections[0],
                             .e_shnum = SECTIONS,
                             .e_shstrndx = SECTION_STRINGS};
#ifdef __x86_64__
    o->header.e_machine = EM_X86_64;
#else
    o->header.e_machine = EM_AARCH64;
#endif
    fill_sections(o, code, size);
    memcpy(o->strings, STRINGS, sizeof STRINGS);
    snprintf(o->strings + sizeof STRINGS, sizeof o->strings - sizeof STRINGS, "%s", name);
    o->symbols[1] = (Elf64_Sym){.st_name = sizeof STRINGS,
                                .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                .st_shndx = SECTION_TEXT,
                                .st_value = (uintptr_t)code,
                                .st_size = size};
}

/* ---- perf ---- */

static bool is_for_perf(void)
{
    static struct host_word perf = {"VENTUS_PERF", {"0", "1"}, false};
    return host_word(&perf) == 1;
}

/* A file with one name, which is the user's, and which nobody else may write. */
static bool is_own(int file)
{
    struct stat s;
    return fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && s.st_nlink == 1 &&
           !(s.st_mode & (S_IWGRP | S_IWOTH));
}

/* Others may write to /tmp, too: what is not the user's own file, or is a link or a pipe, is left alone. */
static void write_line(const char *name, const void *code, size_t size)
{
    char path[64], line[64 + NAME_MOST];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    int length = snprintf(line, sizeof line, "%lx %zx %.*s\n", (unsigned long)(uintptr_t)code, size, NAME_MOST, name);
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (is_own(file) && write(file, line, (size_t)length) != length) host_say(path, "cannot be written");
    close(file);
}

/* ---- */

struct native_symbol *symbol_add(const char *name, const void *code, size_t size)
{
    struct native_symbol *symbol = calloc(1, sizeof *symbol);
    if (!symbol) return NULL;
    fill_object(&symbol->object, name, code, size);
    symbol->entry.file = &symbol->object;
    symbol->entry.size = sizeof symbol->object;
    link_entry(&symbol->entry);
    if (is_for_perf()) write_line(name, code, size);
    return symbol;
}

void symbol_remove(struct native_symbol *symbol)
{
    if (!symbol) return;
    unlink_entry(&symbol->entry);
    free(symbol);
}
