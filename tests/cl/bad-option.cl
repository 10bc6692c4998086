// A build option that does not exist.
//! options -cl-no-such-option
//! build_fails CL_INVALID_BUILD_OPTIONS
kernel void fine(global int *out) { out[0] = 1; }
