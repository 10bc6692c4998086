// Memory moves: struct assignments that become memcpy and memset, small and large; zeroed arrays.
// run: moves global=32 local=32 args=b8192,b8192,5
struct big { int a[40]; uchar b[7]; };
kernel void moves(global int *o, global const struct big *t, int n)
{
    int g = get_global_id(0), zero[32] = {0}, s = 0;
    struct big x = t[g], y;
    char text[21] = "twenty-one characters";
    zero[g & 31] = g;
    x.a[g] = n;
    y = x;
    y.b[n % 7] = 3;
    if (g & 1) x = y; else x.a[3] = s;
    for (int i = 0; i < 40; i++) s = s * 3 + x.a[i] + y.a[39 - i];
    for (int i = 0; i < 7; i++) s = s * 5 + x.b[i] * y.b[i];
    for (int i = 0; i < 32; i++) s += zero[i] * i;
    o[g] = s + text[g % 21];
}
#ifdef HOST
ARGS3(moves, global int *, global const struct big *, int)
#endif
