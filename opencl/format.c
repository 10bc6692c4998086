/* Image formats: one table of channel orders and one of channel types. What a kernel must know of a format
 * (isa/image.h) and what the device reports follow from them. Called by image.c and image_transfer.c. */
#include <math.h>
#include <string.h>

#include "objects.h"
#include "sim/softfp.h"

/* Classes of channel types, for the orders that take them. */
enum { NORM8 = 1, NORM16 = 2, INT8 = 4, WIDE = 8, FLOATS = 16, PACKED_RGB = 32, PACKED_RGBA = 64, PACKED_ABGR = 128 };
enum { ANY = NORM8 | NORM16 | INT8 | WIDE | FLOATS, PACKED = PACKED_RGB | PACKED_RGBA | PACKED_ABGR };

/* Where red, green, blue and alpha are in memory: number of the channel, `-` if there is none. Behind it alpha of what
 * is outside of the image. */
static const struct order {
    cl_channel_order name;
    char component[5];
    unsigned border, channels, classes;
    // clang-format off
} orders[] = {
    {CL_R, "0---", 1, 1, ANY},
    {CL_A, "---0", 0, 1, ANY},
    {CL_RG, "01--", 1, 2, ANY},
    {CL_RA, "0--1", 0, 2, ANY},
    {CL_RGB, "012-", 1, 1, PACKED_RGB},
    {CL_RGBA, "0123", 0, 4, ANY | PACKED_RGBA},
    {CL_BGRA, "2103", 0, 4, NORM8 | INT8},
    {CL_ARGB, "1230", 0, 4, NORM8 | INT8},
    {CL_ABGR, "3210", 0, 4, NORM8 | INT8 | PACKED_ABGR},
    {CL_INTENSITY, "0000", 0, 1, NORM8 | NORM16 | FLOATS},
    {CL_LUMINANCE, "000-", 1, 1, NORM8 | NORM16 | FLOATS},
    {CL_DEPTH, "0---", 0, 1, NORM16 | FLOATS},
    {CL_sRGBA, "0123", 0, 4, NORM8},
    {CL_sBGRA, "2103", 0, 4, NORM8},
};

/* Bytes of one channel, or of all that are packed into one element; then the number of each one's lowest bit and bits. */
static const struct type {
    cl_channel_type name;
    enum abi_image_kind kind;
    unsigned class, bytes;
    struct { unsigned char bit, bits; } packed[4];
} types[] = {
    {CL_SNORM_INT8, ABI_IMAGE_SNORM, NORM8, 1, {{0, 0}}},
    {CL_SNORM_INT16, ABI_IMAGE_SNORM, NORM16, 2, {{0, 0}}},
    {CL_UNORM_INT8, ABI_IMAGE_UNORM, NORM8, 1, {{0, 0}}},
    {CL_UNORM_INT16, ABI_IMAGE_UNORM, NORM16, 2, {{0, 0}}},
    {CL_UNORM_SHORT_565, ABI_IMAGE_UNORM, PACKED_RGB, 2, {{11, 5}, {5, 6}, {0, 5}}},
    {CL_UNORM_SHORT_555, ABI_IMAGE_UNORM, PACKED_RGB, 2, {{10, 5}, {5, 5}, {0, 5}}},
    {CL_UNORM_INT_101010, ABI_IMAGE_UNORM, PACKED_RGB, 4, {{20, 10}, {10, 10}, {0, 10}}},
    {CL_UNORM_INT_101010_2, ABI_IMAGE_UNORM, PACKED_RGBA, 4, {{22, 10}, {12, 10}, {2, 10}, {0, 2}}},
    {CL_UNORM_INT_2_101010_EXT, ABI_IMAGE_UNORM, PACKED_ABGR, 4, {{30, 2}, {20, 10}, {10, 10}, {0, 10}}},
    {CL_SIGNED_INT8, ABI_IMAGE_SIGNED, INT8, 1, {{0, 0}}},
    {CL_SIGNED_INT16, ABI_IMAGE_SIGNED, WIDE, 2, {{0, 0}}},
    {CL_SIGNED_INT32, ABI_IMAGE_SIGNED, WIDE, 4, {{0, 0}}},
    {CL_UNSIGNED_INT8, ABI_IMAGE_UNSIGNED, INT8, 1, {{0, 0}}},
    {CL_UNSIGNED_INT16, ABI_IMAGE_UNSIGNED, WIDE, 2, {{0, 0}}},
    {CL_UNSIGNED_INT32, ABI_IMAGE_UNSIGNED, WIDE, 4, {{0, 0}}},
    {CL_HALF_FLOAT, ABI_IMAGE_HALF, FLOATS, 2, {{0, 0}}},
    {CL_FLOAT, ABI_IMAGE_FLOAT, FLOATS, 4, {{0, 0}}},
};
// clang-format on

enum { ORDERS = sizeof orders / sizeof *orders, TYPES = sizeof types / sizeof *types };

static bool is_srgb(cl_channel_order order) { return order == CL_sRGBA || order == CL_sBGRA; }

/* OpenCL combines the depth order with two types only. */
static bool together(const struct order *order, const struct type *type)
{
    if (!(order->classes & type->class)) return false;
    if (order->name == CL_DEPTH) return type->name == CL_UNORM_INT16 || type->name == CL_FLOAT;
    return !is_srgb(order->name) || type->name == CL_UNORM_INT8;
}

bool format_offered(const cl_image_format *format, cl_mem_object_type image)
{
    struct abi_image ignored;
    bool depth_image = image == CL_MEM_OBJECT_IMAGE2D || image == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    return format_describe(format, &ignored) && (format->image_channel_order != CL_DEPTH || depth_image);
}

bool format_valid(const cl_image_format *format)
{
    cl_uint order = format->image_channel_order, type = format->image_channel_data_type;
    bool rgb = order == CL_RGB || order == CL_RGBx;
    bool packed = type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010;
    bool known = (type >= CL_SNORM_INT8 && type <= CL_UNORM_INT_101010_2) || type == CL_UNORM_INT_2_101010_EXT;
    return order >= CL_R && order <= CL_ABGR && known && rgb == packed;
}

static uint32_t component(const struct type *type, char channel)
{
    if (channel == '-') return 0;
    unsigned n = (unsigned)(channel - '0'), bits = 8 * type->bytes;
    if (!type->packed[0].bits) return ABI_COMPONENT(n * type->bytes, 32 - bits, 32 - bits) | ABI_COMPONENT_SHOWN;
    unsigned right = 32u - type->packed[n].bits;
    return ABI_COMPONENT(0, right - type->packed[n].bit, right) | ABI_COMPONENT_SHOWN;
}

static void describe(const struct order *order, const struct type *type, struct abi_image *image)
{
    image->order = order->name;
    image->type = type->name;
    image->kind = is_srgb(order->name) ? ABI_IMAGE_SRGB : type->kind;
    image->texel = type->bytes * (type->class & PACKED ? 1 : order->channels);
    image->border = order->border;
    for (int i = 0; i < 4; i++) {
        char channel = order->component[i];
        bool first = channel != '-' && memchr(order->component, channel, 4) == &order->component[i];
        image->component[i] = component(type, channel) | (first ? ABI_COMPONENT_WRITTEN : 0);
    }
}

bool format_describe(const cl_image_format *format, struct abi_image *image)
{
    for (size_t i = 0; i < ORDERS; i++)
        for (size_t j = 0; j < TYPES; j++)
            if (orders[i].name == format->image_channel_order && types[j].name == format->image_channel_data_type &&
                together(&orders[i], &types[j])) {
                describe(&orders[i], &types[j], image);
                return true;
            }
    return false;
}

cl_uint format_list(cl_mem_object_type image, cl_uint room, cl_image_format *formats)
{
    cl_uint n = 0;
    for (size_t i = 0; i < ORDERS; i++)
        for (size_t j = 0; j < TYPES; j++) {
            const cl_image_format format = {orders[i].name, types[j].name};
            if (!format_offered(&format, image)) continue;
            if (n < room) formats[n] = format;
            n++;
        }
    return n;
}

/* ---- colours ---- */

static float srgb_curve(float f)
{
    if (!(f > 0)) return 0;
    if (f < 0.0031308f) return 12.92f * f;
    return f < 1 ? 1.055f * powf(f, 1 / 2.4f) - 0.055f : 1;
}

/* NaN becomes 0, as in kernels. */
static uint32_t saturated(double v, double least, double most)
{
    if (isnan(v)) return 0;
    return (uint32_t)(int64_t)(v > least ? v < most ? v : most : least);
}

/* A channel of `kind` with 32 - right bits; `color` is 32 bits of float or integer, as the format wants. */
static uint32_t channel_bits(uint32_t kind, uint32_t right, uint32_t color)
{
    float f;
    memcpy(&f, &color, sizeof f);
    const uint32_t most = UINT32_MAX >> right;
    const int32_t middle = INT32_MAX >> right;
    switch (kind) {
    case ABI_IMAGE_HALF: return (uint32_t)fp_convert(FP_F16, FP_F32, color, &(struct fp_env){.round = FP_RNE});
    case ABI_IMAGE_UNORM: return saturated(rintf(f * (float)most), 0, most);
    case ABI_IMAGE_SRGB: return saturated(rintf(srgb_curve(f) * (float)most), 0, most);
    case ABI_IMAGE_SNORM: return saturated(rintf(f * (float)middle), -middle - 1, middle);
    case ABI_IMAGE_SIGNED: return saturated((int32_t)color, -middle - 1, middle);
    case ABI_IMAGE_UNSIGNED: return saturated(color, 0, most);
    default: return color;
    }
}

void format_pack(const struct abi_image *image, const void *color, unsigned char texel[16])
{
    const struct host_client client = host_neutral_begin();
    uint32_t words[4] = {0}, in[4] = {0};
    memcpy(in, color, image->order == CL_DEPTH ? sizeof *in : sizeof in);
    for (int i = 0; i < 4; i++) {
        uint32_t c = image->component[i], right = ABI_COMPONENT_RIGHT(c), offset = ABI_COMPONENT_OFFSET(c);
        if (!(c & ABI_COMPONENT_WRITTEN)) continue;
        uint32_t kind = image->kind == ABI_IMAGE_SRGB && i == 3 ? ABI_IMAGE_UNORM : image->kind;
        words[offset / 4] |= channel_bits(kind, right, in[i]) << right >> ABI_COMPONENT_LEFT(c) << offset % 4 * 8;
    }
    memcpy(texel, words, sizeof words);
    host_neutral_end(&client);
}
