/*
 * limits.h - the one table of bounds (limits.def).
 *
 * Whoever enforces a bound gets a `const struct limits *` from its owner; there is no global.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "base/json.h"

struct limits {
#define LIMIT(name, preset, least, most, unit, what) int64_t name;
#include "base/limits.def"
#undef LIMIT
};

struct limit_row {
    const char *name, *unit, *what;
    int64_t preset, least, most;
    size_t offset; /* of its int64_t in struct limits */
};

extern const struct limit_row limit_rows[];
extern const size_t limit_count;

/* All defaults. */
void limits_preset(struct limits *l);

/* Apply the members of a [limits] table; unknown keys and values out of range are errors. */
bool limits_read(struct arena *mem, struct json table, struct limits *l, struct err *e);

/* What a JSON message from a peer may be. */
struct json_opts limits_json(const struct limits *l);

#endif
