// Parts of shifted words that are compared and divided as short and char: the upper bits must be gone.
//! run parts global=64
//! arg x int[64] = i * 51234567 + 0x80 * (i % 3)
//! arg y int[64] = i * -7654321
//! arg out int[64] -> (short(x[i] >> 8) < short(y[i])) + 2 * (char(x[i] >> 20) < char(y[i] >> 3)) + 4 * (short(x[i] >> 3) > short(y[i] >> 13)) + 8 * (char(x[i] >> 9) == char(y[i] >> 17))
kernel void parts(global const int *x, global const int *y, global int *out)
{
    int i = get_global_id(0);
    out[i] = ((short)(x[i] >> 8) < (short)y[i]) + 2 * ((char)(x[i] >> 20) < (char)(y[i] >> 3)) +
             4 * ((short)(x[i] >> 3) > (short)(y[i] >> 13)) + 8 * ((char)(x[i] >> 9) == (char)(y[i] >> 17));
}

//! run unsigned_parts global=64
//! arg x uint[64] = i * 51234567 + 0x80 * (i % 3)
//! arg y uint[64] = i * 7654321
//! arg out int[64] -> (ushort(x[i] >> 8) < ushort(y[i])) + 2 * (uchar(x[i] >> 20) < uchar(y[i] >> 3)) + 4 * (ushort(x[i] << 3) > ushort(y[i] >> 13))
kernel void unsigned_parts(global const uint *x, global const uint *y, global int *out)
{
    int i = get_global_id(0);
    out[i] = ((ushort)(x[i] >> 8) < (ushort)y[i]) + 2 * ((uchar)(x[i] >> 20) < (uchar)(y[i] >> 3)) +
             4 * ((ushort)(x[i] << 3) > (ushort)(y[i] >> 13));
}
