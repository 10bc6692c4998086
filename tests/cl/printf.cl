// printf: formats, vectors, strings, whole lines; the order of one work-item is kept.
//! run formats global=1 local=1
//! print int -5 7 0x2a 52 +9 |   12| |12   | |00012|
//! print char A percent % string hello
//! print float 1.500000 2.50e+00 0.0001 inf nan
//! print long -5000000000 18446744073709551615 ffffffffff
//! print vectors 1,2,3,4 1.50,2.50 0x1,0xff
//! print short -3 200 hh -1 |  0x7|
kernel void formats(void)
{
    printf("int %d %u 0x%x %o %+d |%5d| |%-5d| |%05d|\n", -5, 7u, 42, 42, 9, 12, 12, 12);
    printf("char %c percent %% string %s\n", 'A', "hello");
    printf("float %f %.2e %g %f %f\n", 1.5f, 2.5f, 0.0001f, INFINITY, NAN);
    printf("long %ld %lu %lx\n", -5000000000L, 18446744073709551615UL, 0xffffffffffL);
    printf("vectors %v4hld %2.2v2hlf %#v2hhx\n", (int4)(1, 2, 3, 4), (float2)(1.5f, 2.5f), (uchar2)(1, 255));
    printf("short %hd %hhu hh %hhd |%#5x|\n", (short)-3, (uchar)200, (char)-1, 7);
}

//! run items global=6 local=3
//! print_any item 0 of 6
//! print_any item 1 of 6
//! print_any item 2 of 6
//! print_any item 3 of 6
//! print_any item 4 of 6
//! print_any item 5 of 6
kernel void items(void)
{
    printf("item %d of %d\n", (int)get_global_id(0), (int)get_global_size(0));
}

//! run some global=16 local=16
//! arg results int[16] -> 0
//! print_any 3: three
//! print_any 7: other
//! print_any 11: other
//! print_any 15: other
kernel void some(global int *results)
{
    int i = get_global_id(0);
    results[i] = 0;
    if (i % 4 == 3) results[i] = printf("%d: %s\n", i, i == 3 ? "three" : "other");
}

//! run silent global=4 local=4
//! arg out int[4] -> i
kernel void silent(global int *out)
{
    int i = get_global_id(0);
    out[i] = i;
    if (i > 10) printf("never\n");
}

constant char *constant names[] = {"zero", "one", "two"};

static void say(int i, constant char *text) { printf("%d says %s\n", i, text); }

__attribute__((noinline)) void call(int i, constant char *text) { printf("%d calls %s\n", i, text); }

//! run strings global=3 local=3
//! arg item int[3] -> i
//! print_any 0 says zero
//! print_any 1 says one
//! print_any 2 says two
//! print_any 0 calls ero
//! print_any 1 calls ne
//! print_any 2 calls wo
//! print_any 1 is given |  o|
//! arg given char[8] = i < 5 ? 97 + i : 0
//! print_any 2 has abcde
kernel void strings(global int *item, constant char *given)
{
    int i = get_global_id(0);
    item[i] = i;
    say(i, names[i]);
    if (i == 2) printf("2 has %s\n", given);
    call(i, names[i] + 1);
    if (i == 1) {
        constant char *text = "only one";
        for (int k = 0; k < 5 * i; k++) text++;
        printf("1 is given |%3.1s|\n", text);
    }
}
