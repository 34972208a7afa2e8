#include "proto/mcp/server/mcp_sessions.h"

#include "base/container.h"
#include "base/mem.h"
#include "proto/mcp/server/mcp_session.h"

struct idle_list {
    struct mcp_session *oldest, *newest;
};

struct mcp_session_group {
    struct mcp_session_group *next;
    size_t sessions;                         /* idle or not */
    struct idle_list idle[MCP_SESSION_USES]; /* by number of requests */
    char principal[PRINCIPAL_TEXT];
};

void mcp_sessions_init(struct mcp_sessions *all, struct loop *loop, const struct limits *limits)
{
    *all = (struct mcp_sessions){ .loop = loop, .limits = limits };
    all->events = (struct event_pool){ .max_bytes = (size_t)limits->mcp_events_bytes };
}

/* ---- groups ------------------------------------------------------------------------------ */

static struct mcp_session_group **find_group(struct mcp_sessions *all, const char *principal)
{
    struct mcp_session_group **at = &all->groups;

    while (*at && strcmp((*at)->principal, principal) != 0)
        at = &(*at)->next;
    return at;
}

void mcp_sessions_add(struct mcp_sessions *all, struct mcp_session *s)
{
    struct mcp_session_group **at = find_group(all, s->conv.principal.name);

    if (!*at) {
        *at = MEM_NEW(struct mcp_session_group);
        memcpy((*at)->principal, s->conv.principal.name, PRINCIPAL_TEXT);
    }
    s->group = *at;
    s->group->sessions++;
    all->count++;
}

void mcp_sessions_remove(struct mcp_sessions *all, struct mcp_session *s)
{
    struct mcp_session_group **at = find_group(all, s->group->principal), *group = *at;

    s->group = NULL;
    if (!--group->sessions) {
        *at = group->next;
        mem_free(group);
    }
    if (!--all->count)
        timer_clear(all->loop, &all->expiry);
}

/* ---- idle sessions ----------------------------------------------------------------------- */

static struct idle_list *list_of(struct mcp_session *s)
{
    static const uint32_t least[MCP_SESSION_USES] = { 0, 1, 3, 8 };
    size_t i = MCP_SESSION_USES - 1;

    while (s->uses < least[i])
        i--;
    return &s->group->idle[i];
}

static struct mcp_session *oldest_of(const struct mcp_sessions *all)
{
    struct mcp_session *oldest = NULL;

    for (const struct mcp_session_group *g = all->groups; g; g = g->next)
        for (size_t i = 0; i < MCP_SESSION_USES; i++) {
            struct mcp_session *s = g->idle[i].oldest;

            if (s && (!oldest || s->idle_since < oldest->idle_since))
                oldest = s;
        }
    return oldest;
}

static void on_expiry(struct timer *t)
{
    struct mcp_sessions *all = CONTAINER_OF(t, struct mcp_sessions, expiry);
    int64_t longest = all->limits->mcp_session_idle_ms;
    struct mcp_session *s = oldest_of(all);

    while (s && s->idle_since + longest <= loop_now(all->loop)) {
        mcp_session_end(s);
        s = oldest_of(all);
    }
    if (s)
        timer_set(all->loop, t, s->idle_since + longest - loop_now(all->loop), on_expiry);
}

void mcp_sessions_idle(struct mcp_sessions *all, struct mcp_session *s)
{
    struct idle_list *list = list_of(s);

    s->idle_since = loop_now(all->loop);
    s->older = list->newest;
    *(s->older ? &s->older->newer : &list->oldest) = s;
    list->newest = s;
    all->idle++;
    if (!timer_is_set(&all->expiry))
        timer_set(all->loop, &all->expiry, all->limits->mcp_session_idle_ms, on_expiry);
}

void mcp_sessions_busy(struct mcp_sessions *all, struct mcp_session *s)
{
    struct idle_list *list = list_of(s);

    *(s->older ? &s->older->newer : &list->oldest) = s->newer;
    *(s->newer ? &s->newer->older : &list->newest) = s->older;
    s->older = s->newer = NULL;
    all->idle--;
}

/* ---- making room ------------------------------------------------------------------------- */

static struct mcp_session *least_used(const struct mcp_session_group *g)
{
    for (size_t i = 0; i < MCP_SESSION_USES; i++)
        if (g->idle[i].oldest)
            return g->idle[i].oldest;
    return NULL;
}

bool mcp_sessions_make_room(struct mcp_sessions *all, const struct principal *principal)
{
    const struct mcp_session_group *own = *find_group(all, principal->name), *from = NULL;
    size_t own_count = own ? own->sessions : 0, most = 0;

    if (all->count < (size_t)all->limits->mcp_sessions)
        return true;
    for (const struct mcp_session_group *g = all->groups; g; g = g->next) {
        size_t count = g == own ? own_count + 1 : g->sessions; /* including the new session */

        if (count > own_count && count > most && least_used(g)) {
            from = g;
            most = count;
        }
    }
    if (from)
        mcp_session_end(least_used(from));
    return from != NULL;
}
