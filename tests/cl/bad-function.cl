// A function that is declared and nowhere defined, as the program names it.
//! only Ventus
//! build_fails undefined function "missing"
float __attribute__((overloadable)) missing(float x);
kernel void call(global float *x) { *x = missing(*x); }
