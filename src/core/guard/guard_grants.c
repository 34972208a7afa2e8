#include "core/guard/guard_grants.h"

#include <string.h>

bool guard_granted(const struct guard_grants *g, struct str tool)
{
    for (size_t i = 0; i < g->n; i++)
        if (str_eq(str_of(g->tool[i]), tool))
            return true;
    return false;
}

void guard_grant(struct guard_grants *g, struct str tool)
{
    if (g->n == GUARD_GRANTS || tool.n >= GUARD_GRANT_NAME || guard_granted(g, tool))
        return;
    memcpy(g->tool[g->n], tool.p, tool.n);
    g->tool[g->n++][tool.n] = '\0';
}
