// Trap 2 (rules R2, R4): a uniform counter, and lanes that leave the loop at different counts.
// run: counter global=96 local=32 args=b384,b128,30
// run: counter global=70 local=35 args=b280,b128,32
// run: two_exits global=64 local=64 args=b256,b128,32
// run: live_after global=64 local=32 args=b512,b128,20
kernel void counter(global int *o, global const uint *t, int n)
{
    int g = get_global_id(0), i = 0;
    while (1) {
        if (((t[i] ^ (uint)g * 7u) & 7u) == 3u) break;
        i++;
        if (i >= n) break;
    }
    o[g] = i;
}
kernel void two_exits(global int *o, global const uint *t, int n)
{
    int g = get_global_id(0), i = 0, j = 100;
    for (; i < n; i++, j -= 3) {
        if (i == g % 9) break;
        if ((t[i] & 31u) == (uint)(g & 31)) { j += 1000; break; }
    }
    o[g] = i * 65536 + j;
}
kernel void live_after(global int *o, global const uint *t, int n)
{
    int g = get_global_id(0), i = 0, sum = 0, last = -1;
    do {
        last = sum;
        sum += (int)(t[i] & 15u);
        i += 2;
    } while (i < n && i < g);
    o[2 * g] = last;
    o[2 * g + 1] = sum * 100 + i;
}
#ifdef HOST
ARGS3(counter, global int *, global const uint *, int)
ARGS3(two_exits, global int *, global const uint *, int)
ARGS3(live_after, global int *, global const uint *, int)
#endif
