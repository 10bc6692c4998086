// Locks: a lane that has taken one must not wait, before it gives it back, for lanes of its warp that want it.
//! run flag global=64 local=32
//! arg lock int[1] = 0 -> 0
//! arg count int[1] = 0 -> 64
kernel void flag(global volatile int *lock, global volatile int *count)
{
    bool done = false;
    while (!done) {
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            count[0] = count[0] + 1;
            atomic_xchg(lock, 0);
            done = true;
        }
    }
}

// The loop has another end, which none of the lanes should come to: each of 64 waits for 63 at most.
//! run tries global=64 local=32
//! arg lock int[1] = 0 -> 0
//! arg count int[1] = 0 -> 64
//! arg out int[64] = 7 -> 1
kernel void tries(global volatile int *lock, global volatile int *count, global int *out)
{
    int i = get_global_id(0), tries = 0;
    for (;;) {
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            count[0] = count[0] + 1;
            atomic_xchg(lock, 0);
            out[i] = 1;
            break;
        }
        if (++tries > 100000) {
            out[i] = -1;
            break;
        }
    }
}

// One of four locks, three times; a way out of both loops.
//! run rounds global=64 local=64
//! arg lock int[4] = 0 -> 0
//! arg count int[4] = 0 -> 48
//! arg out int[64] = 7 -> 3
kernel void rounds(global volatile int *lock, global volatile int *count, global int *out)
{
    int i = get_global_id(0), k;
    for (k = 0; k < 3; k++) {
        bool done = false;
        while (!done) {
            if (atomic_cmpxchg(lock + (i & 3), 0, 1) == 0) {
                int n = count[i & 3] + 1;
                count[i & 3] = n;
                atomic_xchg(lock + (i & 3), 0);
                done = true;
                if (n == 100) return;
            }
        }
    }
    out[i] = k;
}

// The lock is taken and given back by functions.
bool take(global volatile int *lock) { return atomic_cmpxchg(lock, 0, 1) == 0; }
void give(global volatile int *lock) { atomic_xchg(lock, 0); }

//! run calls global=64 local=64
//! arg lock int[1] = 0 -> 0
//! arg count int[1] = 0 -> 64
kernel void calls(global volatile int *lock, global volatile int *count)
{
    int done = 0;
    do {
        if (take(lock)) {
            count[0] = count[0] + 1;
            give(lock);
            done = 1;
        }
    } while (done == 0);
}

// What stands in the loop behind the lock is done before a lane waits, whichever way it leaves.
//! run leaves global=64 local=32
//! arg lock int[3] = 0 -> 0
//! arg count int[3] = 0 -> 64
//! arg out int[64] = 7 -> i & 1
kernel void leaves(global volatile int *lock, global volatile int *count, global int *out)
{
    int i = get_global_id(0);
    for (;;)
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            count[0] = count[0] + 1;
            atomic_xchg(lock, 0);
            break;
        }
    while (true) {
        if (atomic_cmpxchg(lock + 1, 0, 1) != 0) continue;
        count[1] = count[1] + 1;
        atomic_xchg(lock + 1, 0);
        break;
    }
    while (true) {
        if (atomic_xchg(lock + 2, 1) == 0) {
            count[2] = count[2] + 1;
            if (i & 1) out[i] = 1;
            else out[i] = 0;
            atomic_xchg(lock + 2, 0);
            return;
        }
    }
}
