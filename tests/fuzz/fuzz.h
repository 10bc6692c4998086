/* The entry of a fuzz target, as libFuzzer wants it. */
#ifndef VENTUS_TESTS_FUZZ_H
#define VENTUS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
