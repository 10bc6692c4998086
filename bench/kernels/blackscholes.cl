// The normal distribution's integral up to x.
static float normal(float x) { return 0.5f * erfc(-x * M_SQRT1_2_F); }

kernel void blackscholes(global const float *price, global const float *strike, global const float *years,
                         global float *call, global float *put, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    const float rate = 0.03f, volatility = 0.25f;
    float s = 10 + 90 * price[i], k = 10 + 90 * strike[i], t = 0.25f + 5 * years[i];
    float deviation = volatility * sqrt(t);
    float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / deviation, d2 = d1 - deviation;
    float discounted = k * exp(-rate * t);
    call[i] = s * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - s * normal(-d1);
}
