/*
 * mount_ops.h - single mount operations. On failure they return false (or -1) and set errno.
 *
 * Paths are opened without following any link, because a link in the root may lead out of the root.
 * So only the paths that the plan names are mounted, and only on the paths that it names.
 */
#ifndef SANDBOX_MOUNT_OPS_H
#define SANDBOX_MOUNT_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* Clone the mount at a path, with all mounts below it, and return a descriptor of the clone, which
 * is not attached to any path yet. If the path is a link, the link itself is cloned. */
int mount_clone(const char *path);

/* Add attributes (MOUNT_ATTR_*) to a mount and to all mounts below it. */
bool mount_attr(int fd, uint64_t attributes);

/* Attach a clone to a path. */
bool mount_put(int fd, const char *path);

/* Mount an empty file system in memory (tmpfs) at a path. */
bool mount_tmpfs(const char *path, const char *options);

/* Mount a path on itself, so that it cannot be renamed or removed. */
bool mount_pin(const char *path);

/* Mount a path on itself, read-only. */
bool mount_fix(const char *path);

/* Make the mount at a path read-only. mount_seal_all includes the mounts below it. */
bool mount_seal(const char *path);
bool mount_seal_all(const char *path);

#endif
