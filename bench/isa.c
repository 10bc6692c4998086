/* How fast words are decoded, and that they do so consistently: random words of every profile are
 * decoded, encoded and decoded again. Usage: isa-bench [MILLIONS]. Called by bench/isa.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/isa.h"
#include "tests/rng.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Random words, half of them an operation of the profile with random operands. */
static void fill(enum isa_profile profile, uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        words[i] = rng();
        unsigned op = 1 + rng() % (OP_COUNT - 1);
        if (i % 2 == 0 || !(isa_table[op].revisions & profile)) continue;
        words[i] = (words[i] & ~(uint32_t)isa_mask((enum isa_op)op)) | (uint32_t)isa_match((enum isa_op)op);
    }
}

static size_t decode_all(enum isa_profile profile, const uint32_t *words, size_t n)
{
    struct insn in;
    size_t known = 0;
    for (size_t i = 0; i + 3 <= n; i++) known += isa_decode_in(profile, words + i, 3, &in);
    return known;
}

static void check_all(enum isa_profile profile, const uint32_t *words, size_t n)
{
    struct insn in, again;
    uint32_t out[ISA_MAX_WORDS];
    for (size_t i = 0; i + 3 <= n; i++) {
        if (!isa_decode_in(profile, words + i, 3, &in)) continue;
        unsigned count = isa_encode(&in, out, NULL);
        if (count * 4 == in.size && isa_decode_in(profile, out, count, &again) && !memcmp(&in, &again, sizeof in))
            continue;
        printf("%s: %08x %08x %08x does not decode, encode and decode to the same\n", isa_profile_name(profile),
               words[i], words[i + 1], words[i + 2]);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                                PROFILE_R2025};
    enum { CHUNK = 1 << 20 };
    size_t millions = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    uint32_t *words = malloc(CHUNK * sizeof *words);
    if (!words) return 1;
    for (unsigned p = 0; p < 5; p++) {
        size_t known = 0;
        double spent = 0;
        for (size_t i = 0; i < millions; i++) {
            fill(profiles[p], words, CHUNK);
            double start = now();
            known += decode_all(profiles[p], words, CHUNK);
            spent += now() - start;
            check_all(profiles[p], words, CHUNK);
        }
        double total = (double)millions * CHUNK;
        printf("%-10s %5.1f million words, %4.1f %% instructions, all consistent; decoded %6.1f million words/s\n",
               isa_profile_name(profiles[p]), total / 1e6, 100 * (double)known / total, total / 1e6 / spent);
    }
    free(words);
    return 0;
}
