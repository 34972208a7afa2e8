/*
 * tasks_read.h - what [tasks] says.
 */
#ifndef CONFIG_TASKS_READ_H
#define CONFIG_TASKS_READ_H

#include "core/lock/lock.h"

/* `table` may be missing. What it does not say stays as it is. */
bool tasks_read(struct arena *mem, struct json table, enum lock_conflict *conflict, bool *isolate,
                struct err *e);

#endif
