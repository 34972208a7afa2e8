/*
 * floor_proxy.c - the floor for HTTP in front of a stdio server: a POST becomes a line on the
 * child's stdin under an id of our own, the line that comes back becomes the answer under the
 * client's id. No MCP, no sessions, hardly any checks: what is left is what it costs to move the
 * bytes.
 *
 *   floor_proxy COMMAND [ARGUMENT...]     prints its URL
 */
#include "base/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

enum { LONGEST = 64 << 20, READ = 1 << 16, ID_MAX = 64 };

/* One HTTP connection; one request at a time on it. */
struct client {
    uv_tcp_t tcp;
    struct buf in;
    bool closing;
};

/* A request under way; its index is the id the child sees. */
struct pending {
    struct client *client; /* NULL: it left, or the slot is free */
    char id[ID_MAX];
    size_t id_len;
    size_t next_free;
};

struct write {
    uv_write_t req;
    char data[];
};

static struct {
    uv_loop_t *loop;
    uv_tcp_t listener;
    uv_process_t child;
    uv_pipe_t to_child, from_child;
    uv_prepare_t before_sleep;
    struct buf out, in; /* to and from the child */
    struct buf reply;   /* one answer, while it is put together */
    struct arena mem;
    struct pending *pending;
    size_t slots, room;
    size_t free_slot; /* first of the free ones, plus one; 0: none */
} floor_;

static void die(const char *what, int code)
{
    fprintf(stderr, "floor_proxy: %s: %s\n", what, code ? uv_strerror(code) : "failed");
    exit(1);
}

/* ---- writing: at once if it goes, the rest copied and queued */

static void on_written(uv_write_t *req, int status)
{
    (void)status;
    free(req->data);
}

static void send_bytes(uv_stream_t *to, const char *p, size_t n)
{
    uv_buf_t bytes = uv_buf_init((char *)(uintptr_t)p, (unsigned)n);
    int done = uv_stream_get_write_queue_size(to) ? 0 : uv_try_write(to, &bytes, 1);
    struct write *w;

    if (done < 0)
        done = 0;
    if ((size_t)done == n)
        return;
    w = malloc(sizeof(*w) + n - (size_t)done);
    if (!w)
        die("memory", 0);
    memcpy(w->data, p + done, n - (size_t)done);
    w->req.data = w;
    bytes = uv_buf_init(w->data, (unsigned)(n - (size_t)done));
    uv_write(&w->req, to, &bytes, 1, on_written);
}

static void flush_to_child(uv_prepare_t *prepare)
{
    (void)prepare;
    if (floor_.out.n)
        send_bytes((uv_stream_t *)&floor_.to_child, floor_.out.p, floor_.out.n);
    buf_clear(&floor_.out);
}

/* ---- requests under way */

static size_t new_slot(void)
{
    if (floor_.slots == floor_.room) {
        floor_.room = floor_.room ? 2 * floor_.room : 64;
        floor_.pending = realloc(floor_.pending, floor_.room * sizeof(struct pending));
        if (!floor_.pending)
            die("memory", 0);
    }
    return floor_.slots++;
}

static size_t remember(struct client *c, struct str id)
{
    size_t slot = floor_.free_slot ? floor_.free_slot - 1 : new_slot();
    struct pending *p = &floor_.pending[slot];

    if (floor_.free_slot)
        floor_.free_slot = p->next_free;
    p->client = c;
    p->id_len = id.n < ID_MAX ? id.n : ID_MAX;
    memcpy(p->id, id.p, p->id_len);
    return slot;
}

static void forget(size_t slot)
{
    floor_.pending[slot].client = NULL;
    floor_.pending[slot].next_free = floor_.free_slot;
    floor_.free_slot = slot + 1;
}

static void on_client_closed(uv_handle_t *h)
{
    struct client *c = h->data;

    for (size_t i = 0; i < floor_.slots; i++)
        if (floor_.pending[i].client == c)
            floor_.pending[i].client = NULL;
    buf_fini(&c->in);
    free(c);
}

static void hang_up(struct client *c)
{
    if (!c->closing)
        uv_close((uv_handle_t *)&c->tcp, on_client_closed);
    c->closing = true;
}

/* ---- from the client to the child */

static bool read_json(struct str text, struct json *out)
{
    static const struct json_opts opts = { .max_depth = 128, .max_values = 1000000 };
    struct err e;

    arena_reset(&floor_.mem);
    return json_read(&floor_.mem, text, &opts, out, &e);
}

static void answer_status(struct client *c, const char *status)
{
    char text[128];
    int n = snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", status);

    send_bytes((uv_stream_t *)&c->tcp, text, (size_t)n);
}

/* `text` with the bytes of `old` replaced. */
static void put_replaced(struct buf *out, struct str text, struct str old, struct str new)
{
    buf_put(out, str_head(text, (size_t)(old.p - text.p)));
    buf_put(out, new);
    buf_put(out, str_skip(text, (size_t)(old.p - text.p) + old.n));
}

static void on_body(struct client *c, struct str body)
{
    struct json message, id;
    char number[24];
    int n;

    if (!read_json(body, &message)) {
        answer_status(c, "400 Bad Request");
        return;
    }
    id = json_get(message, STR("id"));
    if (!json_here(id)) {
        buf_put(&floor_.out, body);
        answer_status(c, "202 Accepted");
    } else {
        n = snprintf(number, sizeof(number), "%zu", remember(c, json_raw(id)));
        put_replaced(&floor_.out, body, json_raw(id), (struct str){ number, (size_t)n });
    }
    buf_putc(&floor_.out, '\n');
}

/* Value of Content-Length; 0 without one. */
static size_t body_length(struct str head)
{
    uint64_t n = 0;

    while (head.p) {
        struct str value = str_cut(&head, '\n'), name = str_cut(&value, ':');

        if (value.p && str_eq_nocase(name, STR("content-length")))
            str_uint(str_trim(value), 0, LONGEST, &n);
    }
    return n;
}

static void on_client_bytes(struct client *c)
{
    for (;;) {
        struct str in = buf_str(&c->in);
        ptrdiff_t head = str_find(in, STR("\r\n\r\n"));
        size_t length;

        if (head < 0)
            return;
        length = body_length(str_head(in, (size_t)head));
        if (in.n < (size_t)head + 4 + length)
            return;
        on_body(c, (struct str){ in.p + head + 4, length });
        buf_consume(&c->in, (size_t)head + 4 + length);
    }
}

static void give_room(uv_handle_t *h, size_t suggested, uv_buf_t *out)
{
    struct buf *in =
        h == (uv_handle_t *)&floor_.from_child ? &floor_.in : &((struct client *)h->data)->in;
    (void)suggested;
    *out = uv_buf_init(buf_reserve(in, READ), READ);
}

static void on_client_read(uv_stream_t *s, ssize_t n, const uv_buf_t *bytes)
{
    struct client *c = s->data;

    (void)bytes;
    if (n < 0) {
        hang_up(c);
        return;
    }
    buf_added(&c->in, (size_t)n);
    on_client_bytes(c);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct client *c = calloc(1, sizeof(*c));

    if (status < 0 || !c)
        die("accept", status);
    uv_tcp_init(floor_.loop, &c->tcp);
    c->tcp.data = c;
    buf_init(&c->in, LONGEST);
    if (uv_accept(listener, (uv_stream_t *)&c->tcp)) {
        hang_up(c);
        return;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    uv_read_start((uv_stream_t *)&c->tcp, give_room, on_client_read);
}

/* ---- from the child to the client */

static void answer(const struct pending *p, struct str line, struct str id)
{
    struct buf *out = &floor_.reply;

    buf_clear(out);
    buf_printf(out,
               "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
               line.n - id.n + p->id_len);
    put_replaced(out, line, id, (struct str){ p->id, p->id_len });
    send_bytes((uv_stream_t *)&p->client->tcp, out->p, out->n);
}

static void on_line(struct str line)
{
    struct json message, id;
    int64_t slot;

    if (!read_json(line, &message))
        return;
    id = json_get(message, STR("id"));
    if (!json_int(id, &slot) || slot < 0 || (size_t)slot >= floor_.slots)
        return;
    if (floor_.pending[slot].client && !floor_.pending[slot].client->closing)
        answer(&floor_.pending[slot], line, json_raw(id));
    forget((size_t)slot);
}

static void on_child_read(uv_stream_t *s, ssize_t n, const uv_buf_t *bytes)
{
    struct str rest;
    ptrdiff_t end;

    (void)s;
    (void)bytes;
    if (n < 0)
        die("the child is gone", (int)n);
    buf_added(&floor_.in, (size_t)n);
    rest = buf_str(&floor_.in);
    while ((end = str_find_byte(rest, '\n')) >= 0) {
        on_line(str_head(rest, (size_t)end));
        rest = str_skip(rest, (size_t)end + 1);
    }
    buf_consume(&floor_.in, floor_.in.n - rest.n);
}

/* Real pipes: libuv would make socketpairs, which are slower. */
static void start_child(char **command)
{
    int to[2], from[2], code;
    uv_stdio_container_t stdio[3] = { { .flags = UV_INHERIT_FD },
                                      { .flags = UV_INHERIT_FD },
                                      { .flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO } };
    uv_process_options_t options = {
        .file = command[0], .args = command, .stdio = stdio, .stdio_count = 3
    };

    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        die("pipe", 0);
    stdio[0].data.fd = to[0];
    stdio[1].data.fd = from[1];
    code = uv_spawn(floor_.loop, &floor_.child, &options);
    if (code)
        die(command[0], code);
    close(to[0]);
    close(from[1]);
    uv_pipe_init(floor_.loop, &floor_.to_child, 0);
    uv_pipe_init(floor_.loop, &floor_.from_child, 0);
    uv_pipe_open(&floor_.to_child, to[1]);
    uv_pipe_open(&floor_.from_child, from[0]);
    uv_read_start((uv_stream_t *)&floor_.from_child, give_room, on_child_read);
}

static void start_listening(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    int size = sizeof(address), code;

    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(floor_.loop, &floor_.listener);
    uv_tcp_bind(&floor_.listener, (struct sockaddr *)&address, 0);
    code = uv_listen((uv_stream_t *)&floor_.listener, 1024, on_connection);
    if (code)
        die("listen", code);
    uv_tcp_getsockname(&floor_.listener, (struct sockaddr *)&address, &size);
    printf("http://127.0.0.1:%d/mcp\n", ntohs(address.sin_port));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: floor_proxy COMMAND [ARGUMENT...]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    floor_.loop = uv_default_loop();
    buf_init(&floor_.out, LONGEST);
    buf_init(&floor_.in, LONGEST);
    buf_init(&floor_.reply, LONGEST);
    arena_init(&floor_.mem);
    start_child(argv + 1);
    uv_prepare_init(floor_.loop, &floor_.before_sleep);
    uv_prepare_start(&floor_.before_sleep, flush_to_child);
    start_listening();
    return uv_run(floor_.loop, UV_RUN_DEFAULT);
}
