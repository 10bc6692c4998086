/* Libraries of devices (driver/ventus_backend.h), by name or path. */
#ifndef VENTUS_DRIVER_BACKEND_LIBRARY_H
#define VENTUS_DRIVER_BACKEND_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct ventus_backend;

/* The table of the library `name`, checked; it stays as long as the process. A name without a slash and without .so at
 * its end is one of the folder of installed devices. NULL: `why` has the reason. */
const struct ventus_backend *backend_library(const char *name, char *why, size_t why_size);

/* Does a device of this table want to be told the program? Tables of an older header end before that function. */
bool backend_library_shows_program(const struct ventus_backend *table);

#endif
