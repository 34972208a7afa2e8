/*
 * namespaces.h - create a process in new namespaces.
 *
 * One clone call creates the user namespace and all other namespaces, which belong to the user
 * namespace. This is also done if trefoil runs as root: with the real capabilities of root, the
 * child could undo the mounts by a remount.
 */
#ifndef SANDBOX_NAMESPACES_H
#define SANDBOX_NAMESPACES_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Like fork. The child is process 1 of a new pid namespace and has all capabilities in its user
 * namespace, but no user and group ids until the parent has called namespaces_map. On failure
 * returns -1 and sets errno.
 */
pid_t namespaces_fork(bool netns);

/* Called by the parent: map user and group ids into the namespace of the child. If the parent is
 * root, all ids are mapped, else only its own ids. Mapped ids do not change. */
bool namespaces_map(pid_t child, struct err *e);

/* Called by the child: enable the loopback device of its network namespace. */
bool namespaces_loopback(struct err *e);

#endif
