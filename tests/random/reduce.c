/* Makes a failing case smaller: drops lines and blocks, then replaces parenthesised expressions by
 * constants or by their own parts, as long as the case still fails in the same way. Each trial runs
 * in a child with a time limit, for a trial may loop or crash. The best so far is always in
 * FILE.reduced. Called by random_test --reduce. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cc/case.h"
#include "reduce.h"

enum verdict { PASSES, NO_CASE, NO_BUILD, WRONG, FAULTS, HANGS }; /* exit code of a trial */

static enum verdict judge(const char *text)
{
    char message[4096] = "";
    struct case_program program;
    struct case_options options = {
        .seconds = 3,
        .cc_options = "-w",
        .seed = getenv("VENTUS_RANDOM_SEED") ? strtoull(getenv("VENTUS_RANDOM_SEED"), NULL, 0) : 0};
    ventus_device *device;
    if (ventus_open(0, &device) != VENTUS_OK) return NO_CASE;
    enum verdict verdict = PASSES;
    if (!case_open(&program, text, &options, message, sizeof message))
        return strncmp(message, "ventus-cc", 9) == 0 ? NO_BUILD : NO_CASE;
    for (unsigned i = 0; i < program.nruns && verdict == PASSES; i++)
        if (!case_run(&program, i, device, &options, message, sizeof message))
            verdict = strstr(message, "expected 0x") ? WRONG : strstr(message, "still running") ? HANGS : FAULTS;
    fprintf(stderr, "%s\n", message);
    return verdict;
}

static enum verdict try(const char *text)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        enum verdict verdict = judge(text);
        _exit(verdict);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status)) return NO_CASE;
    return (enum verdict)WEXITSTATUS(status);
}

/* `text` without [from, to), `insert` in its place; malloc'ed. */
static char *replaced(const char *text, size_t from, size_t to, const char *insert)
{
    size_t n = strlen(text);
    char *out = malloc(n + strlen(insert) + 1);
    if (!out) exit(1);
    memcpy(out, text, from);
    strcpy(out + from, insert);
    strcat(out, text + to);
    return out;
}

static const char *result_path;

static void keep(const char *text)
{
    FILE *f = fopen(result_path, "w");
    if (f) fputs(text, f), fclose(f);
}

/* The frame of a generated kernel gives each work-item words of its own: without it, lost updates
 * would look like compiler errors. */
static bool has_frame(const char *text)
{
    static const char *const lines[] = {
        "uint lid = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));",
        "uint group_size = (uint)(get_local_size(0) * get_local_size(1));",
        "uint group = (uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0));",
        "uint gid = group * group_size + lid;",
        "global uint *o = out + gid * 8u;",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i])) return false;
    return true;
}

static bool framed; /* the case has a frame, and keeps it */

static bool attempt(char **text, size_t from, size_t to, const char *insert, enum verdict wanted)
{
    char *candidate = replaced(*text, from, to, insert);
    if ((!framed || has_frame(candidate)) && try(candidate) == wanted) {
        free(*text);
        *text = candidate;
        keep(candidate);
        return true;
    }
    free(candidate);
    return false;
}

static size_t line_end(const char *text, size_t at)
{
    return at + strcspn(text + at, "\n") + (text[at + strcspn(text + at, "\n")] == '\n');
}

/* End of the block whose opening brace ends the line at `at`, or of the line. */
static size_t block_end(const char *text, size_t at)
{
    size_t end = line_end(text, at);
    int depth = 0;
    if (end < 2 + at || text[end - 2] != '{') return end;
    for (size_t i = at; text[i]; i++)
        if (text[i] == '{') depth++;
        else if (text[i] == '}' && --depth == 0) return line_end(text, i);
    return end;
}

/* Drops runs of lines, long ones first. */
static bool reduce_runs(char **text, enum verdict wanted)
{
    bool smaller = false;
    for (unsigned run = 32; run > 1; run /= 2)
        for (size_t at = 0; (*text)[at];) {
            size_t end = at;
            for (unsigned i = 0; i < run; i++) end = line_end(*text, end);
            if (attempt(text, at, end, "", wanted)) smaller = true;
            else at = end;
        }
    return smaller;
}

static bool reduce_lines(char **text, enum verdict wanted)
{
    bool smaller = false;
    for (size_t at = 0; (*text)[at];) {
        size_t line = line_end(*text, at), block = block_end(*text, at), last = block;
        if (attempt(text, at, block, "", wanted)) {
            smaller = true;
            continue;
        }
        while (last > line && (*text)[last - 2] != '\n') last--; /* start of the block's last line */
        if (block > line && last > line) {                       /* keep the inside */
            char *opened = replaced(*text, last - 1, block, "");
            if (attempt(&opened, at, line, "", wanted)) {
                free(*text);
                *text = opened;
                smaller = true;
                continue;
            }
            free(opened);
        }
        at = line;
    }
    return smaller;
}

static bool reduce_expressions(char **text, enum verdict wanted)
{
    static const char *const simple[] = {"", "(1)", "(0)"};
    bool smaller = false;
    for (size_t at = 0; (*text)[at]; at++) {
        if ((*text)[at] != '(') continue;
        size_t end = at;
        int depth = 0;
        do depth += (*text)[end] == '(' ? 1 : (*text)[end] == ')' ? -1 : 0;
        while ((*text)[end++] && depth);
        if (depth || end - at < 4) continue;
        for (int i = 0; i < 3; i++)
            if (attempt(text, at, end, simple[i], wanted)) {
                smaller = true;
                break;
            }
        if ((*text)[at + 1] == '(') { /* its first part alone */
            size_t inner = at + 1;
            depth = 0;
            do depth += (*text)[inner] == '(' ? 1 : (*text)[inner] == ')' ? -1 : 0;
            while ((*text)[inner++] && depth);
            char *part = strndup(*text + at + 1, inner - at - 1);
            if (part && attempt(text, at, end, part, wanted)) smaller = true, at--;
            free(part);
        }
    }
    return smaller;
}

int reduce_file(const char *path)
{
    size_t size;
    char name[4096], message[1024];
    char *text = read_file(path, &size);
    snprintf(name, sizeof name, "%s.reduced", path);
    result_path = name;
    if (!text) {
        fprintf(stderr, "random_test: cannot read %s\n", path);
        return 2;
    }
    if (!build_begin(message, sizeof message)) {
        fprintf(stderr, "random_test: %s\n", message);
        free(text);
        return 1;
    }
    enum verdict wanted = try(text);
    if (wanted == PASSES || wanted == NO_CASE) {
        fprintf(stderr, "random_test: %s %s\n", path, wanted == PASSES ? "does not fail" : "is no case");
        free(text);
        build_end();
        return 1;
    }
    framed = has_frame(text);
    while (reduce_runs(&text, wanted)) {
    }
    while (reduce_lines(&text, wanted)) {
    }
    while (reduce_expressions(&text, wanted) || reduce_lines(&text, wanted)) {
    }
    printf("%s", text);
    keep(text);
    free(text);
    build_end();
    return 0;
}
