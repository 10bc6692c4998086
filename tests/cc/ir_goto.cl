// A bitsliced cipher: 64 words of state, some of which a table chooses, in a loop of two rounds and a crossed one that is
// entered by goto from several places. The 48 key indices of each round are values that all lanes have in common.
#define FROM(L, b, j) \
    ((b & 3) < 2 ? B[salt[(b < 2 ? b : b - 2) * 6 + j + (L ? 0 : 24)] & 63] : B[(32 - L) + (b * 4 + j + 31) % 32])
#define IN(L, b, j, base) FROM(L, b, j) ^ key[(g + (map[b * 6 + j + base + k & 511] & 7) * n) & 511]
#define BOX(L, b, base) \
    box(IN(L, b, 0, base), IN(L, b, 1, base), IN(L, b, 2, base), IN(L, b, 3, base), IN(L, b, 4, base), \
        IN(L, b, 5, base), B, L + b * 9 % 32, L + (b * 9 + 8) % 32, L + (b * 9 + 16) % 32, L + (b * 9 + 24) % 32);
#define ROUND(L, base) \
    BOX(L, 0, base) BOX(L, 1, base) BOX(L, 2, base) BOX(L, 3, base) \
    BOX(L, 4, base) BOX(L, 5, base) BOX(L, 6, base) BOX(L, 7, base)

void box(uint a, uint b, uint c, uint d, uint e, uint f, private uint *o, int p, int q, int r, int s)
{
    uint t0 = bitselect(a, b, c), t1 = (d | e) & ~f, t2 = t0 ^ t1 ^ (a >> 1), t3 = t1 ^ (t2 & d);
    uint t4 = bitselect(t3, e, t0), t5 = (t4 | t2) & ~b, t6 = t4 ^ (t5 & f), t7 = t6 ^ t3 ^ (c >> 1);
    o[p] ^= t7;
    o[q] ^= t4;
    o[r] ^= t5;
    o[s] ^= t2;
}

// run: crypt global=32 local=32 args=b2048,b512,b2048,z8192
kernel void crypt(constant uint *map, constant int *salt, global const uint *key, global uint *out)
{
    uint g = get_global_id(0), n = get_global_size(0);
    uint B[64];
    int k = 0, rounds = 3, turns = 5;
    for (int i = 0; i < 64; i++) B[i] = 0;
start:
    ROUND(32, 0)
    if (rounds == 0x100) goto next;
    ROUND(0, 48)
    k += 96;
    if (--rounds > 0) goto start;
    k -= 288 + 48;
    rounds = 0x103;
    if (--turns) goto crossed;
    for (int i = 0; i < 64; i++) out[g + i * n] = B[i];
    return;
crossed:
    ROUND(0, 48)
    k += 96;
    if (--rounds) goto start;
next:
    k -= 288 - 48;
    rounds = 3;
    turns--;
    goto start;
}
#ifdef HOST
ARGS4(crypt, constant uint *, constant int *, global const uint *, global uint *)
#endif
