/* place.h - a folder of its own for a test that needs files; gone at the end of the scope. */
#ifndef TESTS_UNIT_APP_PLACE_H
#define TESTS_UNIT_APP_PLACE_H

#include "base/auto.h"
#include "loop/file.h"
#include "state/root.h"
#include "tap.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

struct place {
    struct arena mem;
    char path[64];
};

static int place_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void place_fini(struct place *p)
{
    nftw(p->path, place_remove, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&p->mem);
}

/* HOME and the XDG folders lead into it: nothing of the real user is seen. */
static inline struct place place_new(void)
{
    struct place p = { .path = "/tmp/trefoil-test-XXXXXX" };

    if (!mkdtemp(p.path))
        TAP_NOT("mkdtemp: %s", strerror(errno));
    setenv("HOME", arena_printf(&p.mem, "%s/home", p.path).p, 1);
    unsetenv("TREFOIL_STATE_DIR");
    unsetenv("STATE_DIRECTORY");
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    return p;
}

static inline const char *place_file(struct place *p, const char *name)
{
    return arena_printf(&p->mem, "%s/%s", p->path, name).p;
}

/* A file with its folders, for the user alone. */
static inline void place_write(struct place *p, const char *name, const char *text)
{
    const char *path = place_file(p, name);
    struct err e = { 0 };

    if (!file_make_parent(&p->mem, path, &e) || !file_write(path, str_of(text), 0600, &e))
        TAP_NOT("%s: %s", path, e.text);
}

/* A symbolic link with its folders. */
static inline void place_link(struct place *p, const char *name, const char *to)
{
    const char *path = place_file(p, name);
    struct err e = { 0 };

    if (!file_make_parent(&p->mem, path, &e) || symlink(to, path) < 0)
        TAP_NOT("%s: %s", path, e.text);
}

#define AUTO_PLACE __attribute__((cleanup(place_fini))) struct place

#endif
