struct pair {
    char small;
    int large;
    short third;
};

__attribute__((noinline)) int called(struct pair p, int n)
{
    int twice = p.large * 2 + p.small + p.third;
    return twice + n * p.large + p.third * p.small;
}

static inline int inlined(int v)
{
    int square = v * v;
    return square + 1;
}

kernel void frames(global int *out, int n)
{
    int i = get_global_id(0);
    struct pair own = {i, i * 10, i + 100};
    int sum = called(own, n);
    struct pair two = {i + 1, i * 3, i + 10};
    int more = inlined(i + n);
    out[i] = sum + more + own.small + own.large + own.third;
    out[i + 64] = n + two.small * two.large + two.third;
}
