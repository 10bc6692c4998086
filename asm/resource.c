/* Resource records in all their versions; the layouts are drawn in isa/abi.h.
 *
 * One table says where the values of a version are, so that reading, writing and converting are loops over
 * it. Called by elf.c and link.c, by the assembler for its sections, and by tools. */
#include "asm/bytes.h"
#include "asm/owned.h"

#include <stdlib.h>
#include <string.h>

static const char magic[4] = {'V', 'R', 'E', 'S'};
enum { MAX_RECORDS = 1 << 15, MAX_NAMES = 16 << 20 };
enum { FIRST_SIZES = 2 }; /* the version from which on there are flags, and stacks beside the rest */

static const struct layout {
    uint8_t size, header, width, values;
} layouts[ABI_RESOURCE_VERSIONS] = {{8, 0, 2, 4}, {24, 8, 4, 4}, {56, 8, 8, 6}, {56, 8, 8, 6}, {96, 8, 8, 6}};
enum { RAY_OFFSET = 56 };

static bool refuse(const char **why, const char *text)
{
    if (why) *why = text;
    return false;
}

/* The version of the record at `p`, from its first bytes; false when there is none. */
static bool version_of(const uint8_t *p, size_t size, uint32_t *version, const char **why)
{
    if (size < 8) return refuse(why, "a resource record is cut off");
    bool named = !memcmp(p, magic, sizeof magic);
    *version = named ? read16(p + 4) : read32(p) <= UINT16_MAX ? read32(p) : 0;
    if (*version >= ABI_RESOURCE_VERSIONS || (*version == 1) != named || (named && read16(p + 6) != layouts[1].size))
        return refuse(why, "a resource record is of a version that is not known; versions 0 to 4 are");
    return true;
}

bool resource_read(const uint8_t *p, size_t size, struct elf_resource *r, size_t *used, const char **why)
{
    struct elf_resource out = {0};
    if (!version_of(p, size, &out.version, why)) return false;
    const struct layout *l = &layouts[out.version];
    if (size < l->size) return refuse(why, "a resource record is cut off");
    if (out.version >= FIRST_SIZES) out.flags = read32(p + 4);
    for (unsigned i = 0; i < l->values; i++) memcpy(&out.value[i], p + l->header + i * l->width, l->width);
    if (out.version == 4) memcpy(out.ray, p + RAY_OFFSET, sizeof out.ray);
    *r = out;
    *used = l->size;
    return true;
}

size_t resource_write(const struct elf_resource *r, uint8_t out[ABI_RESOURCE_LARGEST])
{
    const struct layout *l = &layouts[r->version];
    const uint16_t first[2] = {1, l->size};
    memset(out, 0, l->size);
    if (r->version == 1) memcpy(out, magic, sizeof magic), memcpy(out + 4, first, sizeof first);
    if (r->version >= FIRST_SIZES) memcpy(out, &r->version, 4), memcpy(out + 4, &r->flags, 4);
    for (unsigned i = 0; i < l->values; i++) memcpy(out + l->header + i * l->width, &r->value[i], l->width);
    if (r->version == 4) memcpy(out + RAY_OFFSET, r->ray, sizeof r->ray);
    return l->size;
}

/* Stacks are part of the sums of older versions. */
static bool add_stacks(struct elf_resource *r, const char **why)
{
    for (int i = ABI_LDS; i <= ABI_PDS; i++) {
        uint64_t *stack = &r->value[i - ABI_LDS + ABI_LDS_STACK];
        if (*stack == ABI_RESOURCE_UNKNOWN)
            return refuse(why, "a stack of unknown depth cannot be said in resource records before version 2");
        if (*stack > UINT64_MAX - r->value[i])
            return refuse(why, "a value is too large for resource records of this version");
        r->value[i] += *stack;
        *stack = 0;
    }
    return true;
}

bool resource_convert(struct elf_resource *r, uint32_t version, const char **why)
{
    struct elf_resource out = *r;
    if (version == 4 && r->version != 4)
        return refuse(why, "what resource records of version 4 say beyond version 3 is not known of this kernel");
    if (version >= ABI_RESOURCE_VERSIONS) return refuse(why, "there are resource records of versions 0 to 4");
    out.version = version;
    if (version < FIRST_SIZES) {
        if (!add_stacks(&out, why)) return false;
        out.flags = 0;
    }
    if (version != 4) memset(out.ray, 0, sizeof out.ray);
    for (unsigned i = 0; i < layouts[version].values && layouts[version].width < 8; i++)
        if (out.value[i] >> (8 * layouts[version].width))
            return refuse(why, "a value is too large for resource records of this version");
    if (!version && !out.value[ABI_SGPR] && out.value[ABI_VGPR])
        return refuse(why, "a resource record of version 0 needs scalar registers");
    *r = out;
    return true;
}

/* ---- for readers ---- */

static void print_flags(uint32_t flags, FILE *out)
{
    static const char *const names[] = {"dynamic alloca", "recursion",       "indirect call",
                                        "unknown callee", "stack not known", "registers incomplete"};
    const char *separator = "; ";
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (flags >> i & 1) fprintf(out, "%s%s", separator, names[i]), separator = ", ";
    if (flags >> (sizeof names / sizeof *names)) fprintf(out, "%sflags 0x%x", separator, flags >> 6 << 6);
}

static void print_ray(const uint32_t ray[ABI_RESOURCE_RAY], FILE *out)
{
    static const char *const names[] = {
        "features",           "pds layout", "private layout", "hot offset", "hot stride", "continuation offset",
        "continuation bytes", "word 21",    "word 22",        "word 23"}; /* what the last three mean is not known */
    for (unsigned i = 0; i < ABI_RESOURCE_RAY; i++)
        if (ray[i]) fprintf(out, ", %s %u", names[i], ray[i]);
}

void resource_print(const struct elf_resource *r, FILE *out)
{
    static const char *const names[ABI_RESOURCE_VALUES] = {"vgpr", "sgpr", "lds", "pds", "lds stack", "pds stack"};
    if (r->kernel) { /* from a file: control characters are not for the terminal */
        for (const char *p = r->kernel; *p; p++) fputc((unsigned char)*p < ' ' || *p == 127 ? '?' : *p, out);
        fputs(": ", out);
    }
    fprintf(out, "version %u", r->version);
    for (unsigned i = 0; i < layouts[r->version].values; i++) {
        bool unknown = i >= ABI_LDS_STACK && r->value[i] == ABI_RESOURCE_UNKNOWN;
        if (unknown) fprintf(out, ", %s not known", names[i]);
        else fprintf(out, ", %s %llu", names[i], (unsigned long long)r->value[i]);
    }
    if (r->version == 4) print_ray(r->ray, out);
    print_flags(r->flags, out);
    fputc('\n', out);
}

/* ---- lists of them ---- */

bool resource_is_section(const char *name, const char **kernel)
{
    static const char joined[] = ".rodata.ventus.resource", own[] = ".ventus.resource.";
    *kernel = NULL;
    if (!strcmp(name, joined)) return true;
    if (strncmp(name, own, sizeof own - 1) || !name[sizeof own - 1]) return false;
    *kernel = name + sizeof own - 1;
    return true;
}

bool resource_append(struct owned *o, const struct elf_resource *r, const char **why)
{
    if (o->nresources == MAX_RECORDS) return refuse(why, "there are too many resource records");
    if (!(o->nresources & (o->nresources - 1))) { /* full: 0, 1, 2, 4 ... */
        struct elf_resource *larger = realloc(o->resources, (o->nresources ? 2 * o->nresources : 1) * sizeof *larger);
        if (!larger) return refuse(why, "out of memory");
        o->resources = larger;
    }
    o->resources[o->nresources++] = *r;
    return true;
}

bool resource_append_section(struct owned *o, const uint8_t *bytes, size_t size, const char *kernel, const char **why)
{
    for (size_t used; size; bytes += used, size -= used) {
        struct elf_resource r;
        if (!resource_read(bytes, size, &r, &used, why)) return false;
        r.kernel = kernel;
        if (!resource_append(o, &r, why)) return false;
    }
    return true;
}

bool resource_own_names(struct owned *o, const char **why)
{
    size_t size = 1;
    for (size_t i = 0; i < o->nresources && size <= MAX_NAMES; i++)
        size += o->resources[i].kernel ? strlen(o->resources[i].kernel) + 1 : 0;
    if (size > MAX_NAMES) return refuse(why, "the names of resource records are too long");
    char *p = o->kernels = malloc(size);
    if (!p) return refuse(why, "out of memory");
    for (size_t i = 0; i < o->nresources; i++) {
        if (!o->resources[i].kernel) continue;
        size_t n = strlen(o->resources[i].kernel) + 1;
        o->resources[i].kernel = memcpy(p, o->resources[i].kernel, n);
        p += n;
    }
    return true;
}
