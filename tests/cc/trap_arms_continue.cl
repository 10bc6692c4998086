// Trap 4 (rule R2): both arms go on with the loop and one may leave: the reconvergence point lies
// behind the loop, so one arm runs all its remaining iterations first.
// run: arms global=64 local=32 args=b256,b256,20
// run: arms global=40 local=40 args=b160,b256,33
// run: nested global=64 local=64 args=b256,b256,12
kernel void arms(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), s = 0, k = 5;
    for (int i = 0; i < n; i++) {
        k = k * 3 + 1;
        if ((g + i) % 3 == 0) {
            s += t[i & 63];
            if ((s & 15) == 7) break;
        } else
            s ^= k;
        s += i * k;
    }
    o[g] = s;
}
kernel void nested(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), s = g;
    for (int i = 0; i < n; i++) {
        int m = t[i & 63] & 7;
        for (int j = 0; j < m; j++) {
            if ((s >> j) & 1) {
                s = s * 5 + i;
                if ((s & 63) == 9) break;
            } else {
                if (j * m == (g & 7)) continue;
                s -= j + m;
            }
            s ^= m * i;
        }
        if ((s & 255) == 77) break;
    }
    o[g] = s;
}
#ifdef HOST
ARGS3(arms, global int *, global const int *, int)
ARGS3(nested, global int *, global const int *, int)
#endif
