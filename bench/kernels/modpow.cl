// base to the power of exponent, modulo a number below 2^32: products take 64 bits.
kernel void modpow(global const uint *bases, global const uint *exponents, global const uint *moduli, global ulong *out,
                   int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    ulong modulus = moduli[i] | 1, square = bases[i] % modulus, result = 1;
    for (uint exponent = exponents[i]; exponent; exponent /= 2) {
        if (exponent & 1) result = result * square % modulus;
        square = square * square % modulus;
    }
    out[i] = result;
}
