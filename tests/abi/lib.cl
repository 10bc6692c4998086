#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "lib.h"
global int counter = 17;
constant int shared_table[5] = {2, 3, 5, 7, 11};
static constant uint mine[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
struct chain { constant uint *at; int n; };
constant struct chain chains[2] = {{mine + 1, 3}, {mine + 4, 4}};
int mix(int a, int b) { return a * 31 + b; }
long add64(int a, long b, int c, long d) { return a + b * 3 + c - d; }
double scale(double a, float b, double c) { return a * b + c / 3.0; }
float4 mad4(float4 a, float4 b, float4 c) { return a * b + c; }
ulong16 big16(ulong16 a, ulong16 b) { return a * b + a.s1032547698badcfe; }
char4 rev(char4 c) { return c.wzyx; }
short bump(short s, uchar u) { return s + u; }
bool odd(int x, bool flip) { return (x & 1) != flip; }
struct point step_(struct point p, int by) { p.x += by; p.y -= by; p.w *= 2; p.big += p.tag; p.tag++; return p; }
int sum_wide(struct wide w, int k) { int s = 0; w.v[3] = 1000; for (int i = 0; i <= k; i++) s += w.v[i]; return s; }
int many(int a0, int16 a, int16 b, int16 c, long d, int e)
{
    int16 t = a * 3 + b * 5 + c * 7;
    return a0 + t.s0 + t.s1 * 2 + t.s7 * 3 + t.sf * 5 + (int)(d >> 34) + e;
}
void store(global int *p, local int *l, private int *q, int v) { *p = v; *l = v + 1; *q = v + 2; }
int walk(int n, global const int *t)
{
    int s = 0;
    while (n > 0) {
        s += n & 1 ? t[n & 31] & 0xff : n;
        n = n % 5 == 0 ? n / 2 : n - 3;
    }
    return s;
}
uint table_at(uint i) { return mine[i] + chains[i & 1].at[i & 1] + chains[i & 1].n; }
int deep(int n, int16 v)
{
    int16 w = v;
    int buffer[8];
    for (int i = 0; i < 8; i++) buffer[i] = i * n;
    for (int i = 0; i < n; i++) {
        w = w * 3 + mix(w.s0, i);
        if (w.s0 & 1) w += mix(w.s1, buffer[w.s0 & 7]);
        buffer[i & 7] = mix(w.s2, w.s3);
    }
    return w.s0 + w.s5 * 3 + w.sf + buffer[2] + buffer[n & 7];
}
half hh(half a) { return a / (half)4 + (half)1; }
