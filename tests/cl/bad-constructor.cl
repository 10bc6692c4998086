// C++ for OpenCL: a program-scope variable whose constructor would have to run.
//! options -cl-std=CLC++
//! build_fails program-scope variables with constructors that run
int later(int n);
struct Size {
    int n;
    Size(int x) { for (n = 0; x; x /= 2) n += later(x); }
};
int later(int n) { return n & 1; }
global Size size(5);
kernel void k(global int *out) { out[0] = size.n; }
