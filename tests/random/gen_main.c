/* gen SEED [KERNELS]: prints the random kernels of a seed as a case for tests/cc. */
#include <stdlib.h>

#include "gen.h"

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: gen SEED [KERNELS]\n");
        return 2;
    }
    unsigned long kernels = argc == 3 ? strtoul(argv[2], NULL, 0) : 1;
    char *text = gen_source(strtoull(argv[1], NULL, 0), kernels < 1 ? 1 : kernels > 1000 ? 1000 : (unsigned)kernels);
    if (!text) return 1;
    fputs(text, stdout);
    free(text);
    return 0;
}
