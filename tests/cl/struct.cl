// Structs: by value as arguments, in memory, as private variables, nested and with arrays.
struct mixed {
    char c;
    int i;
    short s;
    float f;
    long l;
};

//! run by_value global=8 local=8
//! arg m struct = {char -3, int 100000, short -500, float 2.5, long 5000000000}
//! arg before int = 7
//! arg out long[8] -> i == 0 ? -3 : i == 1 ? 100000 : i == 2 ? -500 : i == 3 ? 5 : i == 4 ? 5000000000 : 7
//! arg bytes int[2] -> {24, 16}
kernel void by_value(struct mixed m, int before, global long *out, global int *bytes)
{
    int i = get_global_id(0);
    out[i] = i == 0 ? m.c : i == 1 ? m.i : i == 2 ? m.s : i == 3 ? (int)(m.f * 2) : i == 4 ? m.l : before;
    if (i == 0) {
        bytes[0] = sizeof(struct mixed);
        bytes[1] = (int)((char *)&m.l - (char *)&m);
    }
}

struct table {
    int n;
    int v[6];
};

// The struct's array is indexed by each work-item differently.
//! run array_inside global=12 local=12/4
//! arg t struct = {int 6, int 10, int 11, int 12, int 13, int 14, int 15}
//! arg out int[12] -> 10 + i * 5 % 6
kernel void array_inside(struct table t, global int *out)
{
    int i = get_global_id(0);
    out[i] = t.v[i * 5 % t.n];
}

struct particle {
    float3 position;
    int kind;
    uchar tag[3];
};

struct particle moved(struct particle p, float by)
{
    p.position.y += by;
    p.tag[p.kind % 3] = 9;
    return p;
}

//! run in_memory global=8 local=4
//! arg count int = 8
//! arg raw int[64] = 0 -> i % 8 == 0 ? bits(i / 8) : i % 8 == 1 ? bits(i / 8 * 0.5) : i % 8 == 2 ? bits(-1)
//!     : i % 8 == 4 ? i / 8 * 3 : i % 8 == 5 ? 0x010101 * 1 + (8 << i / 8 * 3 % 3 * 8) : raw[i]
kernel void in_memory(int count, global struct particle *raw)
{
    int i = get_global_id(0);
    struct particle p;
    p.position = (float3)(i, 0, -1);
    p.kind = i * 3;
    p.tag[0] = p.tag[1] = p.tag[2] = 1;
    p = moved(p, i * 0.5f);
    raw[i].position.x = p.position.x;
    raw[i].position.y = p.position.y;
    raw[i].position.z = p.position.z;
    raw[i].kind = p.kind;
    for (int k = 0; k < 3; k++)
        raw[i].tag[k] = p.tag[k];
}

struct inner { int a, b; };
struct outer { struct inner in[3]; int last; };

//! run nested global=16 local=16
//! arg out int[16] -> (i % 3) * 10 + (i % 3 + 1) + (i + 5)
kernel void nested(global int *out)
{
    int i = get_global_id(0);
    struct outer o, copy;
    for (int k = 0; k < 3; k++)
        o.in[k] = (struct inner){k * 10, k + 1};
    o.last = i + 5;
    copy = o;
    o.last = 0;
    o.in[i % 3].a = -1;
    out[i] = copy.in[i % 3].a + copy.in[i % 3].b + copy.last;
}
