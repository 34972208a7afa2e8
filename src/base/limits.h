/*
 * limits.h - the one table of limits (limits.def).
 *
 * Code that enforces a limit gets a `const struct limits *` from its owner. There is no global.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "base/json.h"

struct limits {
#define LIMIT(name, preset, least, most, unit, what) int64_t name;
#define FIXED(name, value, unit, what) int64_t name;
#include "base/limits.def"
};

/* Which values the configuration of a project may set instead of the user's value. */
enum limit_project {
    LIMIT_LOWER,      /* smaller values */
    LIMIT_LOWER_NOT0, /* smaller values; 0 means no limit and counts as the largest */
    LIMIT_USERS_ONLY, /* none */
};

/* A limit that is a configuration key. */
struct limit_row {
    const char *name, *unit, *what;
    enum limit_project project;
    bool tuning; /* a limit for tests and unusual machines, which lists omit */
    int64_t preset, least, most;
    size_t offset; /* offset of its int64_t in struct limits */
};

extern const struct limit_row limit_rows[];
extern const size_t limit_count;

/* Set all limits to their defaults, and the constants to their values. */
void limits_preset(struct limits *l);

/*
 * Apply the members of a [limits] table. Unknown keys, constants and values out of range are
 * errors.
 */
bool limits_read(struct arena *mem, struct json table, struct limits *l, struct err *e);

int64_t limits_get(const struct limits *l, const struct limit_row *row);
void limits_set(struct limits *l, const struct limit_row *row, int64_t value);

/* May a project set `value` if the user's value is `now`? The same value is always allowed. */
bool limit_project_may(const struct limit_row *row, int64_t now, int64_t value);

/* The options for parsing a JSON message from a peer, with the limits that apply. */
struct json_opts limits_json(const struct limits *l);

#endif
