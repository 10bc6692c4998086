/* Pictures with logarithmic axes, as SVG. Called by roofline.c and sweep_result.c. */
#include "plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/output.h"

enum { WIDTH = 800, HEIGHT = 560, LEFT = 80, RIGHT = 30, TOP = 50, BOTTOM = 70 };

static double across(const struct plot *p, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(x / p->least[0]) / log(p->most[0] / p->least[0]);
}

static double down(const struct plot *p, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * log(y / p->least[1]) / log(p->most[1] / p->least[1]);
}

static void put_text(FILE *out, const char *text)
{
    for (size_t n; *text; text += n) switch (*text) {
        case '<': n = 1, fputs("&lt;", out); break;
        case '>': n = 1, fputs("&gt;", out); break;
        case '&': n = 1, fputs("&amp;", out); break;
        default: n = strcspn(text, "<>&"), output_plain(out, text, n, SIZE_MAX);
        }
}

static void label(struct plot *p, double x, double y, const char *style, const char *text)
{
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    put_text(p->out, text);
    fputs("</text>\n", p->out);
}

/* A line at each power of ten. */
static void put_grid(struct plot *p, int axis)
{
    char text[32];
    for (double at = p->least[axis]; at <= p->most[axis] * 1.001; at *= 10) {
        double x = axis ? LEFT : across(p, at), y = axis ? down(p, at) : HEIGHT - BOTTOM;
        fprintf(p->out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#ddd\"/>\n", x, y, axis ? (double)WIDTH - RIGHT : x,
                axis ? y : (double)TOP);
        snprintf(text, sizeof text, "%g", at);
        if (axis) label(p, LEFT - 8, y + 4, "text-anchor=\"end\"", text);
        else label(p, x, HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", text);
    }
}

void plot_begin(struct plot *p, FILE *out, const char *title, const char *x, const char *y)
{
    p->out = out;
    p->labels = 0;
    for (int axis = 0; axis < 2; axis++) {
        p->least[axis] = pow(10, floor(log10(p->least[axis])));
        p->most[axis] = pow(10, ceil(log10(p->most[axis] * 1.001)));
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<clipPath id=\"in\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
            WIDTH, HEIGHT, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    put_grid(p, 0);
    put_grid(p, 1);
    label(p, LEFT, 28, "font-size=\"16\"", title);
    label(p, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 24, "text-anchor=\"middle\"", x);
    fprintf(out, "<g transform=\"translate(20,%d) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2);
    label(p, 0, 0, "text-anchor=\"middle\"", y);
    fputs("</g>\n", out);
}

void plot_line(struct plot *p, double x0, double y0, double x1, double y1, const char *name)
{
    fprintf(
        p->out,
        "<path class=\"line\" d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#357\" stroke-width=\"2\" clip-path=\"url(#in)\"/>\n",
        across(p, x0), down(p, y0), across(p, x1), down(p, y1));
    if (name) label(p, across(p, x1) - 4, down(p, y1) - 6, "text-anchor=\"end\" fill=\"#357\"", name);
}

void plot_point(struct plot *p, double x, double y, const char *name, int important)
{
    fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"><title>", across(p, x), down(p, y),
            important ? 5 : 3, important ? "#c30" : "#999");
    put_text(p->out, name);
    fputs("</title></circle>\n", p->out);
    if (!important) return;
    bool right = across(p, x) > WIDTH / 2.0; /* the longer side has room for the name */
    label(p, across(p, x) + (right ? -8 : 8), down(p, y) + (p->labels++ & 1 ? 14 : -4),
          right ? "text-anchor=\"end\" fill=\"#c30\"" : "fill=\"#c30\"", name);
}

void plot_end(struct plot *p) { fputs("</svg>\n", p->out); }
