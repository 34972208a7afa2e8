/*
 * http_fetch_easy.c - set the options of an easy handle, and check addresses a last time.
 *
 * An address is checked when libcurl opens a socket, for each address that it tries. A connection
 * that is reused would not be checked: so the outside pool keeps no connections, and the address of
 * the peer is checked again before the request is sent.
 */
#include "base/buf.h"
#include "wire/http_fetch.h"

enum {
    LINE_MOST = 64 << 10, /* bytes of one request header */
    STREAM_BUFFER = 4096, /* libcurl's, for as long as the transfer lives */
};

/* Options are set one after the other; the first that is refused is remembered. */
struct setup {
    const struct curl_api *api;
    CURL *easy;
    CURLoption refused;
};

#define SET(s, option, value)                                                                      \
    do {                                                                                           \
        if ((s)->api->easy_setopt((s)->easy, (option), (value)) && !(s)->refused)                  \
            (s)->refused = (option);                                                               \
    } while (0)

static const struct {
    CURLoption option;
    long value;
} always[] = {
    { CURLOPT_NOSIGNAL, 1 },
    { CURLOPT_QUICK_EXIT, 1 }, /* else giving up waits for the resolver's thread */
    { CURLOPT_SSL_VERIFYPEER, 1 },
    { CURLOPT_SSL_VERIFYHOST, 2 },
    { CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
    { CURLOPT_FOLLOWLOCATION, 0 }, /* http_fetch.c does, with its own rules */
    { CURLOPT_DISALLOW_USERNAME_IN_URL, 1 },
    { CURLOPT_HTTP09_ALLOWED, 0 },
    { CURLOPT_SUPPRESS_CONNECT_HEADERS, 1 },
    { CURLOPT_HEADEROPT, CURLHEADER_SEPARATE }, /* a proxy that tunnels sees none of ours */
    { CURLOPT_TCP_KEEPALIVE, 1 },
};

/* ---- addresses -------------------------------------------------------------------------- */

static curl_socket_t on_open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
    struct transfer *t = ctx;

    (void)purpose;
    if (!t->fetch || !reach_allowed(t, &a->addr))
        return CURL_SOCKET_BAD;
    transfer_go(t, PHASE_CONNECTING);
    return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/*
 * When a kept connection ends under a request, libcurl sends it again on a new one. But perhaps
 * the server has done the work and only its answer was lost (RFC 9110, 9.2.2).
 */
static bool may_send(struct transfer *t)
{
    bool works = str_eq(t->req.method, STR("POST")) || str_eq(t->req.method, STR("PATCH"));

    if (!t->asked || !works)
        return true;
    return transfer_fail(t, ERR_CLOSED, HOP_FMT " closed the connection without a response",
                         HOP_ARG(t));
}

/* Connected, TLS and all; about to send the request. */
static int on_connected(void *ctx, char *ip, char *own_ip, int port, int own_port)
{
    struct transfer *t = ctx;
    struct sockaddr_storage sa = { .ss_family = AF_UNSPEC };

    (void)own_ip, (void)own_port;
    http_host_address(str_of(ip), &sa);
    http_address_set_port(&sa, (uint16_t)port);
    if (!t->fetch || !reach_allowed(t, (void *)&sa) || !may_send(t))
        return CURL_PREREQFUNC_ABORT;
    t->asked = true;
    transfer_go(t, PHASE_ASKED);
    return CURL_PREREQFUNC_OK;
}

/* ---- headers ---------------------------------------------------------------------------- */

/* libcurl writes these: they define where a message ends and its host. */
static const char *const reserved[] = {
    "Host",    "Content-Length", "Transfer-Encoding", "Connection",          "TE", "Trailer",
    "Upgrade", "Expect",         "Proxy-Connection",  "Proxy-Authorization",
};

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("\"(),/:;<=>?@[\\]{}", s.p[i]))
            return false;
    return s.n > 0;
}

static bool is_value(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static bool check_header(const struct http_header *h, struct err *e)
{
    struct str name = str_head(h->name, 60);

    if (!is_token(h->name))
        return fail(e, ERR_INVALID, "a request header has an invalid name");
    if (!is_value(h->value))
        return fail(e, ERR_INVALID, "request header " STR_FMT ": control characters in its value",
                    STR_ARG(name));
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
        if (str_eq_nocase(h->name, str_of(reserved[i])))
            return fail(e, ERR_INVALID, "request header " STR_FMT " cannot be set", STR_ARG(name));
    return true;
}

static bool add_line(struct transfer *t, const char *line, struct err *e)
{
    struct curl_slist *more = t->client->api->slist_append(t->headers, line);

    if (!more)
        return fail(e, ERR_SYSTEM, "libcurl is out of memory");
    t->headers = more;
    return true;
}

/* libcurl drops "Name:"; an empty value is written "Name;". */
static bool add_header(struct transfer *t, struct buf *line, const struct http_header *h,
                       struct err *e)
{
    buf_clear(line);
    buf_put(line, h->name);
    buf_put(line, h->value.n ? STR(": ") : STR(";"));
    buf_put(line, h->value);
    buf_putc(line, '\0');
    if (line->full)
        return fail(e, ERR_LIMIT, "a request header is larger than %d bytes", LINE_MOST);
    return add_line(t, line->p, e);
}

static bool may_travel(const struct http_header *h)
{
    return str_eq_nocase(h->name, STR("Accept")) || str_eq_nocase(h->name, STR("Accept-Language"));
}

static bool add_headers(struct transfer *t, struct err *e)
{
    const struct fetch_request *req = &t->req;
    AUTO_BUF line;

    buf_init(&line, LINE_MOST);
    for (size_t i = 0; i < req->headers; i++) {
        if (!check_header(&req->header[i], e))
            return false;
        if (t->foreign && !may_travel(&req->header[i]))
            continue;
        if (!add_header(t, &line, &req->header[i], e))
            return false;
    }
    if (!http_header_get(req->header, req->headers, "content-type").p &&
        !add_line(t, "Content-Type:", e)) /* libcurl's guess is a form */
        return false;
    return add_line(t, "Expect:", e); /* no round trip before a large body */
}

/* ---- options ---------------------------------------------------------------------------- */

static void set_request(struct setup *s, struct transfer *t)
{
    const struct fetch_request *req = &t->req;
    bool sends = req->body.p || str_eq(req->method, STR("POST")) ||
                 str_eq(req->method, STR("PUT")) || str_eq(req->method, STR("PATCH"));

    SET(s, CURLOPT_URL, t->url.text.p);
    SET(s, CURLOPT_HTTPHEADER, t->headers);
    if (t->client->user_agent)
        SET(s, CURLOPT_USERAGENT, t->client->user_agent);
    if (str_eq(req->method, STR("HEAD"))) {
        SET(s, CURLOPT_NOBODY, 1L);
        return;
    }
    if (sends) {
        SET(s, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)req->body.n);
        SET(s, CURLOPT_POSTFIELDS, req->body.p ? req->body.p : "");
    }
    SET(s, CURLOPT_CUSTOMREQUEST, req->method.p);
}

/*
 * HTTP/2 carries many answers on one connection, where a stream with much data delays the others.
 * So each stream gets its own connection.
 */
static long version_of(const struct transfer *t)
{
    bool alone = t->zone == FETCH_OUTSIDE || t->req.on_bytes;

    return alone ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS;
}

static void set_reach(struct setup *s, struct transfer *t)
{
    bool outside = t->zone == FETCH_OUTSIDE;

    SET(s, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(s, CURLOPT_HTTP_VERSION, version_of(t));
    if (outside) {
        SET(s, CURLOPT_FRESH_CONNECT, 1L);
        SET(s, CURLOPT_FORBID_REUSE, 1L);
        SET(s, CURLOPT_PROXY, ""); /* none, whatever the environment names */
        if (t->resolved)
            SET(s, CURLOPT_RESOLVE, t->resolved);
    } else if (http_host_is_loopback(t->url.host)) {
        SET(s, CURLOPT_PROXY, "");
    }
}

/*
 * One source of trust: a file or a folder, or else the system's file. Reading that one takes
 * 45 ms, during which nothing else runs; libcurl keeps it for the pool, but only as long as
 * there is no folder too, which Debian presets.
 */
static void set_trust(struct setup *s, struct transfer *t)
{
    const char *file = t->client->ca_file, *dir = t->client->ca_dir;

    if (file || dir) {
        SET(s, CURLOPT_CAINFO, file);
        SET(s, CURLOPT_PROXY_CAINFO, file);
    }
    SET(s, CURLOPT_CAPATH, file ? NULL : dir);
    SET(s, CURLOPT_PROXY_CAPATH, file ? NULL : dir);
}

static void set_callbacks(struct setup *s, struct transfer *t)
{
    SET(s, CURLOPT_PRIVATE, t);
    SET(s, CURLOPT_ERRORBUFFER, t->detail);
    SET(s, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    SET(s, CURLOPT_OPENSOCKETDATA, t);
    SET(s, CURLOPT_PREREQFUNCTION, on_connected);
    SET(s, CURLOPT_PREREQDATA, t);
    SET(s, CURLOPT_HEADERFUNCTION, answer_on_header);
    SET(s, CURLOPT_HEADERDATA, t);
    SET(s, CURLOPT_WRITEFUNCTION, answer_on_body);
    SET(s, CURLOPT_WRITEDATA, t);
}

/* libcurl divides this among the addresses of a host; our own timer decides. */
static void set_times(struct setup *s, struct transfer *t)
{
    if (t->req.connect_ms != FETCH_NEVER)
        SET(s, CURLOPT_CONNECTTIMEOUT_MS, (long)t->req.connect_ms);
    if (t->req.whole_ms == FETCH_NEVER)
        SET(s, CURLOPT_BUFFERSIZE, (long)STREAM_BUFFER);
}

static bool set_options(struct transfer *t, struct err *e)
{
    struct setup s = { t->client->api, t->easy, 0 };

    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        SET(&s, always[i].option, always[i].value);
    set_callbacks(&s, t);
    set_reach(&s, t);
    set_trust(&s, t);
    set_times(&s, t);
    set_request(&s, t);
    return !s.refused || fail(e, ERR_SYSTEM, "libcurl refuses option %d", s.refused);
}

bool easy_open(struct transfer *t, struct err *e)
{
    t->easy = t->client->api->easy_init();
    if (!t->easy)
        return fail(e, ERR_SYSTEM, "libcurl is out of memory");
    return add_headers(t, e) && set_options(t, e) && pool_add(&t->client->pool[t->zone], t, e);
}

void easy_close(struct transfer *t)
{
    if (t->easy) {
        pool_remove(t);
        t->client->api->easy_cleanup(t->easy);
        t->client->api->slist_free_all(t->headers);
    }
    if (t->resolved)
        t->client->api->slist_free_all(t->resolved);
    t->easy = NULL;
    t->headers = t->resolved = NULL;
}
