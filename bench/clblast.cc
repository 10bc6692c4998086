// flags: -lclblast -lOpenCL
// Builds every program of CLBlast, in all precisions that the device has. Called by bench/packages.
#define CL_TARGET_OPENCL_VERSION 120
#include "client.h"
#include <clblast.h>

int main()
{
    client::Device device;
    cl_device_id id;
    client::require(clGetCommandQueueInfo(device.queue, CL_QUEUE_DEVICE, sizeof id, &id, nullptr) == CL_SUCCESS,
                    "device");
    client::require(clblast::FillCache(id) == clblast::StatusCode::kSuccess, "FillCache");
    return 0;
}
