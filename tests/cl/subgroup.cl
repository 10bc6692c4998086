// Sub-groups: reductions and scans over all work-items and over those that take a way of a branch, shuffles, broadcasts.
//! options -cl-std=CL3.0
//! types char int ulong float half
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define FIRST (get_sub_group_id() * get_max_sub_group_size())
#define VALUE(i) ((T)((i) * 7 % 5 + 1))

//! run all global=480 local=96/48/40/8/1
//! arg ok int[480] -> 1
kernel void all(global int *ok)
{
    int l = get_local_id(0), end = FIRST + get_sub_group_size();
    T x = VALUE(l), sum = 0, low = x, high = x, before = 0, least = 100;
    for (int i = FIRST; i < end; i++) {
        if (i < l) before += VALUE(i);
        if (i < l) least = min(least, VALUE(i));
        sum += VALUE(i);
        low = min(low, VALUE(i));
        high = max(high, VALUE(i));
    }
    int good = sub_group_reduce_add(x) == sum && sub_group_reduce_min(x) == low && sub_group_reduce_max(x) == high;
    good &= sub_group_scan_exclusive_add(x) == before && sub_group_scan_inclusive_add(x) == (T)(before + x);
    good &= sub_group_scan_inclusive_min(x) == min(least, x);
    T first = sub_group_scan_exclusive_min(x), highest = sub_group_scan_exclusive_max(x);
    good &= l == FIRST ? first >= 100 && highest <= 0 : first == least && highest > 0;
    good &= sub_group_broadcast(x, get_sub_group_size() - 1) == VALUE(end - 1);
    ok[get_global_id(0)] = good;
}

// Each way of the branch knows nothing of the other, nor of lanes that are not there.
//! run some global=480 local=96/40/1
//! arg ok int[480] -> 1
kernel void some(global int *ok)
{
    int l = get_local_id(0), end = FIRST + get_sub_group_size(), mine = l % 3 == 1, good = 1;
    T x = VALUE(l), sum = 0, product = 1, before = 0, high = 0, near = 0;
    for (int i = FIRST; i < end; i++) {
        if ((i % 3 == 1) != mine) continue;
        if (i < l) before += VALUE(i);
        sum += VALUE(i);
        if (i < (int)FIRST + 4) product *= VALUE(i);
        high = max(high, VALUE(i));
        if (i / 4 == l / 4) near += VALUE(i);
    }
    T small = l < (int)FIRST + 4 ? x : 1;
    if (mine) {
        good &= sub_group_non_uniform_reduce_add(x) == sum && sub_group_non_uniform_reduce_mul(small) == product;
        good &= sub_group_non_uniform_scan_exclusive_add(x) == before && sub_group_clustered_reduce_add(x, 4) == near;
    } else {
        good &= sub_group_non_uniform_reduce_max(x) == high && sub_group_non_uniform_reduce_mul(small) == product;
        good &= sub_group_non_uniform_scan_inclusive_add(x) == (T)(before + x) && sub_group_clustered_reduce_add(x, 4) == near;
    }
    good &= sub_group_clustered_reduce_max(x, 1) == x && sub_group_non_uniform_all_equal((T)3);
    good &= sub_group_non_uniform_all_equal(x) == (get_sub_group_size() == 1);
    ok[get_global_id(0)] = good;
}

//! run shuffles global=64 local=64/32
//! arg ok int[64] -> 1
kernel void shuffles(global int *ok)
{
    int l = get_local_id(0), s = get_sub_group_local_id(), good = 1;
    T x = VALUE(l);
    good &= sub_group_shuffle(x, 31 - s) == VALUE(FIRST + 31 - s) && sub_group_shuffle_xor(x, 5) == VALUE(l ^ 5);
    if (s > 2) good &= sub_group_shuffle_up(x, s % 2 + 1) == VALUE(l - s % 2 - 1) || s == 3;
    T down = sub_group_shuffle_down(x, 30), up = sub_group_shuffle_up(x, 30);
    good &= s >= 2 || down == VALUE(l + 30);
    good &= s < 30 || up == VALUE(l - 30);
    good &= sub_group_rotate(x, 35) == VALUE(FIRST + (s + 3) % 32) && sub_group_rotate(x, -1) == VALUE(FIRST + (s + 31) % 32);
    good &= sub_group_clustered_rotate(x, 3, 8) == VALUE(FIRST + (s & ~7) + (s + 3) % 8);
    good &= sub_group_broadcast_first(x) == VALUE(FIRST);
    if (s > 9) good &= sub_group_broadcast_first(x) == VALUE(FIRST + 10) && sub_group_non_uniform_broadcast(x, 12) == VALUE(FIRST + 12);
    ok[get_global_id(0)] = good;
}
