// Trap 15: divisions guarded by the program; speculating them must not change anything.
// run: guarded global=64 local=32 args=b1024,b512,0
// run: guarded global=64 local=32 args=b1024,b512,7
kernel void guarded(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), a = t[g], b = t[g + 64] & 7, r = 0;
    if (b) r = a / b + a % b;
    if (n) r += a / n; else r -= 1;
    uint u = (uint)a;
    o[4 * g] = r;
    o[4 * g + 1] = (int)(b ? u / (uint)b : u % 10u);
    o[4 * g + 2] = (int)(n ? (long)a * 77777 / n : -1);
    o[4 * g + 3] = (int)(((ulong)u << 20) / ((ulong)(b + 1)));
}
#ifdef HOST
ARGS3(guarded, global int *, global const int *, int)
#endif
