// A level of a breadth-first search: the nodes that active ones lead to and nobody has visited, then what these are.
struct node {
    int first, edges;
};

kernel void BFS_1(global const struct node *nodes, global const int *targets, global char *active, global char *found,
                  global const char *visited, global int *cost, int n)
{
    int i = get_global_id(0);
    if (i >= n || !active[i]) return;
    active[i] = 0;
    for (int k = nodes[i].first; k < nodes[i].first + nodes[i].edges; k++) {
        int to = targets[k];
        if (visited[to]) continue;
        cost[to] = cost[i] + 1;
        found[to] = 1;
    }
}

kernel void BFS_2(global char *active, global char *found, global char *visited, global char *more, int n)
{
    int i = get_global_id(0);
    if (i >= n || !found[i]) return;
    active[i] = 1;
    visited[i] = 1;
    *more = 1;
    found[i] = 0;
}
