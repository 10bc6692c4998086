/* What the machine's description says of the device, and the limits and names that follow. Nothing is started. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "driver/gpu.h"
#include "objects.h"

static pthread_once_t info_once = PTHREAD_ONCE_INIT;
static struct ventus_info the_info;
static const char *info_problem;
static uint32_t can = VENTUS_BACKEND_FEATURES;
static uint64_t memory; /* that the device has for buffers */

static void info_init(void)
{
    static char why[600];
    enum ventus_status status = ventus_describe(0, &the_info, why, sizeof why);
    if (status != VENTUS_OK) info_problem = *why ? why : ventus_status_text(status);
    if (!info_problem) can = device_features_of(0, &memory);
    if (info_problem) complain("no device: %s", info_problem);
}

const struct ventus_info *device_info(void)
{
    pthread_once(&info_once, info_init);
    return info_problem ? NULL : &the_info;
}

bool device_can(uint32_t feature)
{
    pthread_once(&info_once, info_init);
    return can & feature;
}

static const struct {
    const char *word, *part;
    uint32_t feature;
} parts[] = {
#define PART(feature, word, part) {word, part, VENTUS_BACKEND_##feature},
#include "isa/features.def"
};
enum { PARTS = sizeof parts / sizeof *parts };

bool device_has(const char *name)
{
    for (size_t i = 0; i < PARTS; i++) {
        const char *part = parts[i].part;
        if (device_can(parts[i].feature)) continue;
        if (*part == '=' ? !strcmp(name, part + 1) : strstr(name, part) != NULL) return false;
    }
    return true;
}

void device_lacks(char *text, size_t size)
{
    const char *last = "";
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < PARTS; last = parts[i++].word)
        if (!device_can(parts[i].feature) && strcmp(parts[i].word, last) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", parts[i].word);
}

size_t device_offers(const cl_name_version *all, size_t n, cl_name_version *offered)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (device_has(all[i].name)) offered[count++] = all[i];
    return count;
}

/* A cycle model has a clock of its own in each context. */
bool device_has_timer(void) { return device_info() && !device_info()->modelled; }

cl_uint device_max_group(const struct ventus_info *info) { return info->warps_per_sm * info->threads_per_warp; }

/* Backed lazily. 1.5 GiB of the 1.75 GiB window for buffers leaves room for private memory, arguments
 * and fragmentation (hashcat wants more than 1 GiB); a quarter of it at once is the least a full
 * profile allows. */
static const cl_ulong global_memory = (cl_ulong)1536 << 20;

/* A device with less memory reserves an eighth of it for these. */
cl_ulong device_global_memory(void)
{
    pthread_once(&info_once, info_init);
    const uint64_t most = memory - memory / 8;
    return memory && most < global_memory ? most : global_memory;
}

cl_ulong device_max_alloc(void) { return device_global_memory() / 4; }

/* Exactly as many bytes as a launch may use. */
cl_ulong device_local_memory(const struct ventus_info *info) { return ventus_local_limit(info); }

/* ---- UUIDs ---- */

/* FNV-1a over a letter and a text. */
static uint64_t hash(char letter, const char *text)
{
    uint64_t h = (0xcbf29ce484222325 ^ (unsigned char)letter) * 0x100000001b3;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h;
}

/* Of version 8, which leaves it to us how they are made (RFC 9562): the same for the same text, everywhere. */
static void make_uuid(const char *text, cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    const uint64_t halves[2] = {hash('a', text), hash('b', text)};
    memcpy(uuid, halves, sizeof halves);
    uuid[6] = (uuid[6] & 0x0f) | 0x80;
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

void device_uuid(cl_device_id device, cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    const struct ventus_info *i = device_info();
    char text[256];
    snprintf(text, sizeof text, "%s %s %u %u %u %u %u %d %d %u %u", i->name, i->profile, (unsigned)i->sms,
             (unsigned)i->warps_per_sm, (unsigned)i->threads_per_warp, (unsigned)i->lds_bytes, (unsigned)i->clock_mhz,
             i->modelled, i->translated, (unsigned)device->sms.first, (unsigned)device->sms.count);
    make_uuid(text, uuid);
}

void driver_uuid(cl_uchar uuid[CL_UUID_SIZE_KHR]) { make_uuid("Ventus in C " VENTUS_VERSION, uuid); }
