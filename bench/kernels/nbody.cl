#define GROUP 64

// One step of n bodies that attract each other: x, y, z and mass of each; n is a multiple of the group.
kernel void nbody(global const float4 *bodies, global const float4 *speeds, global float4 *next_bodies,
                  global float4 *next_speeds, int n)
{
    local float4 others[GROUP];
    int i = get_global_id(0), id = get_local_id(0);
    const float time = 0.01f, softening = 0.01f;
    float4 body = bodies[i], speed = speeds[i];
    float3 pull = 0;
    for (int start = 0; start < n; start += GROUP) {
        others[id] = bodies[start + id];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < GROUP; k++) {
            float3 way = others[k].xyz - body.xyz;
            float inverse = rsqrt(dot(way, way) + softening);
            pull += way * (others[k].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    speed.xyz += pull * time;
    next_speeds[i] = speed;
    next_bodies[i] = (float4)(body.xyz + speed.xyz * time, body.w);
}
