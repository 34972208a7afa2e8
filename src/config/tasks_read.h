/*
 * tasks_read.h - reads the table [tasks] of the configuration.
 */
#ifndef CONFIG_TASKS_READ_H
#define CONFIG_TASKS_READ_H

#include "core/lock/lock.h"

/* Read the keys of `table`, which may be missing. If a key is absent, its value does not change. */
bool tasks_read(struct arena *mem, struct json table, enum lock_conflict *conflict, bool *isolate,
                struct err *e);

#endif
