/* Which bits of memory are undefined: pages that exist only where some bytes are defined and others not.
 *
 * Invariant: pages[n] is NULL, &blank or owned. Without memory for a page, all of it counts as defined. */
#include <stdlib.h>
#include <string.h>

#include "check/parts.h"

bool shadow_init(struct shadow *s)
{
    memset(s->blank.undefined, 0xff, sizeof s->blank.undefined);
    s->pages = calloc(PAGES, sizeof(struct shadow_page *));
    return s->pages != NULL;
}

static void drop(struct shadow *s, uint32_t number, struct shadow_page *instead)
{
    if (s->pages[number] != &s->blank) free(s->pages[number]);
    s->pages[number] = instead;
}

void shadow_free(struct shadow *s)
{
    for (uint32_t i = 0; i < PAGES && s->pages; i++) drop(s, i, NULL);
    free(s->pages);
}

/* A page that can be written; NULL: it is all defined and stays so. */
static struct shadow_page *own(struct shadow *s, uint32_t number)
{
    struct shadow_page *old = s->pages[number];
    if (old && old != &s->blank) return old;
    struct shadow_page *page = calloc(1, sizeof *page);
    if (page && old) *page = s->blank;
    return s->pages[number] = page;
}

static void clear_computed(struct shadow_page *page, uint32_t at, uint32_t n)
{
    for (uint32_t word = at / 4; word <= (at + n - 1) / 4; word++)
        page->computed[word / 8] &= (uint8_t) ~(1u << word % 8);
}

static void set_in_page(struct shadow *s, uint32_t number, uint32_t at, uint32_t n, bool undefined)
{
    struct shadow_page *page = s->pages[number];
    if (page == (undefined ? &s->blank : NULL)) return;
    if (n == ABI_PAGE) {
        drop(s, number, undefined ? &s->blank : NULL);
        return;
    }
    page = own(s, number);
    if (!page) return;
    memset(page->undefined + at, undefined ? 0xff : 0, n);
    clear_computed(page, at, n);
}

void shadow_set(struct shadow *s, uint32_t addr, uint64_t size, bool undefined)
{
    if (size > MEM_SPAN - addr) size = MEM_SPAN - addr;
    for (uint64_t done = 0; done < size;) {
        uint32_t here = (uint32_t)(addr + done), at = here % ABI_PAGE, n = ABI_PAGE - at;
        if (n > size - done) n = (uint32_t)(size - done);
        set_in_page(s, here >> PAGE_BITS, at, n, undefined);
        done += n;
    }
}

static uint8_t get_byte(const struct shadow *s, uint32_t addr)
{
    const struct shadow_page *page = s->pages[addr >> PAGE_BITS];
    return page ? page->undefined[addr % ABI_PAGE] : 0;
}

uint32_t shadow_get(const struct shadow *s, uint32_t addr, uint32_t size, bool *computed)
{
    const struct shadow_page *page = s->pages[addr >> PAGE_BITS];
    uint32_t undefined = 0;
    for (uint32_t i = 0; i < size; i++) undefined |= (uint32_t)get_byte(s, addr + i) << 8 * i;
    *computed = page && (page->computed[addr % ABI_PAGE / 32] >> addr / 4 % 8 & 1);
    return undefined;
}

static void put_byte(struct shadow *s, uint32_t addr, uint8_t undefined)
{
    struct shadow_page *page = s->pages[addr >> PAGE_BITS];
    if (page == (undefined == 0xff ? &s->blank : NULL) && (undefined == 0 || undefined == 0xff)) return;
    page = own(s, addr >> PAGE_BITS);
    if (page) page->undefined[addr % ABI_PAGE] = undefined;
}

static void put_computed(struct shadow *s, uint32_t addr, bool computed)
{
    struct shadow_page *page = s->pages[addr >> PAGE_BITS];
    if (!page || (page == &s->blank && !computed)) return;
    page = own(s, addr >> PAGE_BITS);
    if (!page) return;
    uint8_t *bits = &page->computed[addr % ABI_PAGE / 32], bit = (uint8_t)(1u << addr / 4 % 8);
    *bits = (uint8_t)(computed ? *bits | bit : *bits & ~bit);
}

void shadow_put(struct shadow *s, uint32_t addr, uint32_t size, uint32_t undefined, bool computed)
{
    for (uint32_t i = 0; i < size; i++) put_byte(s, addr + i, (uint8_t)(undefined >> 8 * i));
    put_computed(s, addr, computed);
}

void shadow_copy(struct shadow *s, uint32_t to, uint32_t from, uint64_t size)
{
    bool backward = to > from;
    for (uint64_t done = 0; done < size; done++) {
        uint32_t at = (uint32_t)(backward ? size - 1 - done : done);
        put_byte(s, to + at, get_byte(s, from + at));
    }
}
