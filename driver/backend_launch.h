/* A launch as a device behind the driver gets it, for devices that are our own machine. */
#ifndef VENTUS_DRIVER_BACKEND_LAUNCH_H
#define VENTUS_DRIVER_BACKEND_LAUNCH_H

#include "driver/ventus_backend.h"
#include "sim/launch.h"

/* The machine's launch: what driver/backend.c has made this of. */
struct launch backend_launch(const struct ventus_backend_launch *l);

#endif
