// What linkers are told of functions and tables: that they are used though nothing calls them, and a second name.
typedef struct {
    char tag;
    int n;
    float v[3];
} packet;

int other_name(packet p, int by) __attribute__((alias("seven")));
__attribute__((used, noinline)) int seven(packet p, int by) { return p.n * 7 + by; }
__attribute__((used)) constant int table[3] = {1, 2, 4};

//! run linked global=32 local=32
//! arg out int[32] -> i * 14 + 6
kernel __attribute__((used)) void linked(global int *out)
{
    packet p = {1, get_global_id(0), {0}};
    out[get_global_id(0)] = seven(p, table[1]) + other_name(p, table[2]);
}
