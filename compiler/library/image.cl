/* Images: what is read and written of one is decided here, by its description and the sampler (isa/image.h).
 * A kernel's image is the same for all work-items, and so is what depends on it alone: those branches are cheap.
 * Whatever the coordinates, nothing outside of the image is read or written. */
#include "isa/image.h"
#include "library.h"

_Static_assert(ABI_SAMPLER_NORMALIZED == CLK_NORMALIZED_COORDS_TRUE && ABI_SAMPLER_NONE == CLK_ADDRESS_NONE &&
                   ABI_SAMPLER_CLAMP_TO_EDGE == CLK_ADDRESS_CLAMP_TO_EDGE && ABI_SAMPLER_CLAMP == CLK_ADDRESS_CLAMP &&
                   ABI_SAMPLER_REPEAT == CLK_ADDRESS_REPEAT &&
                   ABI_SAMPLER_MIRRORED_REPEAT == CLK_ADDRESS_MIRRORED_REPEAT &&
                   ABI_SAMPLER_NEAREST == CLK_FILTER_NEAREST && ABI_SAMPLER_LINEAR == CLK_FILTER_LINEAR,
               "a sampler's word is clang's");

typedef constant const struct abi_image *image_t;

/* The compiler answers these: what an image is like, and the word of a sampler. */
uint __ventus_sampler(sampler_t) PURE;
#define DESCRIBED(T) \
    OVERLOAD image_t __ventus_image(read_only T) PURE; \
    OVERLOAD image_t __ventus_image(write_only T) PURE; \
    OVERLOAD image_t __ventus_image(read_write T) PURE;
DESCRIBED(image1d_t) DESCRIBED(image1d_buffer_t) DESCRIBED(image1d_array_t)
DESCRIBED(image2d_t) DESCRIBED(image2d_array_t) DESCRIBED(image3d_t)
DESCRIBED(image2d_depth_t) DESCRIBED(image2d_array_depth_t)

/* ---- texels ---- */

/* One image shows and takes bytes, halves and words of the same memory. */
typedef uchar __attribute__((may_alias)) byte_t;
typedef ushort __attribute__((may_alias)) half_word_t;
typedef uint __attribute__((may_alias)) word_t;

static bool is_inside(image_t image, int4 at)
{
    return ((uint)at.x < image->width) & ((uint)at.y < image->height) & ((uint)at.z < image->depth);
}

/* Address of a texel; of the first one if the place is outside. */
static uint texel_address(image_t image, int4 at)
{
    uint offset = (uint)at.x * image->texel + (uint)at.y * image->row + (uint)at.z * image->slice;
    return image->address + (is_inside(image, at) ? offset : 0);
}

/* The channel that shows a component, at the upper end of a word; *right is how far it is to be shifted. */
static uint channel(uint component, uint texel, private uint *right)
{
    uint at = texel + ABI_COMPONENT_OFFSET(component);
    uint word = *(global const word_t *)(at & ~3u) >> (at & 3) * 8;
    *right = ABI_COMPONENT_RIGHT(component);
    return word << ABI_COMPONENT_LEFT(component);
}

static uint unsigned_channel(uint component, uint texel, uint absent)
{
    uint right, bits;
    if (!(component & ABI_COMPONENT_SHOWN)) return absent;
    bits = channel(component, texel, &right);
    return bits >> right;
}

static int signed_channel(uint component, uint texel, int absent)
{
    uint right, bits;
    if (!(component & ABI_COMPONENT_SHOWN)) return absent;
    bits = channel(component, texel, &right);
    return (int)bits >> right;
}

/* Values of sRGB's 256 steps, with the middles between them, where one ends and the next begins. */
static constant float srgb_values[511] = {
#include "srgb.inc"
};

/* Both normalized kinds are multiplied by the reciprocal of the largest value: within 1.25 ulp, exact at both ends, and the
 * same bits as other implementations have. -128 is -1, too. */
static float float_channel(uint kind, uint component, uint texel, float absent)
{
    uint right, bits;
    if (!(component & ABI_COMPONENT_SHOWN)) return absent;
    bits = channel(component, texel, &right);
    if (kind == ABI_IMAGE_FLOAT) return as_float(bits);
    if (kind == ABI_IMAGE_HALF) return (float)as_half((ushort)(bits >> 16));
    if (kind == ABI_IMAGE_SRGB) return srgb_values[(bits >> 24) * 2];
    if (kind == ABI_IMAGE_SNORM) return fmax((float)((int)bits >> right) * (1.0f / (float)(INT_MAX >> right)), -1.0f);
    return (float)(bits >> right) * (1.0f / (float)(UINT_MAX >> right));
}

static uint alpha_kind(image_t image) { return image->kind == ABI_IMAGE_SRGB ? ABI_IMAGE_UNORM : image->kind; }

static float4 float_texel(image_t image, int4 at)
{
    uint texel = texel_address(image, at);
    float4 color;
    color.x = float_channel(image->kind, image->component[0], texel, 0);
    color.y = float_channel(image->kind, image->component[1], texel, 0);
    color.z = float_channel(image->kind, image->component[2], texel, 0);
    color.w = float_channel(alpha_kind(image), image->component[3], texel, 1);
    return is_inside(image, at) ? color : (float4)(0, 0, 0, image->border);
}

#define INTEGER_TEXEL(T, CHANNEL) \
    static T##4 T##_texel(image_t image, int4 at) \
    { \
        uint texel = texel_address(image, at); \
        T##4 color; \
        color.x = CHANNEL(image->component[0], texel, 0); \
        color.y = CHANNEL(image->component[1], texel, 0); \
        color.z = CHANNEL(image->component[2], texel, 0); \
        color.w = CHANNEL(image->component[3], texel, 1); \
        return is_inside(image, at) ? color : (T##4)(0, 0, 0, image->border); \
    }
INTEGER_TEXEL(int, signed_channel)
INTEGER_TEXEL(uint, unsigned_channel)

/* ---- samplers ---- */

/* Layers lie behind the dimensions of an array: they are not filtered, and those outside are the last or the first. */
enum { LAYERS = 4, IMAGE_1D = 1, IMAGE_2D = 2, IMAGE_3D = 3, ARRAY_1D = IMAGE_1D | LAYERS, ARRAY_2D = IMAGE_2D | LAYERS };

/* A texel's number, brought inside as the sampler says; what it leaves outside has the colour of the border. */
static int address(uint sampler, int i, int size)
{
    uint mode = sampler & ABI_SAMPLER_ADDRESSING;
    if (mode == ABI_SAMPLER_CLAMP) return i;
    if (mode != ABI_SAMPLER_REPEAT) return clamp(i, 0, size - 1);
    i += i < 0 ? size : 0;
    return i - (i >= size ? size : 0);
}

/* A coordinate in texels. */
static float unnormalized(uint sampler, float s, float size)
{
    uint mode = sampler & ABI_SAMPLER_ADDRESSING;
    if (!(sampler & ABI_SAMPLER_NORMALIZED)) return s;
    if (mode == ABI_SAMPLER_REPEAT) return (s - floor(s)) * size;
    if (mode == ABI_SAMPLER_MIRRORED_REPEAT) return fabs(s - 2.0f * rint(0.5f * s)) * size;
    return s * size;
}

/* The two texels on both sides of a coordinate and how far it is from the first to the second; without filtering, the
 * one that it lies in. Far outside is as good as just outside. */
struct neighbours {
    int first, second;
    float part;
};
static struct neighbours neighbours(uint sampler, float s, uint size)
{
    bool linear = sampler & ABI_SAMPLER_LINEAR;
    float u = unnormalized(sampler, s, (float)size) - (linear ? 0.5f : 0.0f), below = floor(u);
    int i = (int)fmin(fmax(below, -2.0f), (float)size);
    struct neighbours n = {address(sampler, i, (int)size), address(sampler, i + 1, (int)size), linear ? u - below : 0.0f};
    return n;
}

static int layer(float s, uint layers) { return (int)fmin(fmax(rint(s), 0.0f), (float)(layers - 1)); }

/* The dimensions of an image, one after the other; one that is not there has a single texel. */
struct place {
    struct neighbours x, y, z;
};
static struct place find(image_t image, uint sampler, float4 at, int shape)
{
    struct place p = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int dims = shape & ~LAYERS;
    p.x = neighbours(sampler, at.x, image->width);
    if (dims > 1) p.y = neighbours(sampler, at.y, image->height);
    if (dims > 2) p.z = neighbours(sampler, at.z, image->depth);
    if (shape == ARRAY_1D) p.y.first = p.y.second = layer(at.y, image->height);
    if (shape == ARRAY_2D) p.z.first = p.z.second = layer(at.z, image->depth);
    return p;
}

static int4 nearest(image_t image, uint sampler, float4 at, int shape)
{
    struct place p = find(image, sampler & ~(uint)ABI_SAMPLER_LINEAR, at, shape);
    return (int4)(p.x.first, p.y.first, p.z.first, 0);
}

static int4 nearest_int(image_t image, uint sampler, int4 at, int shape)
{
    int dims = shape & ~LAYERS;
    at.x = address(sampler, at.x, (int)image->width);
    if (dims > 1) at.y = address(sampler, at.y, (int)image->height);
    if (dims > 2) at.z = address(sampler, at.z, (int)image->depth);
    if (shape == ARRAY_1D) at.y = clamp(at.y, 0, (int)image->height - 1);
    if (shape == ARRAY_2D) at.z = clamp(at.z, 0, (int)image->depth - 1);
    return at;
}

/* The weighted sum of the texels around a place, of which there are two in each dimension; without filtering it is one,
 * and its weight 1. The sum begins with -0, which leaves the first term as it is. */
static float4 filtered(image_t image, uint sampler, float4 at, int shape)
{
    struct place p = find(image, sampler, at, shape);
    uint corners = sampler & ABI_SAMPLER_LINEAR ? 1u << (shape & ~LAYERS) : 1;
    float4 sum = -0.0f;
    __attribute__((opencl_unroll_hint(1))) for (uint i = 0; i < corners; i++)
    {
        int4 corner = {i & 1 ? p.x.second : p.x.first, i & 2 ? p.y.second : p.y.first, i & 4 ? p.z.second : p.z.first, 0};
        float x = i & 1 ? p.x.part : 1.0f - p.x.part, y = i & 2 ? p.y.part : 1.0f - p.y.part;
        float z = i & 4 ? p.z.part : 1.0f - p.z.part;
        sum += float_texel(image, corner) * (x * y * z);
    }
    return sum;
}

/* ---- reading ---- */

/* Reads of one type of image. Its coordinates are a T##COORD `at`, of which PLACE makes those of all three dimensions. */
#define READ(T, SHAPE, COORD, PLACE) \
    OVERLOAD float4 read_imagef(read_only T image, sampler_t sampler, int##COORD at) \
    { \
        image_t im = __ventus_image(image); \
        return float_texel(im, nearest_int(im, __ventus_sampler(sampler), (int4)PLACE, SHAPE)); \
    } \
    OVERLOAD float4 read_imagef(read_only T image, sampler_t sampler, float##COORD at) \
    { \
        return filtered(__ventus_image(image), __ventus_sampler(sampler), (float4)PLACE, SHAPE); \
    } \
    READ_INTEGER(read_imagei, int, T, SHAPE, COORD, PLACE) \
    READ_INTEGER(read_imageui, uint, T, SHAPE, COORD, PLACE) \
    READ_DIRECTLY(read_only, T, COORD, PLACE) \
    READ_DIRECTLY(read_write, T, COORD, PLACE)

#define READ_INTEGER(NAME, R, T, SHAPE, COORD, PLACE) \
    OVERLOAD R##4 NAME(read_only T image, sampler_t sampler, int##COORD at) \
    { \
        image_t im = __ventus_image(image); \
        return R##_texel(im, nearest_int(im, __ventus_sampler(sampler), (int4)PLACE, SHAPE)); \
    } \
    OVERLOAD R##4 NAME(read_only T image, sampler_t sampler, float##COORD at) \
    { \
        image_t im = __ventus_image(image); \
        return R##_texel(im, nearest(im, __ventus_sampler(sampler), (float4)PLACE, SHAPE)); \
    }

/* Without a sampler the place has to be inside. */
#define READ_DIRECTLY(ACCESS, T, COORD, PLACE) \
    OVERLOAD float4 read_imagef(ACCESS T image, int##COORD at) { return float_texel(__ventus_image(image), (int4)PLACE); } \
    OVERLOAD int4 read_imagei(ACCESS T image, int##COORD at) { return int_texel(__ventus_image(image), (int4)PLACE); } \
    OVERLOAD uint4 read_imageui(ACCESS T image, int##COORD at) { return uint_texel(__ventus_image(image), (int4)PLACE); }

#define READ_DEPTH(T, SHAPE, COORD, PLACE) \
    OVERLOAD float read_imagef(read_only T image, sampler_t sampler, int##COORD at) \
    { \
        image_t im = __ventus_image(image); \
        return float_texel(im, nearest_int(im, __ventus_sampler(sampler), (int4)PLACE, SHAPE)).x; \
    } \
    OVERLOAD float read_imagef(read_only T image, sampler_t sampler, float##COORD at) \
    { \
        return filtered(__ventus_image(image), __ventus_sampler(sampler), (float4)PLACE, SHAPE).x; \
    } \
    READ_DEPTH_DIRECTLY(read_only, T, COORD, PLACE) \
    READ_DEPTH_DIRECTLY(read_write, T, COORD, PLACE)
#define READ_DEPTH_DIRECTLY(ACCESS, T, COORD, PLACE) \
    OVERLOAD float read_imagef(ACCESS T image, int##COORD at) { return float_texel(__ventus_image(image), (int4)PLACE).x; }

READ(image1d_t, IMAGE_1D, , (at, 0, 0, 0))
READ(image1d_array_t, ARRAY_1D, 2, (at, 0, 0))
READ(image2d_t, IMAGE_2D, 2, (at, 0, 0))
READ(image2d_array_t, ARRAY_2D, 4, (at))
READ(image3d_t, IMAGE_3D, 4, (at))
READ_DIRECTLY(read_only, image1d_buffer_t, , (at, 0, 0, 0))
READ_DIRECTLY(read_write, image1d_buffer_t, , (at, 0, 0, 0))
READ_DEPTH(image2d_depth_t, IMAGE_2D, 2, (at, 0, 0))
READ_DEPTH(image2d_array_depth_t, ARRAY_2D, 4, (at))

/* ---- writing ---- */

/* The step of sRGB that is nearest to a value: each bit that does not lead beyond it. */
static uint srgb_step(float f)
{
    uint step = 0;
    __attribute__((opencl_unroll_hint(1))) for (uint bit = 128; bit; bit >>= 1)
        if (f >= srgb_values[(step + bit) * 2 - 1]) step += bit;
    return step;
}

/* The bits of a channel; its width is 32 - right. */
static uint float_bits(uint kind, uint component, float f)
{
    uint right = ABI_COMPONENT_RIGHT(component);
    if (kind == ABI_IMAGE_FLOAT) return as_uint(f);
    if (kind == ABI_IMAGE_HALF) return as_ushort((half)f);
    if (kind == ABI_IMAGE_SRGB) return srgb_step(f);
    float most = kind == ABI_IMAGE_SNORM ? (float)(INT_MAX >> right) : (float)(UINT_MAX >> right);
    float least = kind == ABI_IMAGE_SNORM ? -1.0f - most : 0.0f;
    return (uint)(int)rint(fmin(fmax(f * most, least), most));
}

static uint int_bits(uint component, int i)
{
    int most = INT_MAX >> ABI_COMPONENT_RIGHT(component);
    return (uint)clamp(i, ~most, most);
}

static uint uint_bits(uint component, uint i) { return min(i, UINT_MAX >> ABI_COMPONENT_RIGHT(component)); }

/* Where the bits lie in their element, and it in the word that begins at the texel. */
static uint placed(uint component, uint bits)
{
    uint in_element = bits << ABI_COMPONENT_RIGHT(component) >> ABI_COMPONENT_LEFT(component);
    return component & ABI_COMPONENT_WRITTEN ? in_element << (ABI_COMPONENT_OFFSET(component) & 3) * 8 : 0;
}

/* A texel of up to a word is put together first; a larger one is stored element by element. */
static void store_element(uint component, uint texel, uint elements_are_words, uint bits)
{
    uint at = texel + ABI_COMPONENT_OFFSET(component);
    if (!(component & ABI_COMPONENT_WRITTEN)) return;
    if (elements_are_words) *(global word_t *)at = bits;
    else *(global half_word_t *)at = (half_word_t)bits;
}

static void store(image_t image, int4 at, uint4 bits)
{
    constant const uint *c = image->component;
    uint texel = texel_address(image, at), bytes = image->texel;
    if (!is_inside(image, at)) return;
    if (bytes > 4) {
        uint words = ABI_COMPONENT_RIGHT(c[0]) == 0;
        store_element(c[0], texel, words, bits.x);
        store_element(c[1], texel, words, bits.y);
        store_element(c[2], texel, words, bits.z);
        store_element(c[3], texel, words, bits.w);
        return;
    }
    uint word = placed(c[0], bits.x) | placed(c[1], bits.y) | placed(c[2], bits.z) | placed(c[3], bits.w);
    if (bytes == 4) *(global word_t *)texel = word;
    else if (bytes == 2) *(global half_word_t *)texel = (half_word_t)word;
    else *(global byte_t *)texel = (byte_t)word;
}

static void store_float(image_t image, int4 at, float4 color)
{
    constant const uint *c = image->component;
    uint kind = image->kind;
    uint4 bits;
    bits.x = float_bits(kind, c[0], color.x);
    bits.y = float_bits(kind, c[1], color.y);
    bits.z = float_bits(kind, c[2], color.z);
    bits.w = float_bits(alpha_kind(image), c[3], color.w);
    store(image, at, bits);
}

#define STORE_INTEGER(T) \
    static void store_##T(image_t image, int4 at, T##4 color) \
    { \
        constant const uint *c = image->component; \
        uint4 bits; \
        bits.x = T##_bits(c[0], color.x); \
        bits.y = T##_bits(c[1], color.y); \
        bits.z = T##_bits(c[2], color.z); \
        bits.w = T##_bits(c[3], color.w); \
        store(image, at, bits); \
    }
STORE_INTEGER(int)
STORE_INTEGER(uint)

#define WRITE(ACCESS, T, COORD, PLACE) \
    OVERLOAD void write_imagef(ACCESS T image, int##COORD at, float4 color) { store_float(__ventus_image(image), (int4)PLACE, color); } \
    OVERLOAD void write_imagei(ACCESS T image, int##COORD at, int4 color) { store_int(__ventus_image(image), (int4)PLACE, color); } \
    OVERLOAD void write_imageui(ACCESS T image, int##COORD at, uint4 color) { store_uint(__ventus_image(image), (int4)PLACE, color); }
#define WRITE_DEPTH(ACCESS, T, COORD, PLACE) \
    OVERLOAD void write_imagef(ACCESS T image, int##COORD at, float depth) { store_float(__ventus_image(image), (int4)PLACE, depth); }
#define WRITES(M, T, COORD, PLACE) M(write_only, T, COORD, PLACE) M(read_write, T, COORD, PLACE)

WRITES(WRITE, image1d_t, , (at, 0, 0, 0))
WRITES(WRITE, image1d_buffer_t, , (at, 0, 0, 0))
WRITES(WRITE, image1d_array_t, 2, (at, 0, 0))
WRITES(WRITE, image2d_t, 2, (at, 0, 0))
WRITES(WRITE, image2d_array_t, 4, (at))
WRITES(WRITE, image3d_t, 4, (at))
WRITES(WRITE_DEPTH, image2d_depth_t, 2, (at, 0, 0))
WRITES(WRITE_DEPTH, image2d_array_depth_t, 4, (at))

/* ---- what an image is like ---- */

#define ACCESSES(M, ...) M(read_only, __VA_ARGS__) M(write_only, __VA_ARGS__) M(read_write, __VA_ARGS__)
#define COMMON(ACCESS, T) \
    OVERLOAD int get_image_width(ACCESS T image) { return (int)__ventus_image(image)->width; } \
    OVERLOAD int get_image_channel_data_type(ACCESS T image) { return (int)__ventus_image(image)->type; } \
    OVERLOAD int get_image_channel_order(ACCESS T image) { return (int)__ventus_image(image)->order; }
#define HEIGHT(ACCESS, T) \
    COMMON(ACCESS, T) \
    OVERLOAD int get_image_height(ACCESS T image) { return (int)__ventus_image(image)->height; }
#define FLAT(ACCESS, T) \
    HEIGHT(ACCESS, T) \
    OVERLOAD int2 get_image_dim(ACCESS T image) { return (int2)(get_image_width(image), get_image_height(image)); }
#define LAYERED(ACCESS, T, LAYER_COUNT) \
    OVERLOAD size_t get_image_array_size(ACCESS T image) { return __ventus_image(image)->LAYER_COUNT; }
#define DEEP(ACCESS, T) \
    HEIGHT(ACCESS, T) \
    OVERLOAD int get_image_depth(ACCESS T image) { return (int)__ventus_image(image)->depth; } \
    OVERLOAD int4 get_image_dim(ACCESS T image) { return (int4)(get_image_width(image), get_image_height(image), get_image_depth(image), 0); }

ACCESSES(COMMON, image1d_t) ACCESSES(COMMON, image1d_buffer_t) ACCESSES(COMMON, image1d_array_t)
ACCESSES(FLAT, image2d_t) ACCESSES(FLAT, image2d_depth_t) ACCESSES(FLAT, image2d_array_t) ACCESSES(FLAT, image2d_array_depth_t)
ACCESSES(DEEP, image3d_t)
ACCESSES(LAYERED, image1d_array_t, height) ACCESSES(LAYERED, image2d_array_t, depth) ACCESSES(LAYERED, image2d_array_depth_t, depth)
