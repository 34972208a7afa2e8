/*
 * root_id.h - the identity of a root folder, recorded as root.json in its state directory.
 *
 * A path alone does not identify a project: a folder may be deleted and another repository cloned
 * to the same path, or the state directory may be shared with another host or container. So a state
 * directory is used only if the path, machine, device and inode of the root folder are the same.
 * The time of birth must also be the same (if the file system records it), because inodes are
 * reused.
 */
#ifndef STATE_ROOT_ID_H
#define STATE_ROOT_ID_H

#include "base/arena.h"
#include "base/err.h"

struct root_id {
    struct str path, machine, device, inode, born;
};

/* Get the identity of the folder at an absolute path. The path is borrowed, the rest is in mem. */
bool root_id_of(struct arena *mem, const char *path, struct root_id *out, struct err *e);

/* Do both identify the same folder? If not, *differs is the name of the first different member. */
bool root_id_same(const struct root_id *a, const struct root_id *b, const char **differs);

/* Read and write root.json in a state directory. ERR_NOT_FOUND: there is no root.json. */
bool root_id_read(struct arena *mem, const char *state, struct root_id *out, struct err *e);
bool root_id_write(const char *state, const struct root_id *id, struct err *e);

#endif
