// OpenCL C has no recursion: a message, not a crash.
//! only Ventus
//! build_fails recurs
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
kernel void endless(global int *out, int n) { out[0] = factorial(n); }
