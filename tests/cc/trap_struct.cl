// Trap 9: struct arguments by value: read in place with constant places, copied when written or
// indexed at run time.
// run: fields global=32 local=32 args=b1024,r,r
// run: indexed global=40 local=20 args=b1024,r,3
// run: changed global=40 local=20 args=b1024,r,3
struct inner { char c; short s; int4 v; };
struct outer { uchar a; ulong b; struct inner in[2]; float f[5]; ushort h; };
kernel void fields(global uint *o, struct outer p, struct inner q)
{
    int g = get_global_id(0);
    o[g * 8] = p.a + p.h;
    o[g * 8 + 1] = (uint)(p.b >> 7);
    o[g * 8 + 2] = p.in[1].v.y + p.in[0].s;
    o[g * 8 + 3] = p.in[1].c * q.c;
    o[g * 8 + 4] = as_uint(p.f[2]);
    o[g * 8 + 5] = q.v.x - q.v.w + q.s;
}
kernel void indexed(global uint *o, struct outer p, int n)
{
    int g = get_global_id(0);
    o[g] = as_uint(p.f[g % 5]);
    o[g + 64] = p.in[g & 1].v.z + p.in[n & 1].s;
    o[g + 128] = ((uchar *)&p)[8 + (g & 7)];
}
int touch(struct outer *p, int i)
{
    p->in[i & 1].v.y = i;
    p->h += (ushort)i;
    return p->in[0].v.y + p->in[1].v.y;
}
kernel void changed(global uint *o, struct outer p, int n)
{
    int g = get_global_id(0);
    struct outer q = p;
    int r = touch(&q, g);
    p.f[1] = 2.0f;
    o[g] = r + q.h;
    o[g + 64] = p.h + (uint)p.f[n & 1 ? 1 : 1];
    q = p;
    o[g + 128] = (uint)q.f[1] + q.in[n & 1].c;
}
#ifdef HOST
ARGS3(fields, global uint *, struct outer, struct inner)
ARGS3(indexed, global uint *, struct outer, int)
ARGS3(changed, global uint *, struct outer, int)
#endif
