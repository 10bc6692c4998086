/* Random numbers for libstdc++.a, which ventus-cc and ventus-translate have in them with LLVM: that of Debian 12 asks
 * glibc 2.36 for them, and with a function of our own the programs run on glibc 2.35, too. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);

uint32_t arc4random(void)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}
