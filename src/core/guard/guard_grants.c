#include "core/guard/guard_grants.h"

#include "base/mem.h"

#include <stdio.h>

void guard_grants_fini(struct guard_grants *g)
{
    mem_free(g->v);
    *g = (struct guard_grants){ 0 };
}

static struct guard_grant *grant_find(const struct guard_grants *g, const char *id)
{
    for (size_t i = 0; i < g->n; i++)
        if (str_eq(str_of(g->v[i].id), str_of(id)))
            return &g->v[i];
    return NULL;
}

enum guard_says guard_granted(const struct guard_grants *g, const char *id)
{
    const struct guard_grant *found = grant_find(g, id);

    if (!found)
        return GUARD_ASK;
    return found->allows ? GUARD_ALLOW : GUARD_DENY;
}

void guard_grant(struct guard_grants *g, const char *id, bool allows)
{
    struct guard_grant *to = grant_find(g, id);

    if (!to) {
        if (g->n == GUARD_GRANTS)
            return;
        if (!g->v)
            g->v = mem_alloc(GUARD_GRANTS * sizeof(*g->v));
        to = &g->v[g->n++];
        snprintf(to->id, sizeof(to->id), "%s", id);
    }
    to->allows = allows;
}
