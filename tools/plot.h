/* Pictures of points in a plane with logarithmic axes, as SVG. */
#ifndef VENTUS_TOOL_PLOT_H
#define VENTUS_TOOL_PLOT_H

#include <stdio.h>

struct plot {
    FILE *out;
    double least[2], most[2]; /* of x, y; above 0 */
    unsigned labels;          /* points so far */
};

/* Begins a picture with a title and the axes, which reach from least[] to most[] or a little further. */
void plot_begin(struct plot *p, FILE *out, const char *title, const char *x, const char *y);

/* A line between two points, with a name at its end (NULL: none); what lies outside is not seen. */
void plot_line(struct plot *p, double x0, double y0, double x1, double y1, const char *name);

/* A point with a name, which is one of the important ones or not. */
void plot_point(struct plot *p, double x, double y, const char *name, int important);

void plot_end(struct plot *p);

#endif
