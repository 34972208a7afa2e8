/*
 * state_list.h - lists, adopts and deletes the state directories of the user.
 *
 * All functions need the lock on <user state>/roots that state_roots_open takes. They block.
 */
#ifndef STATE_STATE_LIST_H
#define STATE_STATE_LIST_H

#include "base/limits.h"
#include "state/root_id.h"
#include "state/state_dir.h"

enum state_status {
    /* the root folder for which the state directory was created is still at its path */
    STATE_USABLE,
    STATE_VANISHED, /* there is no folder at the path of the root folder */
    STATE_OTHER,    /* there is another folder at that path, or the state directory was renamed */
    STATE_DAMAGED,  /* root.json cannot be read */
};

const char *state_status_name(enum state_status s);

struct state_entry {
    const char *name, *path; /* name of the state directory in roots/, and its absolute path */
    /* the root folder for which the state directory was created; {0}: damaged */
    struct root_id id;
    enum state_status status;
    bool in_use;         /* a running process uses the state directory */
    int64_t bytes, used; /* size of all files; time of the last change, wall clock in ms */
};

struct state_list {
    int fd; /* descriptor of roots/, which is locked; -1: roots/ does not exist */
    const char *roots;
    struct state_entry *v;
    size_t n;
};

/* Read the list; it is empty if roots/ does not exist. Call state_list_close afterwards. */
bool state_list_open(struct state_list *l, struct arena *mem, struct err *e);
void state_list_close(struct state_list *l);

/*
 * Find the state directory whose name begins with `name`. ERR_NOT_FOUND: there is none.
 * ERR_INVALID: several match. If `name` is NULL, find the state directory that was used last for
 * another folder at the path `root`.
 */
bool state_list_find(const struct state_list *l, const char *name, const char *root,
                     struct state_entry **out, struct err *e);

/*
 * Make *s the state directory of the root. The current state directory of the root is renamed; its
 * new name is *aside (in mem; NULL: there was none). ERR_BUSY: a process uses one of the two state
 * directories.
 */
bool state_adopt(struct state_list *l, struct arena *mem, struct state_entry *s, const char *root,
                 const char **aside, struct err *e);

/* Delete a state directory. ERR_BUSY: a process uses it. */
bool state_delete(struct state_list *l, const struct state_entry *s, struct err *e);

/*
 * Delete all state directories whose root folder was deleted, and those that were not used for
 * limits.session_keep_ms and whose root folder is missing or was replaced by another folder. Adds
 * to *deleted and *bytes.
 */
bool state_sweep(const struct limits *limits, int64_t now, int64_t *deleted, int64_t *bytes,
                 struct err *e);

#endif
