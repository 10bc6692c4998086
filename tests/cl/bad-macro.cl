// The value of -D is a name, with a text or parameters: anything else could mean more to clang than a macro.
//! options -DGOOD=1 -D@options
//! build_fails CL_INVALID_BUILD_OPTIONS
//! only Ventus
kernel void fine(global int *out) { out[0] = 1; }
