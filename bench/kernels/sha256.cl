constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint right(uint x, uint by) { return rotate(x, 32 - by); }

// The 64 rounds over a block of 16 words, which are used up.
static void rounds(uint *h, uint *w)
{
    for (int t = 0; t < 64; t++) {
        if (t >= 16) {
            uint a = w[(t - 15) & 15], b = w[(t - 2) & 15];
            w[t & 15] += (right(a, 7) ^ right(a, 18) ^ a >> 3) + w[(t - 7) & 15] + (right(b, 17) ^ right(b, 19) ^ b >> 10);
        }
        uint e = h[4], a = h[0];
        uint one = h[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + bitselect(h[6], h[5], e) + round_constants[t] + w[t & 15];
        uint two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & h[1]) | (a & h[2]) | (h[1] & h[2]));
        for (int i = 7; i > 0; i--) h[i] = h[i - 1];
        h[4] += one;
        h[0] = one + two;
    }
}

// SHA-256 of one message of four bytes for each work-item, its number.
kernel void sha256(constant uint *start, global uint *digests, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    uint h[8], w[16] = {i, 0x80000000};
    w[15] = 32; // bits of the message
    for (int k = 0; k < 8; k++) h[k] = start[k];
    rounds(h, w);
    for (int k = 0; k < 8; k++) digests[8 * i + k] = start[k] + h[k];
}
