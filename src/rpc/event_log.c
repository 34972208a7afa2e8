#include "rpc/event_log.h"

#include "base/id.h"
#include "base/mem.h"

#include <stdio.h>

void event_log_init(struct event_log *log, struct event_pool *pool, size_t max_count,
                    size_t max_bytes)
{
    *log = (struct event_log){ .pool = pool, .max_count = max_count, .max_bytes = max_bytes };
    log->end = &log->first;
    id_random(&log->session, sizeof(log->session));
}

struct event_stream event_log_open(struct event_log *log)
{
    return (struct event_stream){ .stream = ++log->streams };
}

/* ---- dropping ---------------------------------------------------------------------------- */

static void event_pool_add(struct event_pool *pool, struct logged_event *ev)
{
    ev->older = pool->newest;
    ev->newer = NULL;
    *(ev->older ? &ev->older->newer : &pool->oldest) = ev;
    pool->newest = ev;
    pool->bytes += sizeof(*ev) + ev->n;
}

static void event_pool_remove(struct event_pool *pool, struct logged_event *ev)
{
    *(ev->older ? &ev->older->newer : &pool->oldest) = ev->newer;
    *(ev->newer ? &ev->newer->older : &pool->newest) = ev->older;
    pool->bytes -= sizeof(*ev) + ev->n;
}

static void event_log_drop(struct event_log *log, struct logged_event **at)
{
    struct logged_event *ev = *at;

    *at = ev->next;
    if (!ev->next)
        log->end = at;
    log->count--;
    log->bytes -= ev->n;
    event_pool_remove(log->pool, ev);
    mem_free(ev);
}

void event_log_fini(struct event_log *log)
{
    while (log->first)
        event_log_drop(log, &log->first);
}

/* ---- ids --------------------------------------------------------------------------------- */

static struct str write_event_id(const struct event_log *log, uint32_t stream, uint64_t number,
                                 char id[EVENT_ID])
{
    int n =
        snprintf(id, EVENT_ID, "%08x-%u-%llu", log->session, stream, (unsigned long long)number);

    return (struct str){ id, (size_t)n };
}

struct str event_log_id(const struct logged_event *ev, char id[EVENT_ID])
{
    return write_event_id(ev->log, ev->stream, ev->number, id);
}

bool event_log_find(const struct event_log *log, struct str id, struct event_stream *out)
{
    struct str session = str_cut(&id, '-'), stream = str_cut(&id, '-');
    uint64_t s, number;
    char own[16];

    snprintf(own, sizeof(own), "%08x", log->session);
    if (!str_eq(session, str_of(own)) || !str_uint(stream, 0, UINT32_MAX, &s) ||
        !str_uint(id, 1, log->number, &number))
        return false;
    *out = (struct event_stream){ .stream = (uint32_t)s, .newest = number };
    return true;
}

/* ---- keeping ----------------------------------------------------------------------------- */

struct str event_log_number(struct event_log *log, struct event_stream *s, char id[EVENT_ID])
{
    s->newest = ++log->number;
    return write_event_id(log, s->stream, s->newest, id);
}

/*
 * The oldest event of the pool is the first of its log, because both lists are in order of arrival.
 */
static bool event_pool_make_room(struct event_pool *pool, size_t n)
{
    size_t cost = sizeof(struct logged_event) + n;

    if (cost > pool->max_bytes)
        return false;
    while (pool->bytes + cost > pool->max_bytes)
        event_log_drop(pool->oldest->log, &pool->oldest->log->first);
    return true;
}

/*
 * An event that can never fit removes all older ones, so that a gap can only be at the beginning.
 */
static bool event_log_make_room(struct event_log *log, size_t n)
{
    bool fits = log->max_count && n <= log->max_bytes && event_pool_make_room(log->pool, n);

    while (log->first && (!fits || log->count >= log->max_count || log->bytes + n > log->max_bytes))
        event_log_drop(log, &log->first);
    return fits;
}

static struct logged_event *logged_event_new(const struct str *piece, size_t n, size_t bytes)
{
    struct logged_event *ev = mem_alloc(sizeof(*ev) + bytes);

    ev->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (piece[i].n)
            memcpy(ev->text + ev->n, piece[i].p, piece[i].n);
        ev->n += piece[i].n;
    }
    return ev;
}

struct str event_log_keep(struct event_log *log, struct event_stream *s, const struct str *piece,
                          size_t n, char id[EVENT_ID])
{
    uint64_t before = s->sent;
    struct str text = event_log_number(log, s, id);
    struct logged_event *ev;
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += piece[i].n;
    s->sent = s->newest;
    if (!event_log_make_room(log, bytes))
        return text;
    ev = logged_event_new(piece, n, bytes);
    ev->next = NULL;
    ev->number = s->newest;
    ev->before = before;
    ev->stream = s->stream;
    ev->log = log;
    event_pool_add(log->pool, ev);
    *log->end = ev;
    log->end = &ev->next;
    log->count++;
    log->bytes += bytes;
    return text;
}

void event_log_forget(struct event_log *log, struct event_stream upto)
{
    struct logged_event **at = &log->first;

    while (*at && (*at)->number <= upto.newest) {
        if ((*at)->stream == upto.stream)
            event_log_drop(log, at);
        else
            at = &(*at)->next;
    }
}

/* ---- resuming ---------------------------------------------------------------------------- */

static const struct logged_event *next_of_stream(const struct logged_event *ev, uint32_t stream)
{
    while (ev && ev->stream != stream)
        ev = ev->next;
    return ev;
}

const struct logged_event *event_log_after(const struct event_log *log, struct event_stream from,
                                           bool *lost)
{
    const struct logged_event *ev = next_of_stream(log->first, from.stream);

    while (ev && ev->number <= from.newest)
        ev = event_log_next(ev);
    *lost = ev && ev->before > from.newest;
    return ev;
}

const struct logged_event *event_log_next(const struct logged_event *ev)
{
    return next_of_stream(ev->next, ev->stream);
}
