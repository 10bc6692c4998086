/* Two devices of one program (VENTUS_CONFIG), with a launch on each at the same time: devices DEVICES.elf. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/ventus.h"

enum { N = 64 };

struct run {
    ventus_device *device;
    ventus_event *event;
    uint32_t at;
};

static void check(enum ventus_status status)
{
    if (status == VENTUS_OK) return;
    fprintf(stderr, "%s\n", ventus_status_text(status));
    exit(1);
}

static void start(struct run *r, const ventus_module *module, unsigned number)
{
    const struct ventus_kernel *k = ventus_module_find(module, "devices");
    const uint32_t zeros[N] = {0}, value = number + 1;
    unsigned char args[64] = {0};
    check(ventus_open(number, &r->device));
    check(ventus_alloc(r->device, sizeof zeros, &r->at));
    check(ventus_write(r->device, r->at, zeros, sizeof zeros));
    memcpy(args + k->args[0].offset, &r->at, sizeof r->at);
    memcpy(args + k->args[1].offset, &value, sizeof value);
    struct ventus_launch l = {.module = (ventus_module *)(uintptr_t)module,
                              .kernel = k,
                              .args = args,
                              .range = {1, {N, 1, 1}, {32, 1, 1}, {0, 0, 0}}};
    check(ventus_launch(r->device, &l, 0, NULL, &r->event));
}

static void end(struct run *r)
{
    uint32_t values[N], sum = 0;
    check(ventus_event_wait(r->event, VENTUS_FOREVER));
    check(ventus_read(r->device, values, r->at, sizeof values));
    for (int i = 0; i < N; i++) sum += values[i];
    printf("sum %u\n", sum);
    ventus_event_release(r->event);
    ventus_close(r->device);
}

int main(int argc, char **argv)
{
    static char elf[1 << 20];
    ventus_module *module;
    struct run runs[2];
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f) return 2;
    const size_t size = fread(elf, 1, sizeof elf, f);
    fclose(f);
    check(ventus_module_load(elf, size, &module, NULL, 0));
    for (unsigned i = 0; i < 2; i++) start(&runs[i], module, i);
    for (unsigned i = 0; i < 2; i++) end(&runs[i]);
    ventus_module_free(module);
    return 0;
}
