/* Program files as bytes of the code window (image.h).
 *
 * A text of words is what the public tool chain makes for hardware: words of up to eight hex digits, between
 * white space; "@N" sets the word number, // begins a comment. Called by vt.c. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/image.h"
#include "isa/abi.h"

enum { WINDOW = ABI_CODE_LIMIT - ABI_CODE_BASE, MOST_SEGMENTS = 64 };

static bool fail(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool is_elf(const void *content, size_t size) { return size >= 4 && !memcmp(content, "\177ELF", 4); }

/* ---- ELF ---- */

/* Extends the image by a segment; false when that is not in the window. */
static bool cover(const struct elf_segment *s, struct image *image)
{
    if (s->addr < ABI_CODE_BASE || s->addr >= ABI_CODE_LIMIT) return false;
    uint32_t offset = s->addr - ABI_CODE_BASE;
    if (s->memsize > WINDOW - offset || s->filesize > s->memsize) return false;
    if (offset + s->filesize > image->size) image->size = offset + s->filesize;
    if (offset + s->memsize > image->extent) image->extent = offset + s->memsize;
    return true;
}

static bool read_segments(const struct elf_segment *s, size_t n, struct image *image, const char **why)
{
    struct image all = {0};
    if (n > MOST_SEGMENTS) return fail(why, "too many segments");
    for (size_t i = 0; i < n; i++)
        if (s[i].memsize && !cover(&s[i], &all)) return fail(why, "the program is not placed in the code window");
    if (!all.size) return fail(why, "the program is empty");
    all.bytes = calloc(all.size, 1);
    if (!all.bytes) return fail(why, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (s[i].memsize && s[i].filesize) memcpy(all.bytes + (s[i].addr - ABI_CODE_BASE), s[i].data, s[i].filesize);
    *image = all;
    return true;
}

static bool parse_elf(const void *content, size_t size, struct image *image, const char **why)
{
    struct elf_image elf = {0};
    struct elf_segment segments[MOST_SEGMENTS];
    size_t n = 0;
    *why = "damaged ELF file";
    if (!elf_read(content, size, &elf, segments, MOST_SEGMENTS, &n, why)) return false;
    bool ok = read_segments(segments, n, image, why);
    if (ok) image->profile = elf.profile;
    elf_free(&elf);
    return ok;
}

/* ---- words ---- */

static bool put_word(struct image *image, size_t *capacity, size_t at, uint32_t word)
{
    size_t end = (at + 1) * 4;
    if (at >= WINDOW / 4) return false;
    if (end > *capacity) {
        size_t more = end > WINDOW / 2 ? WINDOW : end * 2;
        uint8_t *bytes = realloc(image->bytes, more);
        if (!bytes) return false;
        memset(bytes + *capacity, 0, more - *capacity);
        image->bytes = bytes;
        *capacity = more;
    }
    memcpy(image->bytes + at * 4, &word, 4);
    if (end > image->size) image->size = image->extent = end;
    return true;
}

/* Reads one number of hex digits that ends at white space, a comment or the end. */
static const char *hex(const char *s, uint32_t *value)
{
    char *end;
    size_t n = strspn(s, "0123456789abcdefABCDEF");
    if (n < 1 || n > 8) return NULL;
    *value = (uint32_t)strtoul(s, &end, 16);
    return *end && !strchr(" \t\r\n/", *end) ? NULL : end;
}

static bool parse_words(const char *s, struct image *image, const char **why)
{
    size_t capacity = 0, at = 0;
    uint32_t value;
    for (;;) {
        s += strspn(s, " \t\r\n");
        if (s[0] == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
            continue;
        }
        if (!*s) return image->size || fail(why, "there are no words in it");
        bool place = *s == '@';
        s = hex(s + place, &value);
        if (!s) return fail(why, "neither an ELF file nor hexadecimal words");
        if (place) at = value;
        else if (!put_word(image, &capacity, at++, value)) return fail(why, "it does not fit the code window");
    }
}

/* ---- files ---- */

static FILE *open_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    char *other = f ? NULL : malloc(stem + sizeof ".vmem");
    if (!other) return f;
    memcpy(other, path, stem);
    memcpy(other + stem, ".vmem", sizeof ".vmem");
    f = fopen(other, "rb");
    free(other);
    return f;
}

/* All of a file, with a zero behind it. */
static char *read_all(FILE *f, size_t *size)
{
    long n = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    if (n < 0 || n > 4l * WINDOW || fseek(f, 0, SEEK_SET)) return NULL;
    char *text = malloc((size_t)n + 1);
    if (text && fread(text, 1, (size_t)n, f) != (size_t)n) {
        free(text);
        return NULL;
    }
    if (text) text[n] = 0;
    *size = (size_t)n;
    return text;
}

bool image_read(const char *path, struct image *image, const char **why)
{
    struct image made = {0};
    size_t size = 0;
    FILE *f = open_file(path);
    if (!f) return fail(why, "the file cannot be opened");
    char *text = read_all(f, &size);
    fclose(f);
    if (!text) return fail(why, "the file cannot be read");
    bool ok = is_elf(text, size) ? parse_elf(text, size, &made, why) : parse_words(text, &made, why);
    free(text);
    if (ok) *image = made;
    else free(made.bytes);
    return ok;
}

bool image_parse(const void *content, size_t size, struct image *image, const char **why)
{
    if (is_elf(content, size)) return parse_elf(content, size, image, why);
    if (!size || size > WINDOW) return fail(why, "it does not fit the code window");
    uint8_t *bytes = malloc(size);
    if (!bytes) return fail(why, "out of memory");
    memcpy(bytes, content, size);
    *image = (struct image){.bytes = bytes, .size = size, .extent = size};
    return true;
}
