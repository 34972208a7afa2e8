/*
 * web_read.h - reads [web]: which private addresses trefoil may connect to when it fetches a URL
 * that comes from a model or a page.
 */
#ifndef CONFIG_WEB_READ_H
#define CONFIG_WEB_READ_H

#include "base/limits.h"
#include "base/pick.h"
#include "wire/address.h"

struct web_table {
    struct pick_strs allow_private;
};

extern const struct pick web_fields[1];

struct ip_range_list {
    const struct ip_range *v;
    size_t n;
};

/* Parse the address ranges of allow_private. Errors contain the position of `table`. */
bool web_ranges_read(struct arena *mem, const struct limits *limits, struct json table,
                     const struct pick_strs *text, struct ip_range_list *out, struct err *e);

#endif
