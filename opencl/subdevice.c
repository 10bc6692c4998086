/* Sub-devices, which are ranges of a device's compute units, and lists of devices.
 *
 * A sub-device is not a machine of its own: a context has one machine for all of its devices, and a launch is given the
 * range of the device of its queue. Ranges are counted from the whole device's first unit, also of parts of parts.
 * Called through icd.c, lists by contexts and programs. */
#include <stdlib.h>
#include <string.h>

#include "driver/ventus_backend.h"
#include "objects.h"

/* ---- what a device is a part of ---- */

cl_uint device_units(cl_device_id device) { return device->sms.count ? device->sms.count : device_info()->sms; }

bool device_is_part(cl_device_id device, cl_device_id whole)
{
    while (device && device != whole) device = device->parent;
    return device;
}

size_t device_partitions(cl_device_id device, cl_device_partition_property kinds[PARTITIONS])
{
    size_t n = 0;
    if (device_units(device) > 1 && device_can(VENTUS_BACKEND_PARTS)) {
        kinds[n++] = CL_DEVICE_PARTITION_EQUALLY;
        kinds[n++] = CL_DEVICE_PARTITION_BY_COUNTS;
    }
    kinds[n++] = 0;
    return n;
}

/* ---- partitions ---- */

/* A property list that has been read: how many parts it makes. */
struct partition {
    const cl_device_partition_property *list;
    size_t words; /* with the closing 0 */
    cl_uint parts;
};

static cl_uint units_of_part(const struct partition *p, cl_uint part)
{
    return (cl_uint)p->list[p->list[0] == CL_DEVICE_PARTITION_EQUALLY ? 1 : 1 + part];
}

/* As many parts of this size as fit; units that are left over belong to none. The whole device is not a part. */
static cl_int read_equally(struct partition *p, cl_uint units)
{
    const cl_device_partition_property size = p->list[1];
    if (size <= 0 || p->list[2]) return CL_INVALID_VALUE;
    if ((uint64_t)size > units) return CL_INVALID_DEVICE_PARTITION_COUNT;
    if ((cl_uint)size == units) return CL_DEVICE_PARTITION_FAILED;
    p->words = 3;
    p->parts = units / (cl_uint)size;
    return CL_SUCCESS;
}

static cl_int read_counts(struct partition *p, cl_uint units)
{
    cl_uint left = units;
    const cl_device_partition_property *size = p->list + 1;
    for (; *size != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; size++) {
        if (*size < 0 || (uint64_t)*size > left) return CL_INVALID_DEVICE_PARTITION_COUNT;
        left -= (cl_uint)*size;
    }
    p->parts = (cl_uint)(size - p->list) - 1;
    p->words = p->parts + 3;
    return p->parts && !size[1] ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* Reads the list for a device of so many units. */
static cl_int partition_read(struct partition *p, const cl_device_partition_property *list, cl_uint units)
{
    if (!list || (list[0] != CL_DEVICE_PARTITION_EQUALLY && list[0] != CL_DEVICE_PARTITION_BY_COUNTS))
        return CL_INVALID_VALUE;
    if (units == 1 || !device_can(VENTUS_BACKEND_PARTS)) return CL_DEVICE_PARTITION_FAILED;
    p->list = list;
    return list[0] == CL_DEVICE_PARTITION_EQUALLY ? read_equally(p, units) : read_counts(p, units);
}

/* ---- sub-devices ---- */

static void subdevice_destroy(struct object *object)
{
    cl_device_id device = (cl_device_id)object;
    object_drop(&device->parent->base);
    free(device->partition);
    free(device);
}

static cl_device_id subdevice_new(cl_device_id parent, const struct partition *p, struct ventus_sms sms)
{
    cl_device_id device = calloc(1, sizeof *device);
    if (!device || !(device->partition = malloc(p->words * sizeof *p->list))) {
        free(device);
        return NULL;
    }
    object_init(&device->base, KIND_DEVICE, subdevice_destroy);
    memcpy(device->partition, p->list, p->words * sizeof *p->list);
    device->npartition = p->words;
    device->sms = sms;
    device->parent = parent;
    object_use(&parent->base);
    return device;
}

/* Makes all parts or none. */
static cl_int make_parts(cl_device_id parent, const struct partition *p, cl_device_id *devices)
{
    uint32_t first = parent->sms.first;
    for (cl_uint i = 0; i < p->parts; i++) {
        const struct ventus_sms sms = {first, units_of_part(p, i)};
        devices[i] = subdevice_new(parent, p, sms);
        if (!devices[i]) {
            while (i-- > 0) {
                clReleaseDevice(devices[i]);
                devices[i] = NULL;
            }
            return CL_OUT_OF_HOST_MEMORY;
        }
        first += sms.count;
    }
    return CL_SUCCESS;
}

cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint count,
                          cl_device_id *devices, cl_uint *count_ret)
{
    struct partition p;
    if (!object_is(device, KIND_DEVICE) || !device_info()) return CL_INVALID_DEVICE;
    cl_int error = partition_read(&p, properties, device_units(device));
    if (!error && devices && count < p.parts) error = CL_INVALID_VALUE;
    if (!error && devices) error = make_parts(device, &p, devices);
    if (!error && count_ret) *count_ret = p.parts;
    return error;
}

/* The whole device is always there: its references are not counted. */
cl_int clRetainDevice(cl_device_id device)
{
    if (!object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    if (device->parent) object_retain(device, KIND_DEVICE, &(bool){false});
    return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device)
{
    bool last;
    if (!object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    if (!device->parent) return CL_SUCCESS;
    if (!object_release(device, KIND_DEVICE, &last)) return CL_INVALID_DEVICE;
    if (last) object_drop(&device->base);
    return CL_SUCCESS;
}

/* ---- lists ---- */

bool devices_init(struct devices *devices, cl_uint count, const cl_device_id *list)
{
    *devices = (struct devices){.list = calloc(count, sizeof *list)};
    for (cl_uint i = 0; devices->list && i < count; i++) {
        if (devices_find(devices, list[i]) < devices->count) continue;
        devices->list[devices->count++] = list[i];
        object_use(&list[i]->base);
    }
    return devices->list;
}

void devices_close(struct devices *devices)
{
    for (cl_uint i = 0; i < devices->count; i++) object_drop(&devices->list[i]->base);
    free(devices->list);
}

cl_uint devices_find(const struct devices *devices, cl_device_id device)
{
    cl_uint i = 0;
    while (i < devices->count && devices->list[i] != device) i++;
    return i;
}

cl_int device_list_check(const struct devices *among, cl_uint count, const cl_device_id *list, bool may_be_empty)
{
    if (count == 0 && !list && may_be_empty) return CL_SUCCESS;
    if (count == 0 || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(list[i], KIND_DEVICE)) return CL_INVALID_DEVICE;
        if (among && devices_find(among, list[i]) == among->count) return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}
