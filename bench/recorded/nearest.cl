// How far places are from one.
struct place {
    float latitude, longitude;
};

kernel void NearestNeighbor(global const struct place *places, global float *distances, int n, float latitude, float longitude)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float x = latitude - places[i].latitude, y = longitude - places[i].longitude;
    distances[i] = sqrt(x * x + y * y);
}
