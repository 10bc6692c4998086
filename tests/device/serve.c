/* serve LIBRARY SOCKET [OPTIONS]: a device of that library for the programs that come to the socket, one after another
 * (driver/remote.h). A signal ends it. */
#include <stdio.h>

#include "driver/backend_library.h"
#include "driver/remote.h"

struct library {
    const struct ventus_backend *table;
    struct ventus_backend_options options;
};

static struct ventus_backend_device *open_device(void *user)
{
    const struct library *l = user;
    struct ventus_backend_device *device = NULL;
    char why[300] = "";
    if (l->table->open(&l->options, &device, why, sizeof why)) fprintf(stderr, "serve: %s\n", why);
    return device;
}

int main(int argc, char **argv)
{
    char why[600] = "";
    if (argc < 3) return fprintf(stderr, "serve LIBRARY SOCKET [OPTIONS]\n"), 2;
    struct library l = {backend_library(argv[1], why, sizeof why), {sizeof l.options, argc > 3 ? argv[3] : ""}};
    const struct remote_service service = {l.table, open_device, &l};
    const int listener = remote_listen(argv[2]);
    if (!l.table) return fprintf(stderr, "serve: %s\n", why), 1;
    if (listener < 0) return perror(argv[2]), 1;
    remote_serve(&service, listener);
}
