/* What each status means, for users. */
#include "driver/ventus.h"

const char *ventus_status_text(enum ventus_status status)
{
    switch (status) {
    case VENTUS_OK: return "success";
    case VENTUS_BAD_ARGUMENT: return "invalid argument";
    case VENTUS_BAD_CONFIG: return "invalid machine parameters";
    case VENTUS_NO_MEMORY: return "out of host memory";
    case VENTUS_NO_DEVICE_MEMORY: return "out of device memory";
    case VENTUS_OUT_OF_RANGE: return "device address range is not allocated";
    case VENTUS_BAD_MODULE: return "not a program for this device";
    case VENTUS_NO_KERNEL: return "no such kernel";
    case VENTUS_BAD_LAUNCH: return "launch sizes or resources that the device cannot hold";
    case VENTUS_FAULT: return "the kernel failed";
    case VENTUS_CANCELLED: return "the launch was cancelled";
    case VENTUS_TIMEOUT: return "the launch has not ended in time";
    case VENTUS_STOPPED: return "an observer stopped the launch";
    case VENTUS_DEPENDENCY: return "a launch that this one depends on did not succeed";
    }
    return "unknown status";
}
