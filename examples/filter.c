/* Picture filter: a 5 x 5 binomial blur over the colours, then Sobel edges of the brightness.
 * Takes a PNG or JPEG file, or draws a test picture when none is given; writes a PNG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "image.h"

static const char source[] =
    "constant int weights[5] = {1, 4, 6, 4, 1};\n"
    "uchar4 pixel(global const uchar4 *p, int x, int y, int w, int h)\n"
    "{\n"
    "    return p[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)];\n"
    "}\n"
    "kernel void blur(global const uchar4 *in, global uchar4 *out, int w, int h)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    int4 sum = 128;\n"
    "    for (int j = 0; j < 5; j++)\n"
    "        for (int i = 0; i < 5; i++)\n"
    "            sum += convert_int4(pixel(in, x + i - 2, y + j - 2, w, h)) * (weights[i] * weights[j]);\n"
    "    out[y * w + x] = convert_uchar4(sum >> 8);\n"
    "}\n"
    "int brightness(global const uchar4 *p, int x, int y, int w, int h)\n"
    "{\n"
    "    int4 c = convert_int4(pixel(p, x, y, w, h));\n"
    "    return (77 * c.x + 150 * c.y + 29 * c.z) >> 8;\n"
    "}\n"
    "kernel void sobel(global const uchar4 *in, global uchar4 *out, int w, int h)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1), b[3][3];\n"
    "    for (int j = 0; j < 3; j++)\n"
    "        for (int i = 0; i < 3; i++)\n"
    "            b[j][i] = brightness(in, x + i - 1, y + j - 1, w, h);\n"
    "    int gx = b[0][2] + 2 * b[1][2] + b[2][2] - b[0][0] - 2 * b[1][0] - b[2][0];\n"
    "    int gy = b[2][0] + 2 * b[2][1] + b[2][2] - b[0][0] - 2 * b[0][1] - b[0][2];\n"
    "    uchar edge = convert_uchar_sat(sqrt((float)(gx * gx + gy * gy)));\n"
    "    out[y * w + x] = (uchar4)(edge, edge, edge, 255);\n"
    "}\n";

/* ---- the same on the host ---- */

static int clamp_to(int v, int high) { return v < 0 ? 0 : v > high ? high : v; }

static const uint8_t *pixel(const struct image *m, int x, int y)
{
    size_t row = (size_t)clamp_to(y, (int)m->height - 1), column = (size_t)clamp_to(x, (int)m->width - 1);
    return m->pixels + 4 * (row * m->width + column);
}

static int blurred(const struct image *m, int x, int y, int channel)
{
    static const int weights[5] = {1, 4, 6, 4, 1};
    int sum = 128;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) sum += pixel(m, x + i - 2, y + j - 2)[channel] * weights[i] * weights[j];
    return sum >> 8;
}

static int brightness(const struct image *m, int x, int y)
{
    const uint8_t *p = pixel(m, x, y);
    return (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
}

static int edge(const struct image *m, int x, int y)
{
    int b[3][3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) b[j][i] = brightness(m, x + i - 1, y + j - 1);
    int gx = b[0][2] + 2 * b[1][2] + b[2][2] - b[0][0] - 2 * b[1][0] - b[2][0];
    int gy = b[2][0] + 2 * b[2][1] + b[2][2] - b[0][0] - 2 * b[0][1] - b[0][2];
    return clamp_to((int)sqrtf((float)(gx * gx + gy * gy)), 255);
}

/* The device's square root may be off by a rounding step, hence by one grey level. */
static bool correct(const struct image *in, const struct image *soft, const struct image *out)
{
    for (int y = 0; y < (int)in->height; y++)
        for (int x = 0; x < (int)in->width; x++) {
            for (int c = 0; c < 4; c++)
                if (pixel(soft, x, y)[c] != blurred(in, x, y, c)) return false;
            if (abs(pixel(out, x, y)[0] - edge(soft, x, y)) > 1 || pixel(out, x, y)[3] != 255) return false;
        }
    return true;
}

/* Rings and a checkerboard: something with edges for a run without a file. */
static void draw(struct image *m, unsigned side)
{
    *m = (struct image){side, side, need(malloc((size_t)side * side * 4))};
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++) {
            uint8_t *p = m->pixels + 4 * ((size_t)y * side + x);
            int dx = (int)(x - side / 2), dy = (int)(y - side / 2);
            p[0] = (uint8_t)((dx * dx + dy * dy) / 8);
            p[1] = (x / 16 + y / 16) % 2 ? 200 : 40;
            p[2] = (uint8_t)x;
            p[3] = 255;
        }
}

/* ---- the device ---- */

static void run(struct session *s, const char *name, cl_mem from, cl_mem to, const struct image *m)
{
    cl_kernel kernel = session_kernel(s, name);
    cl_int width = (cl_int)m->width, height = (cl_int)m->height;
    SET_ARG(kernel, 0, from);
    SET_ARG(kernel, 1, to);
    SET_ARG(kernel, 2, width);
    SET_ARG(kernel, 3, height);
    size_t global[2] = {m->width, m->height};
    session_run(s, kernel, name, 2, global, NULL);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    struct session s;
    struct image in;
    session_open(&s, argc, argv, "blurs a PNG or JPEG file and finds its edges", 256);
    if (s.input) image_read(&in, s.input);
    else draw(&in, s.size);
    size_t bytes = (size_t)in.width * in.height * 4;
    struct image soft = in, out = in;
    soft.pixels = need(malloc(bytes));
    out.pixels = need(malloc(bytes));

    cl_mem a = session_buffer(&s, CL_MEM_READ_ONLY, bytes, in.pixels);
    cl_mem b = session_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
    cl_mem c = session_buffer(&s, CL_MEM_WRITE_ONLY, bytes, NULL);
    session_build(&s, source);
    run(&s, "blur", a, b, &in);
    run(&s, "sobel", b, c, &in);
    session_read(&s, b, bytes, soft.pixels);
    session_read(&s, c, bytes, out.pixels);

    bool ok = correct(&in, &soft, &out);
    const char *path = s.output ? s.output : "filter.png";
    if (!s.samples) image_write(&out, path);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    free(in.pixels);
    free(soft.pixels);
    free(out.pixels);
    int code = session_close(&s, ok, "pixels compared with the host");
    if (!s.samples) printf("  picture: %s\n", path);
    return code;
}
