// A kernel in C that calls functions in assembly, and a function in C that a kernel in assembly calls.
//
//   ventus as -c sum.s && ventus as -c scale.s && ventus cc -c blur.cl -o blur.o && ventus ld blur.o sum.o scale.o -o abi.elf
//   ventus run abi.elf --kernel blur -g 6 -a ints:0,10,20,30,40,50 -a buf:24 --show 1
//   ventus run abi.elf --kernel scale -g 6 -a ints:0,10,20,30,40,50 -a i:3
struct window {
    int left, middle, right;
};

// In sum.s. A struct is passed by its address, a long in a pair of registers.
int weigh(struct window w, int scale);
long square(int x);

// Lanes that are at an end of the row call it with another argument than the others, in turn.
kernel void blur(global const int *in, global int *out)
{
    int i = get_global_id(0), last = get_global_size(0) - 1;
    struct window w = {in[max(i - 1, 0)], in[i], in[min(i + 1, last)]};
    if (i == 0 || i == last) out[i] = weigh(w, 1);
    else out[i] = weigh(w, 4) + (int)(square(i) >> 32);
}

// Called by scale.s.
int scaled(int value, int factor)
{
    int digits = 0;
    for (int rest = value * factor; rest; rest /= 10) digits++;
    return value * factor + 1000 * digits;
}
