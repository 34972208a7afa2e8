/*
 * json_bench.c - our JSON against cJSON and jansson, in the work a gateway does: parse a
 * message, read a few fields, write the answer with a piece of the message in it.
 *
 * The contestants take turns within each round, and the median of the rounds counts, because
 * the machine is shared: trust the ratios, not the times.
 */
#include "json_bench.h"

#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, CONTESTANTS = 3 };

void die(const char *what)
{
    fprintf(stderr, "json_bench: %s\n", what);
    exit(1);
}

/* ---- the contestants -------------------------------------------------------------------- */

static size_t ours(struct agent_registry *d, const struct work *w)
{
    static const struct json_opts opts = { .max_depth = 128, .max_values = 1000000 };
    struct jw out = jw_to(&d->out);
    struct json root, piece;
    struct err e;

    if (!json_read(&d->mem, w->text, &opts, &root, &e))
        die(e.text);
    if (!json_is(json_get(root, STR("jsonrpc")), STR("2.0")))
        die("no JSON-RPC");
    piece = json_get(json_get(root, str_of(w->outer)), str_of(w->inner));
    jw_object(&out);
    jw_kstr(&out, "jsonrpc", STR("2.0"));
    jw_kraw(&out, "id", json_raw(json_get(root, STR("id"))));
    jw_key(&out, STR("result"));
    jw_object(&out);
    jw_kraw(&out, "content", json_raw(piece));
    jw_object_end(&out);
    jw_object_end(&out);
    return d->out.n;
}

static size_t with_ours(struct agent_registry *d, const struct work *w)
{
    size_t n = ours(d, w);

    buf_clear(&d->out);
    arena_reset(&d->mem);
    return n;
}

static size_t with_cjson(struct agent_registry *d, const struct work *w)
{
    cJSON *root = cJSON_ParseWithLength(w->text.p, w->text.n), *reply, *result, *piece;
    const cJSON *version;
    char *text;
    size_t n;

    (void)d;
    version = cJSON_GetObjectItemCaseSensitive(root, "jsonrpc");
    if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0)
        die("no JSON-RPC");
    piece = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, w->outer),
                                             w->inner);
    reply = cJSON_CreateObject();
    cJSON_AddStringToObject(reply, "jsonrpc", "2.0");
    cJSON_AddItemReferenceToObject(reply, "id", cJSON_GetObjectItemCaseSensitive(root, "id"));
    result = cJSON_AddObjectToObject(reply, "result");
    cJSON_AddItemReferenceToObject(result, "content", piece);
    text = cJSON_PrintUnformatted(reply);
    n = strlen(text);
    cJSON_free(text);
    cJSON_Delete(reply);
    cJSON_Delete(root);
    return n;
}

static const struct {
    const char *name;
    size_t (*turn)(struct agent_registry *d, const struct work *w);
} contestant[CONTESTANTS] = {
    { "ours", with_ours },
    { "cJSON", with_cjson },
    { "jansson", with_jansson },
};

/* ---- the work --------------------------------------------------------------------------- */

static struct str call_message(struct buf *b)
{
    buf_put(b, STR("{\"jsonrpc\":\"2.0\",\"id\":\"req-000017\",\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"calc_add\",\"arguments\":{\"a\":12345,\"b\":-6.5,"
                   "\"label\":\"sum of the first two columns\",\"tags\":[\"x\",\"y\",\"z\"],"
                   "\"exact\":true,\"note\":null,\"path\":\"/srv/project/data/table.csv\"},"
                   "\"_meta\":{\"progressToken\":\"p-17\",\"traceparent\":\"00-4bf92f35\"}}}"));
    return buf_str(b);
}

static struct str list_message(struct buf *b)
{
    buf_put(b, STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":["));
    for (int i = 0; b->n < 64 << 10; i++)
        buf_printf(
            b,
            "%s{\"name\":\"server_tool_%d\",\"title\":\"Tool %d\",\"description\":\"Reads the "
            "file at a path and returns its lines. Fails when it is \\\"missing\\\".\","
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":"
            "\"string\",\"minLength\":1},\"offset\":{\"type\":\"integer\",\"minimum\":0},"
            "\"limit\":{\"type\":\"integer\",\"default\":2000}},\"required\":[\"path\"]},"
            "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}",
            i ? "," : "", i, i);
    buf_put(b, STR("]}}"));
    return buf_str(b);
}

static struct str string_message(struct buf *b, const char *piece)
{
    buf_put(b, STR("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"text\":\""));
    while (b->n < 4 << 20)
        buf_put(b, str_of(piece));
    buf_put(b, STR("\"}}"));
    return buf_str(b);
}

/* ---- measuring -------------------------------------------------------------------------- */

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double measure(struct agent_registry *d, const struct work *w, int ctx)
{
    double start = now_ns();

    for (unsigned i = 0; i < w->turns; i++)
        if (contestant[ctx].turn(d, w) < 40)
            die("no answer");
    return (now_ns() - start) / w->turns;
}

static void compete(struct agent_registry *d, const struct work *w)
{
    double ns[CONTESTANTS][ROUNDS];

    for (int round = -1; round < ROUNDS; round++) /* the first one warms up */
        for (int ctx = 0; ctx < CONTESTANTS; ctx++) {
            double t = measure(d, w, ctx);

            if (round >= 0)
                ns[ctx][round] = t;
        }
    printf("%-24s %8zu", w->name, w->text.n);
    for (int ctx = 0; ctx < CONTESTANTS; ctx++) {
        qsort(ns[ctx], ROUNDS, sizeof(double), by_size);
        printf(" %13.0f", ns[ctx][ROUNDS / 2]);
    }
    for (int ctx = 1; ctx < CONTESTANTS; ctx++)
        printf(" %8.1f x", ns[ctx][ROUNDS / 2] / ns[0][ROUNDS / 2]);
    printf("\n");
}

int main(void)
{
    struct buf text[4];
    struct agent_registry d = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(text); i++)
        buf_init(&text[i], 8 << 20);
    buf_init(&d.out, 8 << 20);
    const struct work works[] = {
        { "tools/call", call_message(&text[0]), "params", "arguments", 20000 },
        { "tools/list", list_message(&text[1]), "result", "tools", 100 },
        { "one string, plain", string_message(&text[2], "plain text of a tool result. "), "result",
          "text", 3 },
        { "one string, escapes", string_message(&text[3], "a line of a file,\\n\\t\\\"quoted\\\" "),
          "result", "text", 3 },
    };

    printf("%-24s %8s", "ns, median of rounds", "bytes");
    for (int ctx = 0; ctx < CONTESTANTS; ctx++)
        printf(" %13s", contestant[ctx].name);
    printf("    cJSON  jansson : ours\n");
    for (size_t i = 0; i < ARRAY_LEN(works); i++)
        compete(&d, &works[i]);
    for (size_t i = 0; i < ARRAY_LEN(text); i++)
        buf_fini(&text[i]);
    buf_fini(&d.out);
    arena_fini(&d.mem);
    return 0;
}
