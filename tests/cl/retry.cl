// Loops around atomic_cmpxchg until it has taken place: what they leave and return, in global and local memory, of
// words that lanes share or not. Sums of floats here are exact.
typedef union { float f; uint u; int i; } word;

// The old word is loaded in each round; or it is what the exchange has found.
float add_loaded(volatile global float *p, float v)
{
    word old, next;
    do { old.f = *p; next.f = old.f + v; } while (atomic_cmpxchg((volatile global uint *)p, old.u, next.u) != old.u);
    return old.f;
}
float add_found(volatile global float *p, float v)
{
    word old, found, next;
    found.f = *p;
    do {
        old = found;
        next.f = old.f + v;
        found.u = atomic_cmpxchg((volatile global uint *)p, old.u, next.u);
    } while (found.u != old.u);
    return found.f;
}
void add_local(volatile local float *p, float v)
{
    word old, found, next;
    found.f = *p;
    do { old = found; next.f = old.f + v; found.u = atomic_cmpxchg((volatile local uint *)p, old.u, next.u); } while (found.u != old.u);
}

//! run sums global=256 local=64/128/1/null
//! arg one float[2] = 0 -> {256 * 255 / 2, 256 * 255 / 2}
//! arg own float[256] = 0 -> i
//! arg few float[5] = 0 -> {6630, 6426, 6477, 6528, 6579}
//! arg some int[3] = 0 -> {5418, 0, 5334}
kernel void sums(global float *one, global float *own, global float *few, global int *some)
{
    int g = get_global_id(0), old, seen;
    add_loaded(one, g);
    add_found(one + 1, g);
    add_loaded(own + g, g);
    add_found(few + g % 5, g);
    if (g % 6 != 0) return;
    do { old = some[0]; } while (atomic_cmpxchg((volatile global int *)some, old, old + g) != old);
    for (int k = 0; k < g % 4; k++) {
        seen = some[2];
        do { old = seen; seen = atomic_cmpxchg((volatile global int *)some + 2, old, old + g + 1); } while (seen != old);
    }
}

//! run groups global=256 local=64
//! arg sum float[4] = 0 -> {2016, 6112, 10208, 14304}
//! arg all float[1] = 0 -> 32640
kernel void groups(global float *sum, global float *all)
{
    local float s[2];
    int g = get_global_id(0), l = get_local_id(0);
    if (l < 2) s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add_local(&s[l & 1], g);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) { sum[get_group_id(0)] = s[0] + s[1]; add_found(all, s[0] + s[1]); }
}

// Every old word is handed out once, as the old word or as what the exchange has found.
//! run tickets global=200 local=200/40/25
//! arg next float[2] = {0, 100} -> {200, 300}
//! arg a int[200] -> sorted i
//! arg b int[200] -> sorted i + 100
kernel void tickets(global float *next, global int *a, global int *b)
{
    a[get_global_id(0)] = add_loaded(next, 1);
    b[get_global_id(0)] = add_found(next + 1, 1);
}

// Loops that are more than that: how often they go round is counted, others see each try, a word is given up, the first
// word is a guess.
//! run others global=64 local=64/32
//! arg p int[4] = {0, 0, 0, 7} -> {64, 63, 64, 71}
//! arg tries int[64] = 0 -> 1
//! arg done int[1] = 0 -> 64
kernel void others(volatile global int *p, global int *tries, volatile global int *done)
{
    int g = get_global_id(0), old, seen, n = 0;
    do { old = p[0]; n++; } while (atomic_cmpxchg(p, old, old + 1) != old);
    tries[g] = n > 0 && n <= 64;
    seen = p[1];
    while (seen < g) { old = seen; seen = atomic_cmpxchg(p + 1, old, g); if (seen == old) break; }
    do { old = p[2]; tries[g] |= 0; } while (atomic_cmpxchg(p + 2, old, old + 1) != old);
    seen = 0;
    n = 0;
    do { old = seen; seen = atomic_cmpxchg(p + 3, old, old + 1); n++; } while (seen != old);
    if (n < 2) tries[g] = 2; /* nobody has guessed it at once */
    atomic_inc(done);
}

// What is computed of the word that the exchange has found.
//! run behind global=64 local=64/32
//! arg p int[2] = {5, 1} -> {69, 1}
//! arg out int[64] -> sorted (i + 5) * 3 + 1
kernel void behind(volatile global int *p, global int *out)
{
    int g = get_global_id(0), old, found, after;
    do { old = p[0]; found = atomic_cmpxchg(p, old, old + 1); after = found * 3 + 1; } while (found != old);
    out[g] = after;
}
