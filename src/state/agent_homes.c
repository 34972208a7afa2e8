#include "state/agent_homes.h"

#include "base/arena.h"
#include "base/auto.h"
#include "loop/file.h"

#include <sys/stat.h>

enum { HOMES_MOST = 100000 };

#define GIVEN ".given"

static int64_t used_at(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 ? (int64_t)st.st_mtim.tv_sec * 1000 : INT64_MIN;
}

/* With the folder of what was copied into it (state/credentials.h). */
static void delete_home(struct arena *mem, const char *path)
{
    file_remove_tree(path);
    file_remove_tree(arena_printf(mem, "%s" GIVEN, path).p);
}

void agent_homes_sweep(const char *state, const struct limits *limits, int64_t now)
{
    AUTO_ARENA mem = { 0 };
    struct file_names names = { 0 };
    struct err e;

    if (!state || !file_list_beneath(&mem, state, "homes", HOMES_MOST, &names, &e))
        return;
    for (size_t i = 0; i < names.n; i++) {
        struct str name = str_of(names.v[i]);
        const char *path;

        if (str_ends(name, STR(GIVEN))) /* it is as old as its home */
            name = str_head(name, name.n - strlen(GIVEN));
        path = arena_printf(&mem, "%s/homes/" STR_FMT, state, STR_ARG(name)).p;
        if (used_at(path) < now - limits->session_keep_ms)
            delete_home(&mem, path);
    }
}

void agent_home_delete(const char *state, const char *session)
{
    AUTO_ARENA mem = { 0 };

    if (state && !strchr(session, '/'))
        delete_home(&mem, arena_printf(&mem, "%s/homes/%s", state, session).p);
}
