// A sampler: refused in words of the program, not by the name of a function that the front end makes.
//! only Ventus
//! build_fails images and samplers (here for
constant sampler_t nearest = CLK_FILTER_NEAREST;
kernel void sample(read_only image2d_t picture, global float4 *out) { *out = read_imagef(picture, nearest, (int2)(0, 0)); }
