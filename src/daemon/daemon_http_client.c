#include "daemon/daemon_http_client.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/version.h"

#include <stdlib.h>
#include <unistd.h>

enum { HEAD_MOST = 16 << 10, IN_MOST = 1 << 20 };

bool attach_is_forbidden(void)
{
    const char *set = getenv("TREFOIL_NO_ATTACH");

    return set && *set && !str_eq(str_of(set), STR("0"));
}

void daemon_lost(int pid, struct err *e)
{
    fail(e, ERR_CLOSED, "the daemon (process %d) disconnected; its running work is lost", pid);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* End the request. No other function sets the outcome. */
static void request_end(struct daemon_request *r, enum daemon_outcome outcome)
{
    if (r->state == REQUEST_OVER)
        return;
    r->outcome = outcome;
    r->state = REQUEST_OVER;
    timer_clear(r->io.s.loop, &r->late);
    sse_read_stop(&r->events);
    stream_close(&r->io.s);
}

static void on_request_closed(struct stream *io)
{
    struct daemon_request *r = io->owner;

    buf_fini(&r->in);
    sse_read_fini(&r->events);
    r->done(r);
}

/*
 * The connection failed. As long as the daemon has not received the body, it has not begun the
 * work.
 */
static void request_break(struct daemon_request *r, const char *why)
{
    LOG(LOG_DEBUG, "attach", "the daemon does not answer", LOG_Z("why", why));
    request_end(r, r->state == REQUEST_WAITING ? DAEMON_ABSENT : DAEMON_LOST);
}

static void on_request_end(struct stream *io, const struct err *e)
{
    request_break(io->owner, e ? e->text : "the daemon closed the connection");
}

static void on_request_late(struct timer *t)
{
    request_break(CONTAINER_OF(t, struct daemon_request, late), "the daemon sent no answer");
}

static void on_request_room(struct stream *io)
{
    (void)io;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void on_sse_event(const struct sse_event *ev, void *ctx)
{
    struct daemon_request *r = ctx;

    if (r->event)
        r->event(r, ev->data);
}

static bool put_body(struct daemon_request *r, struct str piece)
{
    struct err e;

    return r->streams ? sse_read_feed(&r->events, piece, &e) : buf_put(&r->answer, piece);
}

static void read_body(struct daemon_request *r, struct str bytes)
{
    enum http1_reason why;
    enum http1_step step = HTTP1_DATA;
    struct str piece;

    while (r->state == REQUEST_READING && step == HTTP1_DATA) {
        step = http1_body_read(&r->reading, &bytes, &piece, &why);
        if (step == HTTP1_REFUSED || (step == HTTP1_DATA && !put_body(r, piece)))
            request_break(r, "the answer of the daemon is malformed");
    }
    if (step == HTTP1_DONE)
        request_end(r, DAEMON_ANSWERED);
}

/* Parse a status line such as "HTTP/1.1 200 OK". */
static bool read_status(struct str line, int *out)
{
    uint64_t status;

    if (!str_starts(line, STR("HTTP/1.1 ")) || line.n < 12)
        return false;
    if (!str_uint(str_head(str_skip(line, 9), 3), 100, 599, &status))
        return false;
    *out = (int)status;
    return true;
}

static void read_field(struct daemon_request *r, struct http1_head *head, struct str line)
{
    struct str name = str_cut(&line, ':'), value = str_trim(line);

    if (str_eq_nocase(name, STR("transfer-encoding")))
        head->chunked = str_eq_nocase(value, STR("chunked"));
    else if (str_eq_nocase(name, STR("content-type")))
        r->streams = str_starts(value, STR("text/event-stream"));
    else if (str_eq_nocase(name, STR("content-length")))
        head->has_length = str_uint(value, 0, INT64_MAX, &head->length);
}

static bool read_head(struct daemon_request *r, struct str head)
{
    struct http1_head h = { .minor = 1 };
    enum http1_reason why;
    struct str line = str_trim(str_cut(&head, '\n'));

    if (!read_status(line, &r->status))
        return false;
    while (head.p && (line = str_trim(str_cut(&head, '\n'))).n)
        read_field(r, &h, line);
    if (r->status == 100)
        return true;
    if (!http1_body_begin(&r->reading, &h, r->limits, &why) || !(h.chunked || h.has_length))
        return false;
    r->reading.room = r->streams ? UINT64_MAX : r->body_most;
    return true;
}

static void on_request_bytes(struct stream *io, struct str bytes);

static void send_body(struct daemon_request *r)
{
    r->state = REQUEST_SENT;
    stream_put(&r->io.s, r->body);
}

/* Handle an interim response (100): send the body, if it has not been sent. */
static void on_interim(struct daemon_request *r)
{
    if (r->state == REQUEST_WAITING && r->body.p)
        send_body(r);
}

/*
 * Handle the head of a response. The bytes after it belong to the body or, after an interim
 * response, to the next head.
 */
static void on_head(struct daemon_request *r, struct buf *in)
{
    struct str all = buf_str(in), rest = str_skip(all, r->scan.at);

    if (!read_head(r, str_head(all, r->scan.at))) {
        request_break(r, "the answer of the daemon is not HTTP/1.1");
        return;
    }
    timer_clear(r->io.s.loop, &r->late);
    r->scan = (struct http1_scan){ 0 };
    if (r->status != 100)
        r->state = REQUEST_READING;
    else
        on_interim(r);
    if (rest.n)
        on_request_bytes(&r->io.s, rest);
    else if (r->state == REQUEST_READING)
        read_body(r, rest);
}

static void scan_head(struct daemon_request *r)
{
    enum http1_reason why;
    AUTO_BUF in = { 0 };

    switch (http1_head_end(&r->scan, buf_str(&r->in), r->limits, &why)) {
    case HTTP1_DONE:
        in = r->in;
        buf_init(&r->in, IN_MOST);
        on_head(r, &in);
        break;
    case HTTP1_REFUSED: request_break(r, "the answer of the daemon is not HTTP/1.1"); break;
    case HTTP1_MORE:
    case HTTP1_DATA: break;
    }
}

static void on_request_bytes(struct stream *io, struct str bytes)
{
    struct daemon_request *r = io->owner;

    if (r->state == REQUEST_READING)
        read_body(r, bytes);
    else if (r->state == REQUEST_OVER)
        return;
    else if (buf_put(&r->in, bytes))
        scan_head(r);
    else
        request_break(r, "the response head of the daemon is too long");
}

static const struct stream_events request_events = { on_request_bytes, on_request_end,
                                                     on_request_room, on_request_closed };

/* ---- the request ----------------------------------------------------------------------------- */

static void put_keys(struct buf *out, const struct pick_strs *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        buf_printf(out, "%s" STR_FMT, i ? "," : "", STR_ARG(keys->v[i]));
}

/* Write the head of the request. False: it does not fit, so no request is sent. */
static bool write_head(struct daemon_request *r, struct project *project, struct buf *out)
{
    char config[DAEMON_DIGEST];
    struct pick_strs keys;
    struct err e;

    if (!daemon_key_digests(&project->mem, &project->config, &keys, &e))
        return false;
    daemon_config_digest(project, config);
    buf_printf(out, "%s %s HTTP/1.1\r\nHost: localhost\r\n", r->method, r->path);
    buf_printf(out, DAEMON_VERSION_FIELD ": %s\r\n" DAEMON_ROOT_FIELD ": " STR_FMT "\r\n",
               trefoil_version, STR_ARG(daemon_root_digest(project)));
    buf_printf(out, DAEMON_CONFIG_FIELD ": %s\r\n" DAEMON_KEYS_FIELD ": ", config);
    put_keys(out, &keys);
    if (r->body.p)
        buf_printf(out,
                   "\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                   "Expect: 100-continue",
                   r->body.n);
    buf_put(out, STR("\r\n\r\n"));
    return !out->full;
}

static int connect_to(struct project *project, int *out_pid)
{
    const char *path;
    struct err e;

    return daemon_socket_path(project, false, &path, &e) ? daemon_connect(path, out_pid) : -1;
}

bool daemon_request_start(struct daemon_request *r, struct loop *loop, struct project *project,
                          int64_t wait_ms)
{
    AUTO_BUF head;
    AUTO_FD fd = connect_to(project, &r->pid);

    buf_init(&head, HEAD_MOST);
    if (fd < 0 || !write_head(r, project, &head))
        return false;
    r->limits = &project->config.limits;
    r->state = REQUEST_WAITING;
    if (!r->body_most)
        r->body_most = (size_t)r->limits->output_backlog_bytes;
    buf_init(&r->in, IN_MOST);
    buf_init(&r->answer, r->body_most);
    sse_read_init(&r->events, (size_t)r->limits->output_backlog_bytes, on_sse_event, r);
    sock_stream_open(&r->io, loop, TAKE_FD(fd), &request_events, r,
                     (size_t)r->limits->output_backlog_bytes);
    timer_set(loop, &r->late, wait_ms, on_request_late);
    stream_put(&r->io.s, buf_str(&head));
    stream_start(&r->io.s);
    return true;
}

void daemon_request_close(struct daemon_request *r)
{
    request_end(r, DAEMON_LOST);
}

/* ---- without the caller's loop --------------------------------------------------------------- */

static void on_asked(struct daemon_request *r)
{
    loop_stop(r->io.s.loop);
}

static enum daemon_outcome read_answer(struct project *project, struct daemon_request *r,
                                       struct daemon_answer *out)
{
    struct json_opts opts = limits_json(&project->config.limits);
    struct err e;

    opts.max_values = UINT32_MAX;
    *out = (struct daemon_answer){ .status = r->status, .pid = r->pid };
    if (r->outcome != DAEMON_ANSWERED)
        return r->outcome;
    if (r->status == 409)
        return DAEMON_ABSENT;
    return json_read(&project->mem, arena_str(&project->mem, buf_str(&r->answer)), &opts,
                     &out->body, &e)
               ? DAEMON_ANSWERED
               : DAEMON_LOST;
}

enum daemon_outcome daemon_ask(struct project *project, const char *method, const char *path,
                               struct str body, int64_t wait_ms, struct daemon_answer *out)
{
    struct daemon_request r = { .method = method, .path = path, .body = body, .done = on_asked };
    enum daemon_outcome outcome = DAEMON_ABSENT;
    struct loop *loop;

    if (attach_is_forbidden())
        return DAEMON_ABSENT;
    loop = loop_new(LOOP_REAL_CLOCK);
    if (daemon_request_start(&r, loop, project, wait_ms)) {
        loop_run(loop);
        outcome = read_answer(project, &r, out);
        buf_fini(&r.answer);
    }
    loop_free(loop);
    return outcome;
}

void daemon_answer_error(struct project *project, const struct daemon_answer *a, struct err *e)
{
    struct json error = json_get(a->body, STR("error"));
    enum err_code code = a->status == 404  ? ERR_NOT_FOUND
                         : a->status < 500 ? ERR_INVALID
                                           : ERR_CLOSED;

    fail(e, code, STR_FMT, STR_ARG(json_str(&project->mem, json_get(error, STR("message")))));
}
