// Functions of a whole work-group: groups of one warp, of several, of parts of one, in more than one dimension.
//! options -cl-std=CL3.0
//! types int uint long ulong
//! run numbers global=480 local=96/48/40/32/8/1
//! arg wrong int[1] = 0 -> 0
kernel void numbers(global int *wrong)
{
    uint l = get_local_id(0), size = get_local_size(0);
    T x = (T)((l * 7 + 3) % 50) << (sizeof(T) * 4 - 4), sum = 0, low = x, high = x, before = 0, least = 0;
    for (uint i = 0; i < size; i++) {
        T y = (T)((i * 7 + 3) % 50) << (sizeof(T) * 4 - 4);
        if (i < l) before += y;
        if (!i || y < least) least = i <= l ? y : least;
        sum += y;
        low = min(low, y);
        high = max(high, y);
    }
    int bad = work_group_reduce_add(x) != sum || work_group_reduce_min(x) != low || work_group_reduce_max(x) != high;
    bad |= work_group_scan_exclusive_add(x) != before || work_group_scan_inclusive_add(x) != before + x;
    bad |= work_group_scan_inclusive_min(x) != least;
    T first = work_group_scan_exclusive_max((T)l);
    bad |= l && first != (T)(l - 1);
    bad |= work_group_broadcast(x, size - 1) != (T)(((size - 1) * 7 + 3) % 50) << (sizeof(T) * 4 - 4);
    bad |= work_group_all(l < size) != 1 || work_group_all(l != size - 1) != 0;
    bad |= work_group_any(l == size - 1) != 1 || work_group_any(l == size) != 0;
    if (bad) atomic_or(wrong, 1 << bad);
}

//! run floats global=64,3 local=16,3/8,1
//! arg wrong int[1] = 0 -> 0
kernel void floats(global int *wrong)
{
    uint l = get_local_linear_id(), size = get_local_size(0) * get_local_size(1);
    float x = l * 0.5f - 3;
    double y = x;
    int bad = work_group_reduce_add(x) != size * (size - 1) * 0.25f - 3 * size;
    bad |= work_group_scan_exclusive_min(x) != (l ? -3.0f : INFINITY);
    bad |= work_group_scan_exclusive_max(y) != (l ? y - 0.5 : -INFINITY);
    bad |= work_group_broadcast(x, 2, get_local_size(1) - 1) != ((get_local_size(1) - 1) * get_local_size(0) + 2) * 0.5f - 3;
    if (bad) atomic_inc(wrong);
}
