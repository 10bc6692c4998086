// Variables of a program: initial values, addresses in them, and what a launch leaves for the next.
//! options -cl-std=CL3.0
//! run first global=40 local=8
//! arg out int[6] -> {7, 4, 0, 5, 105, 2}
typedef struct { int value; global const int *next; constant int *fixed; } node;
constant int numbers[3] = {3, 4, 5};
constant int *constant places[2] = {&numbers[2], numbers + 1};
global int table[4] = {7, 8, 9, 10};
global int *middle = &table[2];
global node list[2] = {{100, table, numbers}, {105, &table[3], &numbers[2]}};
global int counter;
global uchar bytes[3] = {1, 2};
kernel void first(global int *out)
{
    static global int inside = 1;
    atomic_add(&counter, 1);
    atomic_max(&table[0], (int)get_global_id(0));
    if (get_global_id(0)) return;
    inside++;
    out[0] = 7;
    out[1] = *places[1];
    out[2] = list[0].next != table;
    out[3] = *list[1].fixed;
    out[4] = list[1].value;
    out[5] = inside;
    *middle = 33;
    bytes[2] = 77;
}

//! run second global=1 local=1
//! arg out int[6] -> {40, 39, 33, 10, 5, 80}
kernel void second(global int *out)
{
    out[0] = counter;
    out[1] = table[0];
    out[2] = table[2];
    out[3] = *list[1].next;
    out[4] = *places[0];
    out[5] = bytes[0] + bytes[1] + bytes[2];
}
