#include "config/project.h"

#include "term/print.h"

#include <unistd.h>

bool project_find_database(struct project *p, const char **out, struct err *e)
{
    const char *path;

    if (!state_dir_find(&p->state, e))
        return false;
    path = state_dir_file(&p->state, &p->mem, STATE_DATABASE);
    if (access(path, F_OK) != 0)
        return fail(e, ERR_NOT_FOUND, "no state is stored for %.150s", p->root.path);
    *out = path;
    return true;
}

bool project_open_state(struct project *p, bool *keeps)
{
    struct err e;

    *keeps = state_dir_open(&p->state, &e);
    if (!*keeps && e.code == ERR_INVALID) {
        print_error(&e);
        return false;
    }
    if (!*keeps)
        print_notice("no state is stored: %s", e.text);
    return true;
}
