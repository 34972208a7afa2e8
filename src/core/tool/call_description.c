/* call_description.c - describes a call for the person who approves it. */
#include "core/tool/call_description.h"

#include "base/utf8.h"
#include "base/visible.h"
#include "core/tool/args_summary.h"

/* ---- texts ---------------------------------------------------------------------------------- */

/* Write a text; each line after the first is indented by a mark. */
static void put_text(struct buf *out, struct str text)
{
    bool first = true;

    while (text.p) {
        if (!first)
            buf_put(out, STR("\n    | "));
        visible_lines(out, str_cut(&text, '\n'));
        first = false;
    }
}

static void put_name(struct buf *out, struct str name)
{
    buf_put(out, STR("\n  "));
    visible_text(out, name);
    buf_put(out, STR(": "));
}

static void put_rest(struct buf *out, size_t bytes)
{
    buf_printf(out, "\n  ... (%zu bytes more, not shown)", bytes);
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* Is this an argument that the diff replaces? */
static bool is_in_diff(struct str name)
{
    return str_eq(name, STR("content")) || str_eq(name, STR("old_text")) ||
           str_eq(name, STR("new_text"));
}

static struct json read_own(const struct call *call, struct str text)
{
    struct json_opts opts = limits_json(call->host->limits);
    struct json v = { 0 };
    struct err e;

    json_read(call->mem, text, &opts, &v, &e);
    return v;
}

static struct json without_texts(const struct call *call)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, SIZE_MAX / 2);
    jw_object(&w);
    JSON_MEMBERS(key, call->args)
    {
        struct str name = json_str(call->mem, key);

        if (is_in_diff(name))
            continue;
        jw_key(&w, name);
        jw_raw(&w, json_raw(json_value(key)));
    }
    jw_object_end(&w);
    return read_own(call, buf_str(&out));
}

/* Write the arguments, with secrets masked and long texts truncated. */
static void put_args(struct buf *out, const struct call *call, bool diff, bool *cut)
{
    struct json args = diff ? without_texts(call) : call->args;
    struct json shown = read_own(call, args_whole(call->mem, args, call->host->limits, cut));

    JSON_MEMBERS(key, shown)
    {
        struct json v = json_value(key);

        put_name(out, json_str(call->mem, key));
        put_text(out, json_type(v) == JSON_STRING ? json_str(call->mem, v) : json_raw(v));
    }
}

static void put_diff(struct buf *out, struct str diff)
{
    put_name(out, STR("changes"));
    buf_put(out, STR("\n    | "));
    put_text(out, str_head(diff, diff.n - str_ends(diff, STR("\n"))));
}

/* ---- the description ------------------------------------------------------------------------ */

static void put_where(struct buf *out, const struct call *call, const struct tool *tool)
{
    const char *cwd = call->host->cwd ? call->host->cwd : call->host->root;

    put_name(out, STR("tool"));
    visible_text(out, str_of(tool->name));
    if (tool->alias) {
        buf_put(out, STR(", which is "));
        visible_text(out, str_of(tool->alias));
        buf_put(out, STR(" of an MCP server"));
    } else if (cwd) {
        put_name(out, STR("working folder"));
        visible_text(out, str_of(cwd));
    }
}

struct str call_shown(const struct call *call, const struct tool *tool, struct str diff, bool *cut)
{
    size_t most = (size_t)call->host->limits->ask_shown_bytes;
    struct buf out;
    struct str head;

    buf_init_in(&out, call->mem, SIZE_MAX / 2);
    put_where(&out, call, tool);
    put_args(&out, call, diff.p != NULL, cut);
    if (diff.p)
        put_diff(&out, diff);
    if (out.n <= most)
        return buf_str(&out);
    *cut = true;
    head = utf8_head(buf_str(&out), most);
    most = out.n - head.n;
    out.n = head.n;
    put_rest(&out, most);
    return buf_str(&out);
}
