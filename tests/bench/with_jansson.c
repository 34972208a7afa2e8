/* with_jansson.c - apart from the rest, because jansson and base/json.h share names. */
#include "json_bench.h"

#include <jansson.h>

static int add_to_buf(const char *p, size_t n, void *out)
{
    return buf_put(out, (struct str){ p, n }) ? 0 : -1;
}

size_t with_jansson(struct agent_registry *d, const struct work *w)
{
    json_t *root = json_loadb(w->text.p, w->text.n, 0, NULL), *reply;
    size_t n;

    if (!root || strcmp(json_string_value(json_object_get(root, "jsonrpc")), "2.0") != 0)
        die("no JSON-RPC");
    reply =
        json_pack("{s:s,s:O,s:{s:O}}", "jsonrpc", "2.0", "id", json_object_get(root, "id"),
                  "result", "content", json_object_get(json_object_get(root, w->outer), w->inner));
    if (!reply || json_dump_callback(reply, add_to_buf, &d->out, JSON_COMPACT) != 0)
        die("jansson failed");
    n = d->out.n;
    buf_clear(&d->out);
    json_decref(reply);
    json_decref(root);
    return n;
}
