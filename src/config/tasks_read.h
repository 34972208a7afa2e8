/*
 * tasks_read.h - read [tasks].
 */
#ifndef CONFIG_TASKS_READ_H
#define CONFIG_TASKS_READ_H

#include "core/lock/lock.h"

/* `table` may be missing. Absent members leave their values unchanged. */
bool tasks_read(struct arena *mem, struct json table, enum lock_conflict *conflict, bool *isolate,
                struct err *e);

#endif
