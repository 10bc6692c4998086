// Halves of OpenCL C 3.0: program-scope variables, functions of a work-group.
//! options -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
global half weights[4] = {0.5h, -1.0h, 2.0h};
global half3 triple = {1.0h, 2.0h, 3.0h};
constant half limit = HALF_MAX;

//! run use global=40 local=40
//! arg out half[40] -> i % 4 == 0 ? 0.5 : i % 4 == 1 ? -1 : i % 4 == 2 ? 2 : 65504 + 0 * i
//! arg sums half[40] -> (i + 1) / 4.0
//! arg all half[40] -> i % 4 == 0 ? 10 : i % 4 == 1 ? 9.75 : i % 4 == 2 ? 0 : 5
kernel void use(global half *out, global half *sums, global half *all)
{
    int i = get_global_id(0);
    half least = work_group_reduce_min((half)(i * 0.25h)), most = work_group_reduce_max((half)(i * 0.25h));
    sums[i] = work_group_scan_inclusive_add(0.25h);
    half sum = work_group_reduce_add(0.25h), of20 = work_group_broadcast((half)(i * 0.25h), 20);
    all[i] = i % 4 == 0 ? sum : i % 4 == 1 ? most : i % 4 == 2 ? least : of20;
    out[i] = i % 4 == 3 ? limit : weights[i % 4] + (triple.x + triple.y - triple.z);
}
