/* Pictures through libpng's simple interface and libjpeg; see image.h. */
#include "image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#include "common.h"

enum { MAX_SIDE = 8192 };

static void allocate(struct image *image, const char *path, unsigned width, unsigned height)
{
    if (!width || !height || width > MAX_SIDE || height > MAX_SIDE)
        fail("%s: a picture of %u x %u is too large (at most %d x %d)", path, width, height, MAX_SIDE, MAX_SIDE);
    *image = (struct image){width, height, need(malloc((size_t)width * height * 4))};
}

static void read_png(struct image *image, FILE *file, const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_stdio(&png, file)) fail("%s: damaged PNG: %s", path, png.message);
    allocate(image, path, png.width, png.height);
    png.format = PNG_FORMAT_RGBA;
    if (!png_image_finish_read(&png, NULL, image->pixels, 0, NULL)) fail("%s: damaged PNG: %s", path, png.message);
}

struct jpeg_trap {
    struct jpeg_error_mgr manager; /* first, so that libjpeg's pointer is ours */
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

static void jpeg_failed(j_common_ptr jpeg)
{
    struct jpeg_trap *trap = (struct jpeg_trap *)jpeg->err;
    trap->manager.format_message(jpeg, trap->text);
    longjmp(trap->back, 1);
}

/* libjpeg warns about damage it can paint over; a truncated picture is then grey at its end. */
static void jpeg_quiet(j_common_ptr jpeg) { (void)jpeg; }

static void read_jpeg(struct image *image, FILE *file, const char *path)
{
    struct jpeg_decompress_struct jpeg;
    struct jpeg_trap trap;
    jpeg.err = jpeg_std_error(&trap.manager);
    trap.manager.error_exit = jpeg_failed;
    trap.manager.output_message = jpeg_quiet;
    if (setjmp(trap.back)) fail("%s: damaged JPEG: %s", path, trap.text);
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, file);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&jpeg);
    allocate(image, path, jpeg.output_width, jpeg.output_height);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = image->pixels + (size_t)jpeg.output_scanline * image->width * 4;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
}

void image_read(struct image *image, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail("%s: %s", path, strerror(errno));
    unsigned char magic[8] = {0};
    size_t got = fread(magic, 1, sizeof magic, file);
    if (ferror(file)) fail("%s: %s", path, strerror(errno));
    rewind(file);
    if (got == sizeof magic && !memcmp(magic, "\x89PNG\r\n\x1a\n", 8)) read_png(image, file, path);
    else if (got >= 3 && !memcmp(magic, "\xff\xd8\xff", 3)) read_jpeg(image, file, path);
    else fail("%s: not an image; give a PNG or JPEG file", path);
    fclose(file);
}

void image_write(const struct image *image, const char *path)
{
    png_image png = {
        .version = PNG_IMAGE_VERSION, .width = image->width, .height = image->height, .format = PNG_FORMAT_RGBA};
    if (!png_image_write_to_file(&png, path, 0, image->pixels, 0, NULL)) fail("%s: %s", path, png.message);
}
