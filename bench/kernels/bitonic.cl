// One step of the sorting network: pairs that are `distance` apart, in runs of `run` that rise and fall in turn.
kernel void bitonic(global uint *keys, int n, int run, int distance)
{
    int i = get_global_id(0), low = 2 * i - (i & (distance - 1)), high = low + distance;
    bool rising = (low & run) == 0;
    uint a = keys[low], b = keys[high];
    if ((a > b) == rising) {
        keys[low] = b;
        keys[high] = a;
    }
}
