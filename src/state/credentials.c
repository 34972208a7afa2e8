#include "state/credentials.h"

#include "base/auto.h"
#include "base/json.h"
#include "loop/file.h"
#include "state/file_lock.h"
#include "state/root.h"

#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_name(struct str path)
{
    while (path.p) {
        struct str part = str_cut(&path, '/');

        if (!part.n || str_eq(part, STR(".")) || str_eq(part, STR("..")))
            return false;
    }
    return true;
}

bool credentials_check(const struct credentials *c, struct err *e)
{
    for (size_t i = 0; i < c->names; i++)
        if (!is_name(str_of(c->name[i])))
            return fail(e, ERR_INVALID,
                        "%.100s: expected the path of a file below the home folder, such as "
                        ".codex/auth.json",
                        c->name[i]);
    return true;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* One credential file while it is copied. */
struct copy {
    struct arena mem;
    const char *name;
    const char *users;        /* path of the user's file */
    const char *private_dir;  /* the program's home folder */
    const char *given_folder; /* what was copied in */
    bool json;                /* as in struct credentials */
};

static void copy_init(struct copy *f, const struct credentials *c, size_t i)
{
    *f = (struct copy){ .name = c->name[i], .private_dir = c->private_dir, .json = c->json };
    f->users = arena_printf(&f->mem, "%s/%s", c->home, f->name).p;
    f->given_folder = arena_printf(&f->mem, "%s.given", c->private_dir).p;
}

static bool check_json(struct copy *f, struct str text, struct err *e)
{
    const struct json_opts opts = { .max_depth = 32, .max_values = 10000 };
    struct json v;

    if (!f->json || (json_read(&f->mem, text, &opts, &v, e) && json_type(v) == JSON_OBJECT))
        return true;
    return fail(e, ERR_INVALID,
                "the program has written something into %.100s that is not a JSON object; this was "
                "not copied back",
                f->name);
}

static bool replace_users(struct copy *f, struct str given, struct str refreshed, struct err *e)
{
    struct str theirs = STR_NONE;

    if (!file_read(&f->mem, f->users, CREDENTIALS_BYTES, &theirs, e) && e->code != ERR_NOT_FOUND)
        return false;
    if (!theirs.p || !str_eq(theirs, given))
        return fail(e, ERR_DENIED,
                    "%.150s has changed since it was copied for the program; the program's new "
                    "version was not copied back",
                    f->users);
    return check_json(f, refreshed, e) && file_write(f->users, refreshed, 0600, e);
}

/* If the user's file cannot be written, what was given is kept, so that it is tried again. */
static bool take_back(struct copy *f, struct err *e)
{
    struct str given, refreshed;
    bool ok = true;

    if (!file_read_beneath(&f->mem, f->given_folder, f->name, CREDENTIALS_BYTES, &given, NULL, e))
        return e->code == ERR_NOT_FOUND;
    if (file_read_beneath(&f->mem, f->private_dir, f->name, CREDENTIALS_BYTES, &refreshed, NULL,
                          e) &&
        !str_eq(given, refreshed))
        ok = replace_users(f, given, refreshed, e);
    if (ok || e->code == ERR_DENIED || e->code == ERR_INVALID)
        unlink(arena_printf(&f->mem, "%s/%s", f->given_folder, f->name).p);
    return ok;
}

static bool give(struct copy *f, struct err *e)
{
    struct str theirs;

    if (!file_read(&f->mem, f->users, CREDENTIALS_BYTES, &theirs, e))
        return e->code == ERR_NOT_FOUND;
    return file_make_folders(&f->mem, f->given_folder, e) &&
           file_write_beneath(f->given_folder, f->name, theirs, 0600, e) &&
           file_write_beneath(f->private_dir, f->name, theirs, 0600, e);
}

static bool give_only(struct copy *f, struct err *e)
{
    struct str theirs;

    if (!file_read(&f->mem, f->users, CREDENTIALS_BYTES, &theirs, e))
        return e->code == ERR_NOT_FOUND;
    return file_write_beneath(f->private_dir, f->name, theirs, 0600, e);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Two programs may have refreshed the same file. */
static int lock_all(struct err *e)
{
    AUTO_ARENA mem = { 0 };
    const char *state;

    if (!root_user_state(&mem, &state, e))
        return -1;
    return file_lock(arena_printf(&mem, "%s/credentials.lock", state).p, e);
}

/* The first error is kept, and the others are tried. */
static bool for_each(const struct credentials *c, bool (*step)(struct copy *f, struct err *e),
                     struct err *e)
{
    AUTO_FD lock = c->names ? lock_all(e) : -1;
    struct err one;
    bool ok = lock >= 0 || !c->names;

    for (size_t i = 0; i < c->names && lock >= 0; i++) {
        struct copy f;

        copy_init(&f, c, i);
        if (!step(&f, &one)) {
            if (ok)
                *e = one;
            ok = false;
        }
        arena_fini(&f.mem);
    }
    return ok;
}

bool credentials_copy_in(const struct credentials *c, struct err *e)
{
    if (!credentials_check(c, e))
        return false;
    if (!for_each(c, take_back, e) && e->code != ERR_DENIED && e->code != ERR_INVALID)
        return false;
    return for_each(c, give, e);
}

bool credentials_copy_back(const struct credentials *c, struct err *e)
{
    return for_each(c, take_back, e);
}

bool credentials_copy_settings(const struct credentials *c, struct err *e)
{
    return credentials_check(c, e) && for_each(c, give_only, e);
}
