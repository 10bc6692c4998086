/* Build-time program: a source of the start code as a C array, as words for the compiler or as text for the tools that
 * assemble it with a program. Usage: embed words NAME SOURCE OUTPUT [SYMBOL...], where the source finds the symbols
 * defined, or embed text NAME SOURCE OUTPUT. Called by meson.build here and in compiler/. */
#include <stdlib.h>
#include <string.h>

#include "asm/assemble.h"
#include "isa/abi.h"

enum { ROOM = 1 << 20 };

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "embed: %s %s\n", what, name);
    exit(1);
}

/* Reads a file behind the `length` bytes at `text`, of ROOM. */
static void read_source(const char *path, char *text, size_t length)
{
    FILE *in = fopen(path, "rb");
    size_t size = in ? fread(text + length, 1, ROOM - length - 1, in) : 0;
    if (!size || ferror(in) || !feof(in)) fail("cannot read", path);
    text[length + size] = 0;
    fclose(in);
}

static void write_words(FILE *out, const char *name, const char *source, const char *text)
{
    struct elf_image image;
    if (!asm_assemble(source, text, strlen(text), ABI_CODE_BASE, &image, stderr)) exit(1);
    fprintf(out, "#include <stdint.h>\n\nstatic const uint32_t %s[] = {\n", name);
    for (size_t i = 0; i < image.text_words; i++) fprintf(out, "    0x%08x,\n", image.text[i]);
    fputs("};\n", out);
    elf_free(&image);
}

static void write_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "static const char %s[] = \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '?') fputc('\\', out); /* two '?' begin a trigraph */
        if (*text == '\n') fputs("\\n\"\n    \"", out);
        else fputc(*text, out);
    }
    fputs("\";\n", out);
}

int main(int argc, char **argv)
{
    static char text[ROOM];
    size_t length = 0;
    if (argc < 5) fail("usage:", "embed words|text NAME SOURCE OUTPUT [SYMBOL...]");
    for (int i = 5; i < argc; i++) length += (size_t)snprintf(text + length, ROOM - length, ".set %s, 1\n", argv[i]);
    read_source(argv[3], text, length);
    FILE *out = fopen(argv[4], "w");
    if (!out) fail("cannot write", argv[4]);
    fprintf(out, "/* Made from %s. */\n", strrchr(argv[3], '/') ? strrchr(argv[3], '/') + 1 : argv[3]);
    if (!strcmp(argv[1], "words")) write_words(out, argv[2], argv[3], text);
    else write_text(out, argv[2], text);
    return fclose(out) ? 1 : 0;
}
