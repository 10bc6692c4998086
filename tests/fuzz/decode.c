/* Fuzz target: the decoder and the disassembler. The first byte chooses the profile, the rest are
 * words. What decodes encodes to words that decode to the same; the listing of everything assembles
 * to the same words. Built as a libFuzzer program by run.sh, as a test over corpus/ by replay.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/assemble.h"
#include "asm/listing.h"
#include "isa/abi.h"
#include "fuzz.h"

static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                            PROFILE_R2025};

static void check_one(enum isa_profile profile, const uint32_t *words, size_t n)
{
    struct insn in, again;
    uint32_t out[ISA_MAX_WORDS];
    char text[16], longer[512];
    if (!isa_decode_in(profile, words, n, &in)) return;
    unsigned count = isa_encode_in(profile, &in, out, NULL);
    if (count * 4 != in.size || !isa_decode_in(profile, out, count, &again) || memcmp(&in, &again, sizeof in)) abort();
    isa_print(&in, 0, 0, text, sizeof text);
    if (isa_print(&in, 0, 0, longer, sizeof longer) >= (int)sizeof longer) abort();
}

static void check_listing(enum isa_profile profile, bool merge, const uint32_t *words, size_t n)
{
    char *text;
    size_t size;
    struct elf_image m;
    FILE *f = open_memstream(&text, &size);
    asm_disassemble(&(struct asm_listing){.profile = profile, .raw = !merge}, words, n, ABI_CODE_BASE, NULL, f);
    fclose(f);
    if (!asm_assemble("listing", text, size, ABI_CODE_BASE, &m, stderr)) abort();
    if (m.text_words != n || memcmp(m.text, words, 4 * n)) abort();
    elf_free(&m);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t words[64];
    size_t n = size > 1 ? (size - 1) / 4 : 0;
    if (n > 64) n = 64;
    if (!n) return 0;
    enum isa_profile profile = profiles[data[0] % 5];
    memcpy(words, data + 1, 4 * n);
    for (size_t i = 0; i < n; i++) check_one(profile, words + i, n - i);
    check_listing(profile, data[0] & 0x80, words, n);
    return 0;
}
