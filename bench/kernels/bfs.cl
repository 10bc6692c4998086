// One level of a search in a graph of n nodes: neighbours of nodes at `depth` that have no depth yet get the next.
kernel void bfs(global const int *starts, global const int *neighbours, global int *depths, global int *found, int n,
                int depth)
{
    int node = get_global_id(0);
    if (node >= n || depths[node] != depth) return;
    for (int k = starts[node]; k < starts[node + 1]; k++)
        if (depths[neighbours[k]] < 0) {
            depths[neighbours[k]] = depth + 1;
            *found = 1;
        }
}
