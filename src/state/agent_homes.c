#include "state/agent_homes.h"

#include "base/arena.h"
#include "base/auto.h"
#include "loop/file.h"

#include <sys/stat.h>

enum { HOMES_MOST = 100000 };

static int64_t used_at(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 ? (int64_t)st.st_mtim.tv_sec * 1000 : INT64_MAX;
}

void agent_homes_sweep(const char *state, const struct limits *limits, int64_t now)
{
    AUTO_ARENA mem = { 0 };
    struct file_names names = { 0 };
    struct err e;

    if (!state || !file_list_beneath(&mem, state, "homes", HOMES_MOST, &names, &e))
        return;
    for (size_t i = 0; i < names.n; i++) {
        const char *path = arena_printf(&mem, "%s/homes/%s", state, names.v[i]).p;

        if (used_at(path) < now - limits->session_keep_ms)
            file_remove_tree(path);
    }
}

void agent_home_delete(const char *state, const char *session)
{
    AUTO_ARENA mem = { 0 };

    if (state && !strchr(session, '/'))
        file_remove_tree(arena_printf(&mem, "%s/homes/%s", state, session).p);
}
