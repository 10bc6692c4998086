/* The page of a profile (docs/profiler.md), for whoever has the profile's JSON. */
#ifndef VENTUS_PROFILE_PAGE_H
#define VENTUS_PROFILE_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* html.c: writes the page with `size` bytes of JSON in it, which is a profile. */
void profile_page_put(const char *json, size_t size, FILE *out);

#endif
