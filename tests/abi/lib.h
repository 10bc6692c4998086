#pragma once
struct point {
    int x, y;
    float w;
    long big;
    char tag;
};
struct wide {
    int v[20];
};
int mix(int a, int b);
long add64(int a, long b, int c, long d);
double scale(double a, float b, double c);
float4 mad4(float4 a, float4 b, float4 c);
ulong16 big16(ulong16 a, ulong16 b);
char4 rev(char4 c);
short bump(short s, uchar u);
bool odd(int x, bool flip);
struct point step_(struct point p, int by);
int sum_wide(struct wide w, int k);
int many(int a0, int16 a, int16 b, int16 c, long d, int e);
void store(global int *p, local int *l, private int *q, int v);
int walk(int n, global const int *t);
uint table_at(uint i);
int deep(int n, int16 v);
half hh(half a);
extern global int counter;
extern constant int shared_table[5];
