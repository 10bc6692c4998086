// packages: libclfft-dev
// flags: -lclFFT -lOpenCL
// checks: complex transforms of lengths of 2, 3, 5 and 7, in two dimensions and in doubles, against sums of the host;
// and back
#define CL_TARGET_OPENCL_VERSION 120
#include "client.h"
#include <clFFT.h>

namespace
{

void done(clfftStatus code, const char *what) { client::require(code == CLFFT_SUCCESS, what); }

template <typename T> clfftPrecision precision();
template <> clfftPrecision precision<float>() { return CLFFT_SINGLE; }
template <> clfftPrecision precision<double>() { return CLFFT_DOUBLE; }

// Pairs of real and imaginary part, a row of `width` after the other.
template <typename T> std::vector<T> by_sums(const std::vector<T> &from, size_t width, size_t height)
{
    std::vector<T> to(from.size());
    for (size_t v = 0; v < height; v++)
        for (size_t u = 0; u < width; u++) {
            double real = 0, imaginary = 0;
            for (size_t y = 0; y < height; y++)
                for (size_t x = 0; x < width; x++) {
                    double angle =
                        -2 * M_PI * (double(u * x % width) / double(width) + double(v * y % height) / double(height));
                    double re = from[2 * (y * width + x)], im = from[2 * (y * width + x) + 1];
                    real += re * cos(angle) - im * sin(angle);
                    imaginary += re * sin(angle) + im * cos(angle);
                }
            to[2 * (v * width + u)] = T(real);
            to[2 * (v * width + u) + 1] = T(imaginary);
        }
    return to;
}

template <typename T> void there_and_back(client::Device &device, size_t width, size_t height, const char *what)
{
    auto from = client::numbers<T>(2 * width * height);
    client::Buffer<T> data(device, from);
    size_t lengths[] = {width, height};
    clfftPlanHandle plan;
    done(clfftCreateDefaultPlan(&plan, device.context, height > 1 ? CLFFT_2D : CLFFT_1D, lengths), what);
    done(clfftSetPlanPrecision(plan, precision<T>()), what);
    done(clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED), what);
    done(clfftSetResultLocation(plan, CLFFT_INPLACE), what);
    done(clfftBakePlan(plan, 1, &device.queue, nullptr, nullptr), what);
    done(clfftEnqueueTransform(plan, CLFFT_FORWARD, 1, &device.queue, 0, nullptr, nullptr, &data(), nullptr, nullptr),
         what);
    client::same(data.read(), by_sums(from, width, height), what);
    done(clfftEnqueueTransform(plan, CLFFT_BACKWARD, 1, &device.queue, 0, nullptr, nullptr, &data(), nullptr, nullptr),
         what);
    client::same(data.read(), from, what);
    done(clfftDestroyPlan(&plan), what);
}

} // namespace

int main()
{
    client::Device device;
    clfftSetupData setup;
    done(clfftInitSetupData(&setup), "clfftInitSetupData");
    done(clfftSetup(&setup), "clfftSetup");
    there_and_back<float>(device, 1024, 1, "1024 floats");
    there_and_back<float>(device, 3 * 5 * 7, 1, "105 floats");
    there_and_back<float>(device, 32, 18, "32 x 18 floats");
    there_and_back<double>(device, 480, 1, "480 doubles");
    there_and_back<double>(device, 16, 15, "16 x 15 doubles");
    done(clfftTeardown(), "clfftTeardown");
    puts("5 shapes");
}
