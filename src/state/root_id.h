/*
 * root_id.h - the identity of a root folder, recorded as root.json in its state directory.
 *
 * A path alone does not identify a project: a folder may be deleted and another repository cloned
 * to the same path, or the state directory may be shared with another host or container. State is
 * used only for the folder that it was made for: same path, machine, device, inode and, because
 * inodes are reused, time of birth (where the file system records it).
 */
#ifndef STATE_ROOT_ID_H
#define STATE_ROOT_ID_H

#include "base/arena.h"
#include "base/err.h"

struct root_id {
    struct str path, machine, device, inode, born;
};

/* Of the folder at an absolute path. The path is borrowed, the rest is in mem. */
bool root_id_of(struct arena *mem, const char *path, struct root_id *out, struct err *e);

/* True if both mean the same folder; else *differs names the first field that is different. */
bool root_id_same(const struct root_id *a, const struct root_id *b, const char **differs);

/* Read and write root.json in a state directory. ERR_NOT_FOUND: there is none. */
bool root_id_read(struct arena *mem, const char *state, struct root_id *out, struct err *e);
bool root_id_write(const char *state, const struct root_id *id, struct err *e);

#endif
