// A syntax error fails the build, and the log names the line.
//! build_fails <source>:7:
//! only Ventus
kernel void broken(global int *out)
{
    int i = get_global_id(0);
    out[i] = i +;
}
