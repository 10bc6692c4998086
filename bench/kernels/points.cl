// Points through a 4 x 4 matrix, then directions of length 1.
kernel void points(constant float4 *rows, global const float4 *from, global float4 *to, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float4 p = from[i];
    to[i] = normalize((float4)(dot(rows[0], p), dot(rows[1], p), dot(rows[2], p), dot(rows[3], p)));
}
