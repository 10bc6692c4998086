/* Mandelbrot set: one work-item per point, a loop that each leaves after its own number of steps.
 * Written as a PNG. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "image.h"

enum { STEPS = 96 };

static const char source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "kernel void mandelbrot(global int *steps, int limit, float left, float top, float pitch)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float cr = left + pitch * x, ci = top - pitch * y, zr = 0, zi = 0;\n"
    "    int n = 0;\n"
    "    while (n < limit && zr * zr + zi * zi < 4) {\n"
    "        float t = zr * zr - zi * zi + cr;\n"
    "        zi = 2 * zr * zi + ci;\n"
    "        zr = t;\n"
    "        n++;\n"
    "    }\n"
    "    steps[y * get_global_size(0) + x] = n;\n"
    "}\n";

/* The same on the host. Single precision without contraction, so the counts must be equal. */
static int escape(int x, int y, float left, float top, float pitch)
{
    float cr = left + pitch * (float)x, ci = top - pitch * (float)y, zr = 0, zi = 0;
    int n = 0;
    while (n < STEPS && zr * zr + zi * zi < 4) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        n++;
    }
    return n;
}

static void paint(struct image *image, const int *steps)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        int n = steps[i];
        uint8_t *p = image->pixels + 4 * i;
        p[0] = n == STEPS ? 0 : (uint8_t)(n * 9);
        p[1] = n == STEPS ? 0 : (uint8_t)(40 + n * 5);
        p[2] = n == STEPS ? 0 : (uint8_t)(110 + n * 3);
        p[3] = 255;
    }
}

int main(int argc, char **argv)
{
    struct session s;
    session_open(&s, argc, argv, "draws the Mandelbrot set, N pixels wide, into a PNG", 640);
    unsigned width = s.size, height = (s.size * 3 + 3) / 4;
    cl_float pitch = 3.0f / (float)width, left = -2.2f, top = pitch * (float)height / 2;
    cl_int limit = STEPS;
    size_t n = (size_t)width * height;
    cl_int *steps = need(malloc(n * sizeof *steps));

    session_build(&s, source);
    cl_kernel kernel = session_kernel(&s, "mandelbrot");
    cl_mem buffer = session_buffer(&s, CL_MEM_WRITE_ONLY, n * sizeof *steps, NULL);
    SET_ARG(kernel, 0, buffer);
    SET_ARG(kernel, 1, limit);
    SET_ARG(kernel, 2, left);
    SET_ARG(kernel, 3, top);
    SET_ARG(kernel, 4, pitch);
    size_t global[2] = {width, height};
    session_run(&s, kernel, "mandelbrot", 2, global, NULL);
    session_read(&s, buffer, n * sizeof *steps, steps);

    bool ok = true;
    for (size_t i = 0; i < n; i++) ok &= steps[i] == escape((int)(i % width), (int)(i / width), left, top, pitch);
    struct image image = {width, height, need(malloc(n * 4))};
    paint(&image, steps);
    const char *path = s.output ? s.output : "mandelbrot.png";
    if (!s.samples) image_write(&image, path);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    free(image.pixels);
    free(steps);
    int code = session_close(&s, ok, "step counts compared with the host");
    if (!s.samples) printf("  picture: %s\n", path);
    return code;
}
