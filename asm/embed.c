/* Build-time program: assembles one source file into a C array, so that the compiler can carry the
 * start code. Usage: embed SOURCE OUTPUT NAME. Called by asm/meson.build alone. */
#include <stdlib.h>
#include <string.h>

#include "asm/assemble.h"
#include "isa/abi.h"

static char *read_source(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = malloc(1 << 20);
    *size = in && text ? fread(text, 1, 1 << 20, in) : 0;
    if (in) fclose(in);
    if (*size) return text;
    fprintf(stderr, "embed: cannot read %s\n", path);
    exit(1);
}

int main(int argc, char **argv)
{
    struct elf_image image;
    size_t size;
    if (argc != 4) return 1;
    char *text = read_source(argv[1], &size);
    if (!asm_assemble(argv[1], text, size, ABI_CODE_BASE, &image, stderr)) return 1;
    FILE *out = fopen(argv[2], "w");
    if (!out) return 1;
    fprintf(out, "/* Made from %s. */\n#include <stdint.h>\n\nstatic const uint32_t %s[] = {\n",
            strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1], argv[3]);
    for (size_t i = 0; i < image.text_words; i++) fprintf(out, "    0x%08x,\n", image.text[i]);
    fputs("};\n", out);
    elf_free(&image);
    free(text);
    return fclose(out) ? 1 : 0;
}
