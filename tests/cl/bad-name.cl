// A function nobody defined.
//! build_fails no_such_function
kernel void lost(global int *out) { out[0] = no_such_function(3); }
