// Generic pointers to each kind of memory: where the compiler sees which, where the work-items of a warp differ, out of
// memory, in copies and in atomic operations.
//! options -cl-std=CL3.0
//! types char short int long float double

typedef struct {
    T value;
    short rest[9];
    char odd;
} S;

typedef struct node {
    T *value;
    struct node *next;
} N;

T twice(const T *p) { return *p + *p; }
void fill(T *p, int n, T value)
{
    for (int i = 0; i < n; i++) p[i] = value + (T)i;
}

//! run known global=64 local=32
//! arg ok int[64] -> 1
kernel void known(global int *ok)
{
    local T shared[32];
    T own[3];
    int l = get_local_id(0), next = (l + 1) % 32;
    fill(own, 3, (T)l);
    fill(&shared[l], 1, (T)(l + 1));
    barrier(CLK_LOCAL_MEM_FENCE);
    ok[get_global_id(0)] = twice(&shared[next]) == (T)(2 * next + 2) && own[2] == (T)(l + 2);
}

// One access, three kinds of memory in a warp.
//! run mixed global=64 local=32
//! arg data T[64] = 100 -> i % 3 == 0 ? i + 1 : 100
//! arg ok int[64] -> 1
kernel void mixed(global T *data, global int *ok)
{
    local T shared[64];
    volatile T own[2];
    int i = get_global_id(0), l = get_local_id(0);
    own[1] = (T)100;
    shared[l] = (T)100;
    volatile T *p = i % 3 == 0 ? (volatile T *)&data[i] : i % 3 == 1 ? (volatile T *)&own[1] : &shared[l];
    bool good = *p == (T)100;
    *p = (T)(i + 1);
    T last = i % 3 == 0 ? data[i] : i % 3 == 1 ? own[1] : shared[l];
    ok[i] = good && last == (T)(i + 1);
}

// The same address for all work-items: of private memory each has its own.
//! run uniform global=64 local=32
//! arg which int = 1
//! arg data T[1] = 7
//! arg ok int[64] -> 1
kernel void uniform(int which, global T *data, global int *ok)
{
    T own[4];
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++) own[k] = (T)(i + k);
    const T *p = which ? (const T *)(own + which) : data;
    ok[i] = *p == (T)(i + 1);
}

// Pointers out of memory, of lists that lie in private, local and global memory.
//! run lists global=64 local=32
//! arg data T[64] = i -> i + 3
//! arg room uint[256] -> any
//! arg sum T[64] -> (i + 1) + (i + 2) + (i + 3)
kernel void lists(global T *data, global void *room, global T *sum)
{
    local T shared[32];
    local N middle[32];
    int i = get_global_id(0), l = get_local_id(0);
    T own = (T)(i + 1);
    N first = {&own, (N *)&middle[l]};
    global N *last = (global N *)room + i;
    shared[l] = (T)(i + 2);
    middle[l].value = &shared[l];
    middle[l].next = last;
    last->value = &data[i];
    last->next = 0;
    data[i] = (T)(i + 3);
    T all = 0;
    for (N *n = &first; n; n = n->next) all += *n->value;
    sum[i] = all;
}

//! run whole global=64 local=32
//! arg from short[2048] = i % 100
//! arg to short[2048] = 0 -> any
//! arg ok int[64] -> 1
kernel void whole(global S *from, global S *to, global int *ok)
{
    int i = get_global_id(0), good = 1;
    S own, other;
    own.value = (T)i;
    for (int k = 0; k < 9; k++) own.rest[k] = k + i;
    own.odd = i;
    S *source = i % 2 ? &own : (S *)&from[i % 8], *target = i % 4 < 2 ? &other : (S *)&to[i];
    *target = *source;
    for (int k = 0; k < 9; k++) good &= target->rest[k] == source->rest[k];
    ok[i] = good && target->odd == source->odd && target->value == source->value;
}

//! run spaces global=32
//! arg data T[1] = 0
//! arg ok int[32] -> 1
kernel void spaces(global T *data, global int *ok)
{
    local T shared;
    T own = 0;
    int i = get_global_id(0);
    T *p = i % 4 == 0 ? (T *)data : i % 4 == 1 ? (T *)&shared : i % 4 == 2 ? &own : (T *)0;
    int k = !to_global(p) + 2 * !to_local(p) + 4 * !to_private(p), want = i % 4 == 0 ? 6 : i % 4 == 1 ? 5 : i % 4 == 2 ? 3 : 7;
    bool fence = get_fence(p) == (i % 4 == 0 ? CLK_GLOBAL_MEM_FENCE : i % 4 == 1 ? CLK_LOCAL_MEM_FENCE : 0);
    ok[i] = k == want && (fence || i % 4 > 1) && (i % 4 || to_global(p) == data);
}
