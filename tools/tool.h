/* What the subcommands of `ventus` share: options, files, messages. */
#ifndef VENTUS_TOOL_H
#define VENTUS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* ---- subcommands, one file each; `argv[0]` is the subcommand's name ---- */
int cmd_as(int argc, char **argv);
int cmd_backend(int argc, char **argv);
int cmd_coverage(int argc, char **argv);
int cmd_random(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_debug(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_isa(int argc, char **argv);
int cmd_ld(int argc, char **argv);
int cmd_objdump(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_roofline(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_trace(int argc, char **argv);

/* ---- options ---- */

/* An option; the table of a command ends with a row without name. */
struct flag {
    const char *name;  /* without dashes */
    char letter;       /* short form, 0: none */
    const char *value; /* what the value is called, NULL: the option takes none; "[=X]": it may
                        * be left out, then args->value is NULL */
    const char *help;
};

struct args {
    const char *command;       /* "as" */
    const char *usage, *about; /* for --help: behind "ventus as", and what it does */
    const struct flag *flags;
    int argc, at;
    char **argv;
    const char *value; /* of the last option, or the plain argument */
    bool plain;        /* "--" has been seen */
};

enum { ARG_END = -1, ARG_PLAIN = -2 };

/* Index of the next option in the table, ARG_PLAIN or ARG_END. Answers --help itself; anything
 * unknown ends the program with a hint and EXIT_USAGE. */
int args_next(struct args *args);

/* Ends the program with EXIT_USAGE: "ventus as: ...", and how to get help. */
_Noreturn void usage_error(const struct args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the program with EXIT_FAILED, or what fail_with has said: "ventus: ...". */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code of what fails, for a command that has another one. */
void fail_with(int code);
int fail_code(void);

/* The word of a list (ended by NULL) nearest to `word`, or NULL if none is near. */
const char *nearest_word(const char *word, const char *const *list);

/* A whole number of the command line, decimal or 0x..., in min..max; else a usage error naming `what`. */
uint64_t number_arg(const struct args *args, const char *what, const char *text, uint64_t min, uint64_t max);

/* "X[,Y[,Z]]" into three numbers; missing ones keep their value. Returns how many there are. */
unsigned triple_arg(const struct args *args, const char *what, const char *text, uint64_t min, uint32_t out[3]);

/* The address that is the value of the last option, --base: a multiple of 4; else a usage error. */
uint32_t base_arg(const struct args *args);

/* The profile called `text` (an enum isa_profile); else a usage error. */
unsigned profile_arg(const struct args *args, const char *text);

/* The name of the result when -o does not say one: `input` with its suffix replaced, malloc'ed; a usage error when that
 * is the input itself. */
char *default_output(const struct args *args, const char *input, const char *suffix);

struct gpu_config;

/* Reads machine parameters from a file over those in *config; dies with a message when that fails. */
void config_file(struct gpu_config *config, const char *path);

/* The same of the machine that the environment says (VENTUS_CONFIG, VENTUS_TIMING). Does it name a file? */
bool config_environment(struct gpu_config *config);

/* ---- files; failures end the program ---- */
FILE *open_input(const char *path);              /* "-": standard input */
void *read_file(const char *path, size_t *size); /* "-": standard input; zero-terminated, malloc'ed */
void *read_stream(FILE *in, const char *path,
                  size_t *size);                /* the same of a file that is open; `path` is for messages */
FILE *open_output(const char *path);            /* "-": standard output */
void close_output(FILE *out, const char *path); /* all of it has been written, or nothing stays */
void write_file(const char *path, const void *bytes, size_t size);
void *allocate(size_t size); /* zeroed */

/* Words of a text with one hexadecimal word a line (changed on the way); blank lines, and what follows //
 * or #, are skipped. `words` has room for half as many as the text has bytes, and one more. Returns how many
 * there are; dies at a line that is none, naming `path`. */
size_t parse_words(char *text, const char *path, uint32_t *words);

struct elf_image;

/* Writes an image as an ELF executable to `path`; dies with a message when that fails. */
void write_elf(const char *path, const struct elf_image *image);

#endif
