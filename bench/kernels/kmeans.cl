#define CLUSTERS 16
#define GROUP 256

// Each point's nearest centre.
kernel void kmeans_assign(global const float2 *points, global float2 *centres, global int *nearest, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float least = INFINITY;
    for (int c = 0; c < CLUSTERS; c++) {
        float2 way = points[i] - centres[c];
        float squared = dot(way, way);
        if (squared < least) {
            least = squared;
            nearest[i] = c;
        }
    }
}

// Each centre moves to the middle of its points; one group a centre.
kernel void kmeans_update(global const float2 *points, global float2 *centres, global int *nearest, int n)
{
    local float2 sums[GROUP];
    local int counts[GROUP];
    int id = get_local_id(0), c = get_group_id(0), count = 0;
    float2 sum = 0;
    for (int i = id; i < n; i += GROUP)
        if (nearest[i] == c) {
            sum += points[i];
            count++;
        }
    sums[id] = sum;
    counts[id] = count;
    for (int width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < width) {
            sums[id] += sums[id + width];
            counts[id] += counts[id + width];
        }
    }
    if (id == 0 && counts[0] > 0) centres[c] = sums[0] / counts[0];
}
