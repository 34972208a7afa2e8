/*
 * echo_server.c - the smallest stdio MCP server that is worth calling: one tool, `echo`, which
 * returns its argument `text`. What one read brings is answered by one write.
 */
#include "base/json.h"

#include <unistd.h>

enum { LONGEST = 64 << 20, READ = 1 << 18 };

#define SERVER_INFO "\"serverInfo\":{\"name\":\"echo_server\",\"version\":\"1\"}"
#define TOOL                                                                                       \
    "{\"name\":\"echo\",\"description\":\"Return the text.\",\"inputSchema\":{\"type\":"           \
    "\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}}"

/* Methods whose result is always the same. */
static const struct {
    struct str method, result;
} fixed[] = {
    { STR("initialize"), STR("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                             "" SERVER_INFO "}") },
    { STR("tools/list"), STR("{\"tools\":[" TOOL "]}") },
    { STR("ping"), STR("{}") },
};

static void put_echo(struct buf *out, struct json params)
{
    struct json text = json_get(json_get(params, STR("arguments")), STR("text"));

    if (!json_is(json_get(params, STR("name")), STR("echo")) || json_type(text) != JSON_STRING) {
        buf_put(out, STR("\"error\":{\"code\":-32602,\"message\":\"the tool is echo, its argument "
                         "text\"}"));
        return;
    }
    buf_put(out, STR("\"result\":{\"content\":[{\"type\":\"text\",\"text\":"));
    buf_put(out, json_raw(text));
    buf_put(out, STR("}]}"));
}

static void put_answer(struct buf *out, struct json message)
{
    struct json method = json_get(message, STR("method"));

    if (json_is(method, STR("tools/call"))) {
        put_echo(out, json_get(message, STR("params")));
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (json_is(method, fixed[i].method)) {
            buf_put(out, STR("\"result\":"));
            buf_put(out, fixed[i].result);
            return;
        }
    buf_put(out, STR("\"error\":{\"code\":-32601,\"message\":\"no such method\"}"));
}

static void answer(struct buf *out, struct arena *mem, struct str line)
{
    static const struct json_opts opts = { .max_depth = 128, .max_values = 1000000 };
    struct json message, id;
    struct err e;

    if (!json_read(mem, line, &opts, &message, &e))
        return;
    id = json_get(message, STR("id"));
    if (!json_here(id) || !json_here(json_get(message, STR("method"))))
        return;
    buf_put(out, STR("{\"jsonrpc\":\"2.0\",\"id\":"));
    buf_put(out, json_raw(id));
    buf_putc(out, ',');
    put_answer(out, message);
    buf_put(out, STR("}\n"));
}

static bool write_all(struct buf *out)
{
    for (size_t done = 0; done < out->n;) {
        ssize_t n = write(STDOUT_FILENO, out->p + done, out->n - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    buf_clear(out);
    return true;
}

/* Answer every whole line in `in` and keep the rest. */
static void answer_lines(struct buf *in, struct buf *out, struct arena *mem)
{
    struct str rest = buf_str(in);
    ptrdiff_t end;

    while ((end = str_find_byte(rest, '\n')) >= 0) {
        answer(out, mem, str_head(rest, (size_t)end));
        arena_reset(mem);
        rest = str_skip(rest, (size_t)end + 1);
    }
    buf_consume(in, in->n - rest.n);
}

int main(void)
{
    struct buf in, out;
    struct arena mem;
    ssize_t n;
    char *room;

    buf_init(&in, LONGEST);
    buf_init(&out, LONGEST);
    arena_init(&mem);
    while ((room = buf_reserve(&in, READ)) && (n = read(STDIN_FILENO, room, READ)) > 0) {
        buf_added(&in, (size_t)n);
        answer_lines(&in, &out, &mem);
        if (!write_all(&out))
            return 1;
    }
    return 0;
}
