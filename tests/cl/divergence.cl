// Loops and branches whose reconvergence is easy to get wrong, one kernel per trap.
// A uniform counter with an exit that is not uniform.
//! run uniform_counter global=64 local=64/16
//! arg n int = 20
//! arg out int[64] -> i % 23 < 20 ? i % 23 : 20
kernel void uniform_counter(int n, global int *out)
{
    int g = get_global_id(0), i = 0;
    while (1) {
        if (i == g % 23) break;
        i++;
        if (i >= n) break;
    }
    out[g] = i;
}

// Scalar work in the exit arm while others still loop.
//! run exit_arm global=32 local=32
//! arg n int = 32
//! arg t int[32] = (i * 7 + 3) % 32
//! arg out int[32] -> sum(k, 0, 32, t[k] == i ? t[k * 5 % 32] + k : 0)
kernel void exit_arm(int n, global const int *t, global int *out)
{
    int g = get_global_id(0), r = -1, q = 0;
    for (int i = 0; i < n; i++) {
        if (t[i] == g) {
            q = t[(i * 5) % n];
            r = q + i;
            break;
        }
    }
    out[g] = r;
}

// Both arms go on, one may leave.
//! run one_arm_leaves global=64 local=64
//! arg out int[64] -> i % 2 == 0 ? 10 * 3 : sum(k, 0, 10, k < i % 10 ? 3 : k == i % 10 ? 2 : 0)
kernel void one_arm_leaves(global int *out)
{
    int g = get_global_id(0), s = 0;
    for (int i = 0; i < 10; i++) {
        if (g & 1) {
            s += 2;
            if (i == g % 10) break;
        } else {
            s += 1;
            s += 1;
        }
        s += 1;
    }
    out[g] = s;
}

//! run continues global=64 local=64
//! arg out int[64] -> sum(k, 0, 16, (k + i) % 3 == 0 ? 0 : (k * i) % 5 == 1 ? 100 : k)
kernel void continues(global int *out)
{
    int g = get_global_id(0), s = 0;
    for (int i = 0; i < 16; i++) {
        if ((i + g) % 3 == 0) continue;
        if (i * g % 5 == 1) {
            s += 100;
            continue;
        }
        s += i;
    }
    out[g] = s;
}

// The same in every work-item of an arm, but not across arms.
//! run uniform_in_arms global=64 local=32
//! arg a int = 11
//! arg b int = 70
//! arg out int[64] -> i % 5 == 2 ? 33 : 71
kernel void uniform_in_arms(int a, int b, global int *out)
{
    int g = get_global_id(0), v;
    if (g % 5 == 2) {
        v = a * 3;
    } else {
        v = b + 1;
    }
    out[g] = v;
}

// A uniform store inside a branch only some take.
//! run store_in_branch global=64 local=32
//! arg flag int[2] = 0 -> i == 0 ? 77 : 0
//! arg out int[64] -> i == 40 ? 1 : 0
kernel void store_in_branch(global int *flag, global int *out)
{
    int g = get_global_id(0);
    out[g] = 0;
    if (g == 40) {
        flag[0] = 77;
        out[g] = 1;
    }
    if (g > 100) flag[1] = 55;
}

// The loop's count differs; what comes after runs with everybody again.
//! run after_loop global=64 local=64
//! arg out int[64] -> 63 - i
kernel void after_loop(global int *out)
{
    local int order[64];
    int l = get_local_id(0), k = 0;
    while (k < l) k++;
    order[k] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = order[63 - l];
}

// Two exits to different places, values live across both.
//! run two_exits global=32 local=32
//! arg out int[32] -> i % 4 == 1 ? 1000 + i : i % 4 == 3 ? 2000 + i / 2 : 3000 + 12
kernel void two_exits(global int *out)
{
    int g = get_global_id(0), r = 0;
    for (int i = 0; i < 12; i++) {
        if (g % 4 == 1 && i == g % 8) {
            r = 1000 + g;
            goto done;
        }
        if (g % 4 == 3 && i == g % 5) {
            r = 2000 + g / 2;
            goto done;
        }
    }
    r = 3000 + 12;
done:
    out[g] = r;
}
