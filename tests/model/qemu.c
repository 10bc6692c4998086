/* Runs the other side: an ELF file in memory, a child process, its standard output. */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const cpus[] = {
    [CPU_ZFINX] = "rv32,f=false,d=false,zfinx=true,zdinx=false",
    [CPU_VECTOR] = "rv32,v=true,vlen=1024,elen=64,vext_spec=v1.0", /* 32 words are one vector register, as a warp's */
};

bool qemu_found(void) { return system("command -v qemu-riscv32 >/dev/null 2>&1") == 0; }

/* Two segments: the code, and behind the operands room for the output. */
static bool write_elf(FILE *f, const struct program *p, const struct input *input)
{
    const uint32_t page = 4096, code_bytes = (uint32_t)p->n[1] * 4;
    const uint32_t data_at = (page + code_bytes + page - 1) / page * page;
    // clang-format off
    const Elf32_Ehdr ehdr = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC, .e_machine = EM_RISCV, .e_version = EV_CURRENT, .e_entry = (uint32_t)MODEL_CODE,
        .e_phoff = sizeof ehdr, .e_ehsize = sizeof ehdr, .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 2,
    };
    const Elf32_Phdr phdrs[2] = {
        {.p_type = PT_LOAD, .p_offset = page, .p_vaddr = (uint32_t)MODEL_CODE, .p_filesz = code_bytes, .p_memsz = code_bytes,
         .p_flags = PF_R | PF_X, .p_align = page},
        {.p_type = PT_LOAD, .p_offset = data_at, .p_vaddr = (uint32_t)MODEL_INPUT, .p_filesz = sizeof *input,
         .p_memsz = (uint32_t)MODEL_OUTPUT - (uint32_t)MODEL_INPUT + p->out_bytes, .p_flags = PF_R | PF_W, .p_align = page},
    };
    // clang-format on
    return fwrite(&ehdr, sizeof ehdr, 1, f) == 1 && fwrite(phdrs, sizeof phdrs, 1, f) == 1 &&
           fseek(f, page, SEEK_SET) == 0 && fwrite(p->code[1], 4, p->n[1], f) == p->n[1] &&
           fseek(f, data_at, SEEK_SET) == 0 && fwrite(input, sizeof *input, 1, f) == 1 && fflush(f) == 0;
}

static void run_child(int elf, int out, enum cpu cpu)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", elf);
    if (dup2(out, STDOUT_FILENO) >= 0) execlp("qemu-riscv32", "qemu-riscv32", "-cpu", cpus[cpu], path, (char *)NULL);
    _exit(127);
}

static size_t read_all(int fd, uint8_t *buf, size_t size)
{
    size_t have = 0;
    for (;;) {
        uint8_t beyond;
        ssize_t k = have < size ? read(fd, buf + have, size - have) : read(fd, &beyond, 1);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return have;
        have += (size_t)k;
    }
}

/* What became of the child; a signal in the guest ends QEMU by that signal. */
static bool ended_well(pid_t child, char why[200])
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return snprintf(why, 200, "waitpid: %s", strerror(errno)), false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (WIFSIGNALED(status))
        snprintf(why, 200, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else snprintf(why, 200, "exit code %d", WEXITSTATUS(status));
    return false;
}

bool qemu_run(const struct program *p, enum cpu cpu, const struct input *input, uint8_t **out, size_t *size,
              char why[200])
{
    int pipes[2];
    int elf = memfd_create("model", 0); /* the child opens it by its number */
    FILE *f = elf < 0 ? NULL : fdopen(elf, "w");
    *size = 0;
    *out = calloc(1, p->out_bytes + 1);
    if (!f || !*out || !write_elf(f, p, input) || pipe(pipes) < 0) {
        snprintf(why, 200, "%s", strerror(errno));
        if (f) fclose(f);
        return false;
    }
    pid_t child = fork();
    if (child == 0) run_child(elf, pipes[1], cpu);
    close(pipes[1]);
    if (child > 0) *size = read_all(pipes[0], *out, p->out_bytes);
    close(pipes[0]);
    fclose(f);
    if (child < 0) return snprintf(why, 200, "fork: %s", strerror(errno)), false;
    if (!ended_well(child, why)) return false;
    if (*size == p->out_bytes) return true;
    snprintf(why, 200, "wrote %zu bytes instead of %u", *size, p->out_bytes);
    return false;
}
