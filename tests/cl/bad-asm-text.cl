// A mistake in a template is told at the statement's line, with the assembler's words.
//! only Ventus
//! build_fails <source>:7: error: kernel spelled: inline assembly: unknown instruction 'vad.vv'
kernel void spelled(global int *out)
{
    int i = get_global_id(0);
    __asm__("vadd.vv %0, %0, %0\n vad.vv %0, %0, %0" : "+vr"(i));
    out[i] = i;
}
