/* Programs from SPIR-V. A module is kept as it came, which is what clients get back, and as it is compiled: with the
 * values of its specialization constants that the client has set. What it means, only the compiler knows.
 * Called through icd.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

enum { MAGIC = 0x07230203, HEADER_WORDS = 5 };
enum {
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71
};

/* ---- words ---- */

static uint32_t word(const char *module, size_t i)
{
    uint32_t w;
    memcpy(&w, module + i * sizeof w, sizeof w);
    return w;
}

/* Words of the instruction at `i`, of a module with as many as `words`; 0 if there is none that ends in it. */
static size_t instruction_words(const char *module, size_t words, size_t i)
{
    size_t n = i < words ? word(module, i) >> 16 : 0;
    return n <= words - i ? n : 0;
}

static bool is_module(const char *il, size_t size)
{
    size_t words = size / sizeof(uint32_t), at = HEADER_WORDS, n;
    if (size % sizeof(uint32_t) || words < HEADER_WORDS || word(il, 0) != MAGIC) return false;
    while ((n = instruction_words(il, words, at))) at += n;
    return at == words;
}

/* ---- creation ---- */

static bool keep(cl_program program, const void *il, size_t size)
{
    program->il = malloc(size);
    program->source = malloc(size);
    program->source_size = size;
    if (!program->il || !program->source) return false;
    memcpy(program->il, il, size);
    memcpy(program->source, il, size);
    return true;
}

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    cl_program program = NULL;
    cl_int error = CL_SUCCESS;
    if (!object_is(context, KIND_CONTEXT)) error = CL_INVALID_CONTEXT;
    else if (!il || !length || !is_module(il, length)) error = CL_INVALID_VALUE;
    else if (!(program = program_new(context, 0, NULL))) error = CL_OUT_OF_HOST_MEMORY;
    if (program && !keep(program, il, length)) {
        object_drop(&program->base);
        program = NULL;
        error = CL_OUT_OF_HOST_MEMORY;
    }
    set_error(errcode_ret, error);
    return program;
}

/* ---- specialization constants ---- */

/* Where the instruction begins that is one of `first` to `last` and has this word at `place`; 0 if there is none. */
static size_t find(cl_program program, uint32_t first, uint32_t last, size_t place, uint32_t wanted)
{
    size_t words = program->source_size / sizeof(uint32_t);
    for (size_t at = HEADER_WORDS, n; (n = instruction_words(program->source, words, at)); at += n) {
        uint32_t op = word(program->source, at) & 0xffff;
        if (op >= first && op <= last && n > place && word(program->source, at + place) == wanted) return at;
    }
    return 0;
}

/* Bytes of a value of the constant at `at`: of a truth value one, or as its type says. 0: it has no type with a width,
 * or no room for such a value. */
static size_t constant_size(cl_program program, size_t at)
{
    if ((word(program->source, at) & 0xffff) != OP_SPEC_CONSTANT) return 1;
    size_t type = find(program, OP_TYPE_INT, OP_TYPE_FLOAT, 1, word(program->source, at + 1));
    bool has_width = type && instruction_words(program->source, SIZE_MAX, type) > 2;
    size_t bytes = has_width ? word(program->source, type + 2) / 8 : 0;
    size_t room = (instruction_words(program->source, SIZE_MAX, at) - 3) * sizeof(uint32_t);
    return bytes <= room && bytes <= sizeof(uint64_t) ? bytes : 0;
}

/* A truth value is the instruction itself; a number stands behind type and id. */
static void constant_set(cl_program program, size_t at, size_t size, const void *value)
{
    char *words = program->source + at * sizeof(uint32_t);
    uint32_t first = word(words, 0), literal[2] = {0};
    memcpy(literal, value, size);
    if ((first & 0xffff) == OP_SPEC_CONSTANT) {
        memcpy(words + 3 * sizeof first, literal, size > sizeof first ? size : sizeof first);
    } else {
        first = (first & 0xffff0000) | (literal[0] ? OP_SPEC_TRUE : OP_SPEC_FALSE);
        memcpy(words, &first, sizeof first);
    }
}

/* Sets all constants that have this number; with the program's lock held. */
static cl_int specialize(cl_program program, cl_uint id, size_t size, const void *value)
{
    enum { SPEC_ID = 1 };
    size_t words = program->source_size / sizeof(uint32_t);
    cl_int error = CL_INVALID_SPEC_ID;
    for (size_t at = HEADER_WORDS, n; (n = instruction_words(program->source, words, at)); at += n) {
        const char *i = program->source + at * sizeof(uint32_t);
        if ((word(i, 0) & 0xffff) != OP_DECORATE || n < 4 || word(i, 2) != SPEC_ID || word(i, 3) != id) continue;
        size_t constant = find(program, OP_SPEC_TRUE, OP_SPEC_CONSTANT, 2, word(i, 1));
        if (!constant) continue;
        size_t bytes = constant_size(program, constant);
        if (!value || !bytes || size != bytes) return CL_INVALID_VALUE;
        constant_set(program, constant, size, value);
        error = CL_SUCCESS;
    }
    return error;
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size, const void *value)
{
    if (!object_is(program, KIND_PROGRAM) || !program->il) return CL_INVALID_PROGRAM;
    pthread_mutex_lock(&program->lock);
    cl_int error = program_is_building(program) ? CL_INVALID_OPERATION : specialize(program, id, size, value);
    pthread_mutex_unlock(&program->lock);
    return error;
}
