/* Samplers: how kernels read images, as one word (isa/image.h). Called through icd.c and kernel.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

static void sampler_destroy(struct object *object)
{
    cl_sampler sampler = (cl_sampler)object;
    object_drop(&sampler->context->base);
    free(sampler->properties);
    free(sampler);
}

static cl_int addressing_word(cl_sampler_properties mode, uint32_t *word)
{
    switch (mode) {
    case CL_ADDRESS_NONE: *word |= ABI_SAMPLER_NONE; return CL_SUCCESS;
    case CL_ADDRESS_CLAMP_TO_EDGE: *word |= ABI_SAMPLER_CLAMP_TO_EDGE; return CL_SUCCESS;
    case CL_ADDRESS_CLAMP: *word |= ABI_SAMPLER_CLAMP; return CL_SUCCESS;
    case CL_ADDRESS_REPEAT: *word |= ABI_SAMPLER_REPEAT; return CL_SUCCESS;
    case CL_ADDRESS_MIRRORED_REPEAT: *word |= ABI_SAMPLER_MIRRORED_REPEAT; return CL_SUCCESS;
    default: return CL_INVALID_VALUE;
    }
}

struct settings {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
};

/* Repeating needs coordinates from 0 to 1. */
static cl_int sampler_word(const struct settings *s, uint32_t *word)
{
    bool repeats = s->addressing == CL_ADDRESS_REPEAT || s->addressing == CL_ADDRESS_MIRRORED_REPEAT;
    if (s->normalized > CL_TRUE || (s->filter != CL_FILTER_NEAREST && s->filter != CL_FILTER_LINEAR))
        return CL_INVALID_VALUE;
    *word = s->filter == CL_FILTER_LINEAR ? ABI_SAMPLER_LINEAR : ABI_SAMPLER_NEAREST;
    if (s->normalized) *word |= ABI_SAMPLER_NORMALIZED;
    return repeats && !s->normalized ? CL_INVALID_VALUE : addressing_word(s->addressing, word);
}

static cl_sampler sampler_new(cl_context context, const struct settings *s, const cl_sampler_properties *properties,
                              size_t nproperties, cl_int *errcode_ret)
{
    uint32_t word;
    cl_sampler sampler = NULL;
    cl_int error = device_has("__opencl_c_images") ? sampler_word(s, &word) : CL_INVALID_OPERATION;
    if (!error && !(sampler = calloc(1, sizeof *sampler))) error = CL_OUT_OF_HOST_MEMORY;
    if (sampler && properties && !(sampler->properties = malloc(nproperties * sizeof *properties))) {
        free(sampler);
        sampler = NULL;
        error = CL_OUT_OF_HOST_MEMORY;
    }
    set_error(errcode_ret, error);
    if (!sampler) return NULL;
    if (properties) memcpy(sampler->properties, properties, nproperties * sizeof *properties);
    sampler->nproperties = properties ? nproperties : 0;
    object_init(&sampler->base, KIND_SAMPLER, sampler_destroy);
    sampler->context = context;
    object_use(&context->base);
    sampler->word = word;
    sampler->normalized = s->normalized;
    sampler->addressing = s->addressing;
    sampler->filter = s->filter;
    return sampler;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                           cl_int *errcode_ret)
{
    const struct settings s = {normalized, addressing, filter};
    if (object_is(context, KIND_CONTEXT)) return sampler_new(context, &s, NULL, 0, errcode_ret);
    set_error(errcode_ret, CL_INVALID_CONTEXT);
    return NULL;
}

/* Reads pairs of a name and a value, closed by 0; each name at most once. *count are words with the 0. */
static cl_int read_properties(const cl_sampler_properties *p, struct settings *s, size_t *count)
{
    unsigned seen = 0;
    for (*count = 1; *p; p += 2, *count += 2) {
        unsigned bit;
        switch (p[0]) {
        case CL_SAMPLER_NORMALIZED_COORDS:
            bit = 1;
            s->normalized = p[1] > CL_TRUE ? CL_TRUE + 1 : (cl_bool)p[1];
            break;
        case CL_SAMPLER_ADDRESSING_MODE:
            bit = 2;
            s->addressing = (cl_addressing_mode)p[1];
            break;
        case CL_SAMPLER_FILTER_MODE:
            bit = 4;
            s->filter = (cl_filter_mode)p[1];
            break;
        default: return CL_INVALID_VALUE;
        }
        if (seen & bit) return CL_INVALID_VALUE;
        seen |= bit;
    }
    return CL_SUCCESS;
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                         cl_int *errcode_ret)
{
    struct settings s = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
    size_t count = 0;
    cl_int error = object_is(context, KIND_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (!error && properties) error = read_properties(properties, &s, &count);
    if (!error) return sampler_new(context, &s, properties, count, errcode_ret);
    set_error(errcode_ret, error);
    return NULL;
}

cl_int clRetainSampler(cl_sampler sampler)
{
    return object_retain(sampler, KIND_SAMPLER, &(bool){false}) ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

cl_int clReleaseSampler(cl_sampler sampler)
{
    bool last;
    if (!object_release(sampler, KIND_SAMPLER, &last)) return CL_INVALID_SAMPLER;
    if (last) object_drop(&sampler->base);
    return CL_SUCCESS;
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(sampler, KIND_SAMPLER)) return CL_INVALID_SAMPLER;
    switch (param) {
    case CL_SAMPLER_REFERENCE_COUNT: INFO(cl_uint, object_count(&sampler->base));
    case CL_SAMPLER_CONTEXT: INFO(cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS: INFO(cl_bool, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: INFO(cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE: INFO(cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        return info_bytes(out, sampler->properties, sampler->nproperties * sizeof *sampler->properties);
    default: return CL_INVALID_VALUE;
    }
}
