// Shortest paths between all pairs of n places: may a path go by way of `via`?
kernel void floyd(global int *distance, int n, int via)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    int detour = distance[y * n + via] + distance[via * n + x];
    if (detour < distance[y * n + x]) distance[y * n + x] = detour;
}
