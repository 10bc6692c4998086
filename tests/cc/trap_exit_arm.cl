// Trap 3 (rule R5): scalar code in an exit arm while other lanes still loop with their scalars.
// run: exit_arm global=64 local=64 args=b512,i256,40
// run: exit_arm global=33 local=33 args=b264,b256,17
// run: search global=96 local=48 args=b768,i256,64
kernel void exit_arm(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), r = -1, q = 0;
    for (int i = 0; i < n; i++) {
        if ((t[i] & 63) == g) {
            q = t[(i * 5) % n];
            r = q + i;
            break;
        }
    }
    o[2 * g] = r;
    o[2 * g + 1] = q;
}
kernel void search(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), a = 1, b = 2, c = 3, d = 4, r = 0;
    for (int i = 0; i < n; i++) {
        a = a * 3 + t[i];
        b = b ^ a;
        c = c + b * i;
        d = d - c;
        if (i == (g & 15)) {
            int u = t[(i + 1) % n] * 3, v = t[(i + 2) % n] * 5, w = t[(i + 3) % n] * 7;
            r = u + v + w + a + b + c + d;
            o[2 * g + 1] = u * v - w;
            break;
        }
    }
    o[2 * g] = r ^ a;
}
#ifdef HOST
ARGS3(exit_arm, global int *, global const int *, int)
ARGS3(search, global int *, global const int *, int)
#endif
