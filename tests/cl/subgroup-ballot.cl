// Sub-groups: sizes, votes, masks, bits; the ways of a branch vote apart.
//! options -cl-std=CL3.0

//! run sizes global=480 local=96/48/8
//! arg ok int[480] -> 1
kernel void sizes(global int *ok)
{
    uint l = get_local_id(0), size = get_local_size(0), lanes = get_max_sub_group_size();
    int good = get_num_sub_groups() == (size + lanes - 1) / lanes && get_sub_group_id() == l / lanes;
    good &= get_sub_group_local_id() == l % lanes && get_enqueued_num_sub_groups() == get_num_sub_groups();
    good &= get_sub_group_size() == min(lanes, size - l / lanes * lanes);
    ok[get_global_id(0)] = good;
}

//! run votes global=96 local=48
//! arg ok int[96] -> 1
kernel void votes(global int *ok)
{
    uint s = get_sub_group_local_id(), size = get_sub_group_size(), all = size == 32 ? ~0u : (1u << size) - 1, good = 1;
    good &= sub_group_all(s < size) && !sub_group_all(s) && sub_group_any(s == 3) && !sub_group_any(s == size);
    uint4 sevens = sub_group_ballot(s % 7 == 0);
    good &= sevens.x == (0x10204081u & all) && sevens.y == 0 && sevens.w == 0;
    good &= sub_group_inverse_ballot(sevens) == (s % 7 == 0) && sub_group_ballot_bit_extract(sevens, 7);
    good &= !sub_group_ballot_bit_extract(sevens, 8) && sub_group_ballot_find_lsb((uint4)(12, 0, 0, 0)) == 2;
    good &= sub_group_ballot_find_msb(sevens) == (size == 32 ? 28 : 14);
    good &= sub_group_ballot_bit_count(sevens) == (size == 32 ? 5 : 3) && sub_group_ballot_bit_count((uint4)~0u) == size;
    good &= sub_group_ballot_exclusive_scan(sevens) == (s + 6) / 7 && sub_group_ballot_inclusive_scan(sevens) == s / 7 + 1;
    good &= get_sub_group_eq_mask().x == 1u << s && get_sub_group_lt_mask().x == (1u << s) - 1;
    good &= get_sub_group_le_mask().x == (2u << s) - 1 && (get_sub_group_gt_mask().x & all) == (all & -(2u << s));
    good &= (get_sub_group_ge_mask().x & all) == (all & -(1u << s));
    ok[get_global_id(0)] = good;
}

// What is alike on both ways must not be done once for both.
//! run apart global=64 local=32
//! arg ok int[64] -> 1
kernel void apart(global int *ok)
{
    uint s = get_sub_group_local_id(), bits;
    int chosen, good = 1;
    if (s % 4 == 1) {
        bits = sub_group_ballot(1).x;
        chosen = sub_group_elect();
    } else {
        bits = sub_group_ballot(1).x;
        chosen = sub_group_elect();
    }
    good &= bits == (s % 4 == 1 ? 0x22222222u : 0xddddddddu) && chosen == (s < 2);
    for (uint i = 0; i < s; i++) /* lanes leave one after the other */
        good &= sub_group_ballot(1).x == ~0u << i << 1 && sub_group_non_uniform_all(i < s) && !sub_group_non_uniform_any(s <= i);
    ok[get_global_id(0)] = good;
}

//! run logic global=96 local=48
//! arg ok int[96] -> 1
kernel void logic(global int *ok)
{
    uint s = get_sub_group_local_id();
    int good = 1, x = s == 5 ? 0 : s + 2;
    if (s >= 4 && s < 8) {
        good &= !sub_group_non_uniform_reduce_logical_and(x) && sub_group_non_uniform_reduce_logical_or(x) == 1;
        good &= sub_group_non_uniform_reduce_logical_xor(x) == 1;
        good &= sub_group_non_uniform_scan_inclusive_logical_and(x) == (s < 5);
        good &= sub_group_non_uniform_scan_exclusive_logical_and(x) == (s < 6);
        good &= sub_group_non_uniform_scan_exclusive_logical_or(x) == (s > 4);
        good &= sub_group_clustered_reduce_logical_and(x, 2) == (s > 5);
        good &= sub_group_non_uniform_reduce_and(x) == 0 && sub_group_non_uniform_scan_exclusive_and(~0) == ~0;
        good &= sub_group_non_uniform_reduce_or(1u << s) == 0xf0 && sub_group_non_uniform_scan_inclusive_xor(1ul << s << 30) == (2ul << s) - 16 << 30;
    }
    good &= all(sub_group_broadcast((char3)(s, 1, 2), 3) == (char3)(3, 1, 2));
    good &= all(sub_group_broadcast((double2)(s, 1), 4) == (double2)(4, 1));
    good &= all(sub_group_non_uniform_broadcast((long16)(s), 7) == (long16)7);
    local int shared[48];
    shared[get_local_id(0)] = s;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (s > 0) good &= shared[get_local_id(0) - 1] == s - 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    ok[get_global_id(0)] = good;
}

// What each half of a warp gets from one lane of its own is stored behind the branch.
//! run halves global=64 local=32
//! arg in char[192] = i
//! arg out char[192] -> in[i / 96 * 96 + (i / 3 % 32 < 16 ? 15 : 60) + i % 3]
kernel void halves(global const char *in, global char *out)
{
    local char3 kept[32];
    uint s = get_sub_group_local_id(), i = get_global_id(0);
    char3 x = vload3(i, in);
    if (s < 16) kept[s] = sub_group_non_uniform_broadcast(x, 5);
    else kept[s] = sub_group_non_uniform_broadcast(x, 20);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(kept[31 - s], i - s + 31 - s, out);
}
