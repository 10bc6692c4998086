// What the clients in C++ share: the first device, buffers, and comparing with what the host has computed. Any failure
// ends the program with a line that says which step it was.
#pragma once
#include <CL/cl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace client
{

inline void require(bool good, const char *what)
{
    if (good) return;
    printf("failed: %s\n", what);
    exit(1);
}

// The only device that OCL_ICD_VENDORS leaves, with a queue. Both live as long as the program.
struct Device {
    cl_context context;
    cl_command_queue queue;

    Device()
    {
        cl_platform_id platform;
        cl_device_id device;
        cl_int error;
        require(clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS, "clGetPlatformIDs");
        require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS, "clGetDeviceIDs");
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        require(error == CL_SUCCESS, "clCreateContext");
        queue = clCreateCommandQueue(context, device, 0, &error);
        require(error == CL_SUCCESS, "clCreateCommandQueue");
    }
};

// Memory of the device that begins as a copy of `from`.
template <typename T> class Buffer
{
    const Device &device;
    size_t count;
    cl_mem memory;

  public:
    Buffer(const Device &device, const std::vector<T> &from) : device(device), count(from.size())
    {
        cl_int error;
        memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(T),
                                const_cast<T *>(from.data()), &error);
        require(error == CL_SUCCESS, "clCreateBuffer");
    }
    ~Buffer() { clReleaseMemObject(memory); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    cl_mem &operator()() { return memory; }
    std::vector<T> read() const
    {
        std::vector<T> to(count);
        require(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, count * sizeof(T), to.data(), 0, nullptr,
                                    nullptr) == CL_SUCCESS,
                "clEnqueueReadBuffer");
        return to;
    }
};

// Different small numbers between -1 and 1, in each run the same.
template <typename T> std::vector<T> numbers(size_t count)
{
    static unsigned state = 1;
    std::vector<T> values(count);
    for (T &value : values) {
        state = state * 1664525 + 1013904223;
        value = T(int(state >> 16 & 0x7fff) - 0x4000) / T(0x4000);
    }
    return values;
}

// Sums of some hundred products in another order differ by a few units of the last place of the largest term.
template <typename T> void same(const std::vector<T> &have, const std::vector<T> &want, const char *what)
{
    const double tolerance = sizeof(T) == sizeof(double) ? 1e-12 : 1e-4;
    require(have.size() == want.size(), what);
    for (size_t i = 0; i < want.size(); i++) {
        if (std::abs(double(have[i]) - double(want[i])) <= tolerance * (1 + std::abs(double(want[i])))) continue;
        printf("%s: element %zu is %g, not %g\n", what, i, double(have[i]), double(want[i]));
        exit(1);
    }
}

} // namespace client
