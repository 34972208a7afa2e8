#include "proto/mcp/server/mcp_events.h"

#include "base/id.h"
#include "base/mem.h"

#include <stdio.h>

void mcp_event_pool_init(struct mcp_event_pool *pool, const struct limits *limits)
{
    *pool = (struct mcp_event_pool){ .most_bytes = (size_t)limits->mcp_events_bytes };
}

void mcp_events_init(struct mcp_events *e, const struct limits *limits, struct mcp_event_pool *pool)
{
    *e = (struct mcp_events){ .pool = pool,
                              .most = (size_t)limits->mcp_session_events,
                              .most_bytes = (size_t)limits->mcp_session_bytes };
    e->end = &e->first;
    id_random(&e->session, sizeof(e->session));
}

static void pool_add(struct mcp_event_pool *pool, struct mcp_event *ev)
{
    ev->older = pool->newest;
    ev->newer = NULL;
    *(ev->older ? &ev->older->newer : &pool->oldest) = ev;
    pool->newest = ev;
    pool->bytes += sizeof(*ev) + ev->n;
}

static void pool_remove(struct mcp_event_pool *pool, struct mcp_event *ev)
{
    *(ev->older ? &ev->older->newer : &pool->oldest) = ev->newer;
    *(ev->newer ? &ev->newer->older : &pool->newest) = ev->older;
    pool->bytes -= sizeof(*ev) + ev->n;
}

static void drop(struct mcp_events *e, struct mcp_event **at)
{
    struct mcp_event *ev = *at;

    *at = ev->next;
    if (!ev->next)
        e->end = at;
    e->count--;
    e->bytes -= ev->n;
    pool_remove(e->pool, ev);
    mem_free(ev);
}

void mcp_events_fini(struct mcp_events *e)
{
    while (e->first)
        drop(e, &e->first);
}

/* ---- ids --------------------------------------------------------------------------------- */

static struct str write_id(const struct mcp_events *e, uint32_t stream, uint64_t number,
                           char id[MCP_EVENT_ID])
{
    int n =
        snprintf(id, MCP_EVENT_ID, "%08x-%u-%llu", e->session, stream, (unsigned long long)number);

    return (struct str){ id, (size_t)n };
}

struct str mcp_event_id(const struct mcp_events *e, const struct mcp_event *ev,
                        char id[MCP_EVENT_ID])
{
    return write_id(e, ev->stream, ev->number, id);
}

bool mcp_events_named(const struct mcp_events *e, struct str id, struct mcp_event_stream *out)
{
    struct str session = str_cut(&id, '-'), stream = str_cut(&id, '-');
    uint64_t s, number;
    char own[16];

    snprintf(own, sizeof(own), "%08x", e->session);
    if (!str_eq(session, str_of(own)) || !str_uint(stream, 0, UINT32_MAX, &s) ||
        !str_uint(id, 1, e->number, &number))
        return false;
    *out = (struct mcp_event_stream){ .stream = (uint32_t)s, .newest = number };
    return true;
}

/* ---- keeping ----------------------------------------------------------------------------- */

struct str mcp_events_number(struct mcp_events *e, struct mcp_event_stream *s,
                             char id[MCP_EVENT_ID])
{
    s->newest = ++e->number;
    return write_id(e, s->stream, s->newest, id);
}

/* The oldest event of the pool is the first of its session: both are in the order they were kept. */
static bool make_room_in_pool(struct mcp_event_pool *pool, size_t n)
{
    size_t cost = sizeof(struct mcp_event) + n;

    if (cost > pool->most_bytes)
        return false;
    while (pool->bytes + cost > pool->most_bytes)
        drop(pool->oldest->of, &pool->oldest->of->first);
    return true;
}

/* One that could never fit takes all before it along: a gap is only ever at the beginning. */
static bool make_room(struct mcp_events *e, size_t n)
{
    bool fits = e->most && n <= e->most_bytes && make_room_in_pool(e->pool, n);

    while (e->first && (!fits || e->count >= e->most || e->bytes + n > e->most_bytes))
        drop(e, &e->first);
    return fits;
}

static struct mcp_event *gather(const struct str *piece, size_t n, size_t bytes)
{
    struct mcp_event *ev = mem_alloc(sizeof(*ev) + bytes);

    ev->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (piece[i].n)
            memcpy(ev->text + ev->n, piece[i].p, piece[i].n);
        ev->n += piece[i].n;
    }
    return ev;
}

struct str mcp_events_keep(struct mcp_events *e, struct mcp_event_stream *s,
                           const struct str *piece, size_t n, char id[MCP_EVENT_ID])
{
    uint64_t before = s->told;
    struct str text = mcp_events_number(e, s, id);
    struct mcp_event *ev;
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += piece[i].n;
    s->told = s->newest;
    if (!make_room(e, bytes))
        return text;
    ev = gather(piece, n, bytes);
    ev->next = NULL;
    ev->number = s->newest;
    ev->before = before;
    ev->stream = s->stream;
    ev->of = e;
    pool_add(e->pool, ev);
    *e->end = ev;
    e->end = &ev->next;
    e->count++;
    e->bytes += bytes;
    return text;
}

void mcp_events_forget(struct mcp_events *e, struct mcp_event_stream upto)
{
    struct mcp_event **at = &e->first;

    while (*at && (*at)->number <= upto.newest) {
        if ((*at)->stream == upto.stream)
            drop(e, at);
        else
            at = &(*at)->next;
    }
}

/* ---- coming back ------------------------------------------------------------------------- */

static const struct mcp_event *of_stream(const struct mcp_event *ev, uint32_t stream)
{
    while (ev && ev->stream != stream)
        ev = ev->next;
    return ev;
}

const struct mcp_event *mcp_events_after(const struct mcp_events *e, struct mcp_event_stream from,
                                         bool *lost)
{
    const struct mcp_event *ev = of_stream(e->first, from.stream);

    while (ev && ev->number <= from.newest)
        ev = mcp_events_next(ev);
    *lost = ev && ev->before > from.newest;
    return ev;
}

const struct mcp_event *mcp_events_next(const struct mcp_event *ev)
{
    return of_stream(ev->next, ev->stream);
}
