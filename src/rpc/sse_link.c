#include "rpc/sse_link.h"

#include "base/auto.h"
#include "base/container.h"

void sse_send_message(struct http_req *req, struct str id, const struct str *piece, size_t n)
{
    AUTO_BUF text;
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += piece[i].n;
    buf_init(&text, bytes);
    for (size_t i = 0; i < n; i++)
        buf_put(&text, piece[i]);
    http_sse_send(req, &(struct sse_out){ STR("message"), id, buf_str(&text), 0 });
}

void sse_send_priming(struct http_req *req, struct event_log *log, struct event_stream *events,
                      uint32_t retry_ms)
{
    char id[EVENT_ID];

    http_sse_send(req, &(struct sse_out){ .id = event_log_number(log, events, id),
                                          .data = STR(""),
                                          .retry_ms = retry_ms });
}

void sse_replay(struct http_req *req, const struct event_log *log, struct event_stream from)
{
    char id[EVENT_ID];
    bool lost;

    for (const struct logged_event *ev = event_log_after(log, from, &lost); ev;
         ev = event_log_next(ev))
        sse_send_message(req, event_log_id(ev, id), &(struct str){ ev->text, ev->n }, 1);
}

/* ---- the link ---------------------------------------------------------------------------- */

static void sse_link_send(struct link *link, const struct str *piece, size_t n)
{
    struct sse_link *l = CONTAINER_OF(link, struct sse_link, link);
    struct str text = STR_NONE;
    char id[EVENT_ID];

    if (l->log)
        text = event_log_keep(l->log, &l->events, piece, n, id);
    if (!l->stream)
        return;
    l->sent = l->events.sent;
    sse_send_message(l->stream, text, piece, n);
}

static void sse_link_ignore_close(struct link *link)
{
    (void)link; /* the session that owns the link ends it */
}

static const struct link_kind sse_link_kind = { .name = "sse",
                                                .send = sse_link_send,
                                                .close = sse_link_ignore_close };

void sse_link_init(struct sse_link *l, struct event_log *log)
{
    *l = (struct sse_link){ .link = { .kind = &sse_link_kind }, .log = log };
}

void sse_link_open(struct sse_link *l, struct http_req *req, const struct event_stream *from)
{
    struct event_stream sent = { .newest = l->sent };

    l->stream = req;
    if (!l->log)
        return;
    sse_replay(req, l->log, from ? *from : sent);
    l->sent = l->events.sent;
}

void sse_link_close(struct sse_link *l)
{
    struct http_req *req = l->stream;

    l->stream = NULL;
    http_stream_end(req);
}
