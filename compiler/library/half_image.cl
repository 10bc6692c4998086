/* Reads and writes of images as halves: those of floats, rounded or widened. They are declared here, because
 * clang's declarations do not show beside our own of the same name. */
#include "library.h"

#define TO(x, T) __builtin_convertvector(x, T)

#define READ_HALF(T, COORD) \
    OVERLOAD float4 read_imagef(read_only T image, sampler_t sampler, COORD at); \
    OVERLOAD half4 read_imageh(read_only T image, sampler_t sampler, COORD at) \
    { \
        return TO(read_imagef(image, sampler, at), half4); \
    }
#define READ_DIRECTLY(ACCESS, T, COORD) \
    OVERLOAD float4 read_imagef(ACCESS T image, COORD at); \
    OVERLOAD half4 read_imageh(ACCESS T image, COORD at) { return TO(read_imagef(image, at), half4); }
#define WRITE(ACCESS, T, COORD) \
    OVERLOAD void write_imagef(ACCESS T image, COORD at, float4 color); \
    OVERLOAD void write_imageh(ACCESS T image, COORD at, half4 color) { write_imagef(image, at, TO(color, float4)); }
#define DIRECTLY(T, N) \
    READ_DIRECTLY(read_only, T, int##N) READ_DIRECTLY(read_write, T, int##N) \
    WRITE(write_only, T, int##N) WRITE(read_write, T, int##N)
#define IMAGE(T, N) READ_HALF(T, int##N) READ_HALF(T, float##N) DIRECTLY(T, N)
IMAGE(image1d_t, ) IMAGE(image1d_array_t, 2) IMAGE(image2d_t, 2) IMAGE(image2d_array_t, 4) IMAGE(image3d_t, 4)
DIRECTLY(image1d_buffer_t, )
