/*
 * owner.h - the name of a process, by which others can tell whether it still lives.
 *
 * Boot, pid namespace, pid and start time: no two processes have the same, and whoever shares
 * boot and namespace with it can look.
 */
#ifndef STORE_OWNER_H
#define STORE_OWNER_H

#include "base/str.h"

enum { OWNER_TEXT = 128 };

/* Of this process. */
void owner_self(char out[OWNER_TEXT]);

enum owner_life { OWNER_DEAD, OWNER_ALIVE, OWNER_UNKNOWN };

/* Of whoever has that name. Unknown: of another machine, boot or namespace, or unreadable. */
enum owner_life owner_life(struct str name);

/* Its pid, for a person; 0 when the name has none. */
int owner_pid(struct str name);

#endif
