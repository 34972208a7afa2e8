/*
 * state_list.h - all state directories of the user: list, adopt and delete them.
 *
 * Everything here needs the lock on <user state>/roots that state_roots_open takes. Blocking.
 */
#ifndef STATE_STATE_LIST_H
#define STATE_STATE_LIST_H

#include "base/limits.h"
#include "state/root_id.h"
#include "state/state_dir.h"

enum state_status {
    STATE_USABLE,   /* the folder that it was made for is at its path */
    STATE_VANISHED, /* no folder is at that path */
    STATE_OTHER,    /* another folder is at that path, or the state was put aside */
    STATE_DAMAGED,  /* root.json cannot be read */
};

const char *state_status_name(enum state_status s);

struct state_entry {
    const char *name, *path; /* in roots/; absolute */
    struct root_id id;       /* of the folder it was made for; {0}: damaged */
    enum state_status status;
    bool in_use;         /* by a process that runs */
    int64_t bytes, used; /* of all files; when one was last changed, wall clock in ms */
};

struct state_list {
    int fd; /* of roots/, locked; -1: there is none */
    const char *roots;
    struct state_entry *v;
    size_t n;
};

/* No roots/ is an empty list. Close the list. */
bool state_list_open(struct state_list *l, struct arena *mem, struct err *e);
void state_list_close(struct state_list *l);

/*
 * The state with this name or name prefix. ERR_NOT_FOUND, ERR_INVALID (several match). Without a
 * name (NULL): the last used state of this path that belonged to another folder.
 */
bool state_list_find(const struct state_list *l, const char *name, const char *root,
                     struct state_entry **out, struct err *e);

/*
 * Make it the state of the root from now on. The one that the root has is put aside under a new name,
 * *aside (in mem; NULL: there was none). ERR_BUSY: a process uses one of them.
 */
bool state_adopt(struct state_list *l, struct arena *mem, struct state_entry *s, const char *root,
                 const char **aside, struct err *e);

/* ERR_BUSY: a process uses it. */
bool state_delete(struct state_list *l, const struct state_entry *s, struct err *e);

/* Delete all garbage; adds to *deleted and *bytes. */
bool state_sweep(const struct limits *limits, int64_t now, int64_t *deleted, int64_t *bytes,
                 struct err *e);

#endif
