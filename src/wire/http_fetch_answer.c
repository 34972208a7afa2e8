/*
 * http_fetch_answer.c - receive the head and body of a response from libcurl.
 *
 * There may be several heads: those of interim responses (1xx), and of redirects that are followed.
 * Only the last one is reported. The size limit applies to all heads and trailers of a hop
 * together.
 */
#include "wire/http_fetch.h"

void answer_reset(struct transfer *t)
{
    t->head_bytes = t->header_count = 0;
    t->location = STR_NONE;
    t->body_bytes = 0;
    t->asked = false;
    t->sent = 0;
    t->detail[0] = 0;
}

/* ---- head ------------------------------------------------------------------------------- */

static struct http_header *add_header(struct transfer *t)
{
    if (t->header_count == t->header_room) {
        size_t room = t->header_room ? t->header_room * 2 : 16;

        t->header = arena_grow(t->req.mem, t->header, t->header_room * sizeof(*t->header),
                               room * sizeof(*t->header));
        t->header_room = room;
    }
    return &t->header[t->header_count++];
}

static bool take_line(struct transfer *t, struct str line)
{
    struct http_header *h;

    if (line.p[0] == ' ' || line.p[0] == '\t') /* RFC 9112, 5.2 */
        return transfer_fail(t, ERR_INVALID, HOP_FMT " folds a header over several lines",
                             HOP_ARG(t));
    if (str_find_byte(line, ':') < 0)
        return true;
    line = arena_str(t->req.mem, line);
    h = add_header(t);
    h->name = str_trim(str_cut(&line, ':'));
    h->value = str_trim(line);
    return true;
}

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* The others turn a POST into a GET. */
static bool keeps_method(int status)
{
    return status == 307 || status == 308;
}

static bool will_follow(const struct transfer *t, int status, struct str location)
{
    return t->req.follow != FETCH_FOLLOW_NONE && location.p && is_redirect(status) &&
           (str_eq(t->req.method, STR("GET")) || keeps_method(status));
}

static bool body_too_large(struct transfer *t)
{
    return transfer_fail(t, ERR_LIMIT, "the response of " HOP_FMT " is larger than %jd bytes",
                         HOP_ARG(t), (intmax_t)t->req.body_bytes);
}

/* A declared length avoids fetching a body that would be refused in the end. */
static bool check_length(struct transfer *t)
{
    curl_off_t length = -1;

    t->client->api->easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return t->req.body_bytes == FETCH_NEVER || str_eq(t->req.method, STR("HEAD")) ||
           length <= t->req.body_bytes || body_too_large(t);
}

static void free_body(void *p)
{
    buf_fini(p);
}

static void prepare_body(struct transfer *t)
{
    t->body = ARENA_NEW(t->req.mem, struct buf);
    buf_init(t->body, t->req.body_bytes == FETCH_NEVER ? SIZE_MAX / 2 : (size_t)t->req.body_bytes);
    arena_defer(t->req.mem, free_body, t->body);
}

static bool end_head(struct transfer *t)
{
    struct fetch *f = t->fetch;
    struct str location = http_header_get(t->header, t->header_count, "location");
    long status = 0;

    t->client->api->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200)
        return true;
    transfer_go(t, PHASE_BODY);
    if (will_follow(t, (int)status, location)) {
        t->location = location;
        return true;
    }
    if (!check_length(t))
        return false;
    f->status = (int)status;
    f->header = t->header;
    f->headers = t->header_count;
    f->url = t->url.text;
    if (!t->req.on_bytes)
        prepare_body(t);
    if (t->req.on_head)
        t->req.on_head(f);
    return t->fetch != NULL;
}

static bool take_head(struct transfer *t, struct str line)
{
    struct str text = str_trim(line);

    t->moved_at = loop_now(t->client->loop);
    t->head_bytes += line.n;
    if (t->head_bytes > (size_t)t->client->limits->fetch_head_bytes)
        return transfer_fail(t, ERR_LIMIT, "the headers of " HOP_FMT " are larger than %jd bytes",
                             HOP_ARG(t), (intmax_t)t->client->limits->fetch_head_bytes);
    if (t->phase == PHASE_BODY) /* a trailer */
        return true;
    if (text.n == 0)
        return end_head(t);
    if (!str_starts(line, STR("HTTP/")))
        return take_line(t, line);
    t->header_count = 0;
    return true;
}

size_t answer_on_header(char *p, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;

    return t->fetch && take_head(t, (struct str){ p, size * n }) ? size * n : 0;
}

/* ---- body ------------------------------------------------------------------------------- */

static bool take_body(struct transfer *t, struct str bytes)
{
    t->moved_at = loop_now(t->client->loop);
    t->body_bytes += (int64_t)bytes.n;
    if (t->req.body_bytes != FETCH_NEVER && t->body_bytes > t->req.body_bytes)
        return body_too_large(t);
    if (t->location.p) /* the body of a redirect is not read */
        return true;
    if (t->req.on_bytes)
        t->req.on_bytes(t->fetch, bytes);
    else
        buf_put(t->body, bytes);
    return t->fetch != NULL;
}

size_t answer_on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;

    if (!t->fetch)
        return 0;
    return take_body(t, (struct str){ p, size * n }) ? size * n : 0;
}
