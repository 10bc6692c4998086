// Inline assembly: operands of every kind, registers by name, instructions of the machine.
//! only Ventus
//! run operands global=70 local=35/7
//! arg a int[70] = i * 3
//! arg u int = 1000
//! arg f float = 1.5
//! arg out int[70] -> (i * 3 + i * 3 + 7) * 2 + 1000 + 5 + 3
kernel void operands(global const int *a, int u, float f, global int *out)
{
    int i = get_global_id(0), x = a[i], sum, scalar;
    float twice;
    __asm__ volatile("vadd.vv %0, %1, %[same] # $0 is no operand, nor is %%1\n\t"
                     "vadd.vi %0, %0, %3;  vadd.vv %0, %0, %0"
                     : "=&vr"(sum) : "vr"(x), [same] "vr"(a[i]), "i"(7));
    __asm__("addi %0, %1, %2" : "=r"(scalar) : "r"(u), "I"(5));
    __asm__("fadd.s %0, %1, %1" : "=f"(twice) : "f"(f));
    out[i] = sum + scalar + (int)twice;
}

// The result of an earlier instruction must not replace an operand of a later one.
//! run early global=32 local=32
//! arg a int[32] = i
//! arg out int[32] -> i + i * 2
kernel void early(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], r;
    __asm__("vadd.vv %0, %1, %1\n vadd.vv %0, %0, %1" : "=&vr"(r) : "vr"(x));
    out[i] = r;
}

// Names of registers, also in a loop, with what else is alive there.
//! run named global=64 local=32
//! arg n int = 5
//! arg a int[64] = i * 7
//! arg out int[64] -> 5 * (i * 7 + 3) + i
kernel void named(int n, global const int *a, global int *out)
{
    int i = get_global_id(0), sum = i;
    for (int k = 0; k < n; k++) {
        int r;
        __asm__ volatile("li t0, 3; li a0, -1; li x40, 9\n\tvmv.v.x v5, t0\n\tvadd.vv v0, v5, %1\n vmv.v.v %0, v0"
                         : "=vr"(r) : "vr"(a[i]) : "t0", "a0", "x40", "v5", "v0");
        sum += r;
    }
    out[i] = sum;
}

//! run memory global=1 local=1
//! arg p int[4] = {4, 5, 6, 7} -> {4, 5, 6, 12}
//! arg q int[4] = {1, 2, 3, 4} -> {1, 2, 10, 4}
kernel void memory(global int *p, global int *q)
{
    int r;
    __asm__ volatile("lw %0, %2\n add %0, %0, %3\n sw %0, %1" : "=&r"(r), "=m"(p[3]) : "m"(p[1]), "r"(p[3]) : "memory");
    local int inside;
    inside = 9;
    __asm__ volatile("lw %0, %1" : "=r"(r) : "m"(inside) : "memory");
    q[2] = r + 1;
}

// Tied operands; branches within a template; the words of an instruction by their fields.
//! run tied global=40 local=40
//! arg out int[40] -> (i + 2) * 4 + 10 + (i + 2)
kernel void tied(global int *out)
{
    int i = get_global_id(0), x = i, count = 4, copy, total = 0;
    __asm__("vadd.vi %0, %1, 2" : "=vr"(x) : "0"(x));
    __asm__ volatile("1: addi %1, %1, -1; add %0, %0, %1; addi %0, %0, 1\n bnez %1, 1b" : "+r"(total), "+r"(count));
    __asm__(".insn r 0x57, 0, 1, %0, %1, %1" : "=vr"(copy) : "vr"(x));
    __asm__(".insn r OP_V, 0x0, 1, %0, %1, %0" : "+vr"(copy) : "vr"(copy));
    out[i] = copy + total + x;
}

//! run parts global=64 local=64
//! arg a float[256] = i
//! arg l ulong[64] = i * 4294967297
//! arg out float[256] -> i * 2
//! arg m ulong[64] -> i * 4294967297 + 1
kernel void parts(global const float4 *a, global const ulong *l, global float4 *out, global ulong *m)
{
    int i = get_global_id(0);
    float4 x = a[i];
    ulong y = l[i];
    __asm__ volatile("# %0" : "+vr"(x));
    __asm__ volatile("# %0 %1" : "+vr"(y) : "vr"(x));
    out[i] = x + x;
    m[i] = y + 1;
}

// Parts of a warp execute a template; a scalar result is one of the lanes that did.
//! run branches global=64 local=64
//! arg out int[64] -> i % 3 == 0 ? i + 100 : i % 3 == 1 ? 7 : -1
kernel void branches(global int *out)
{
    int i = get_global_id(0), r = -1;
    if (i % 3 == 0) __asm__ volatile("vadd.vx %0, %1, %2" : "=vr"(r) : "vr"(i), "r"(100));
    else if (i % 3 == 1) __asm__ volatile("li %0, 7" : "=r"(r));
    out[i] = r;
}

//! run shuffles global=64 local=32
//! arg out int[256] -> any
//! arg ok int[64] -> 1
kernel void shuffles(global int4 *out, global int *ok)
{
    int i = get_global_id(0), lane = get_local_id(0), a, b, c, d;
    __asm__("shuffle.idx %0, %1, 3" : "=vr"(a) : "vr"(i));
    __asm__("shuffle.up %0, %1, 2" : "=vr"(b) : "vr"(i));
    __asm__("shuffle.down %0, %1, %2" : "=vr"(c) : "vr"(i), "i"(4));
    __asm__("shuffle.bfly %0, %1, 1" : "=vr"(d) : "vr"(i));
    out[i] = (int4)(a, b, c, d);
    ok[i] = a == i - lane + 3 && b == (lane < 2 ? i : i - 2) && c == (lane > 27 ? i : i + 4) && d == (i ^ 1);
}

// D = A x B + C of 16 x 16 x 16, in a loop: matrices are several registers, of which accumulators stay where they are.
// Row and column of an element are its number's digits.
//! run matrix global=32 local=32
//! arg rounds int = 3
//! arg out float[256] -> 3 * sum(k, 0, 16, ((i / 16 + k) % 5) * ((k + 2 * (i % 16)) % 7))
uint half_pair(int low, int high)
{
    uint a, b;
    __asm__("vcvt.fp16.fp32 %0, %1" : "=vr"(a) : "vr"((float)low));
    __asm__("vcvt.fp16.fp32 %0, %1" : "=vr"(b) : "vr"((float)high));
    return a | b << 16;
}
kernel void matrix(int rounds, global float *out)
{
    int lane = get_local_id(0);
    uint4 a, b;
    for (int r = 0; r < 4; r++) {
        int row = (r * 32 + lane) / 8, k = (r * 32 + lane) % 8 * 2; /* of A; of B the column, which lies along k */
        ((uint *)&a)[r] = half_pair((row + k) % 5, (row + k + 1) % 5);
        ((uint *)&b)[r] = half_pair((k + 2 * row) % 7, (k + 1 + 2 * row) % 7);
    }
    float8 c = 0;
    for (int r = 0; r < rounds; r++)
        __asm__("mma.m16n16k16.row.row.f32.f16.f16.f32 %0, %1, %2" : "+vr"(c) : "vr"(a), "vr"(b));
    for (int r = 0; r < 8; r++) out[r * 32 + lane] = ((float *)&c)[r];
}

// A copy in the background into local memory.
//! run copy global=32 local=32
//! arg in uint[32] = i * 5
//! arg out uint[32] -> i * 5
kernel void copy(global const uint *in, global uint *out)
{
    local uint inside[32] __attribute__((aligned(16)));
    __asm__ volatile("cp_dma_bulk %0, %1, %2\n cp_dma_mbarrier" : : "vr"(inside), "r"(in), "r"(128) : "memory");
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = inside[get_local_id(0)];
}
