// One step of a transform of n numbers: transforms of `span` numbers become such of 2 * span, in order.
kernel void fft(global const float2 *from, global float2 *to, int n, int span)
{
    int i = get_global_id(0), pairs = n / 2;
    if (i >= pairs) return;
    int k = i & (span - 1), at = 2 * i - k;
    float angle = -M_PI_F * k / span, c = cos(angle), s = sin(angle);
    float2 a = from[i], b = from[i + pairs];
    b = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
    to[at] = a + b;
    to[at + span] = a - b;
}
