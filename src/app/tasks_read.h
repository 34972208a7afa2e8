/*
 * tasks_read.h - what [tasks] says.
 */
#ifndef APP_TASKS_READ_H
#define APP_TASKS_READ_H

#include "core/lock.h"

/* `table` may be missing. What it does not say stays as it is. */
bool tasks_read(struct arena *mem, struct json table, enum lock_conflict *conflict, bool *isolate,
                struct err *e);

#endif
