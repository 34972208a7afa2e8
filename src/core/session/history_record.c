/* history_record.c - writes records as JSON for the store; history.c parses them. */
#include "core/session/history_record.h"

static void open_record(struct arena *mem, struct buf *out, struct jw *w)
{
    buf_init_in(out, mem, RECORD_MOST);
    *w = jw_to(out);
    jw_object(w);
}

static struct str close_record(struct buf *out, struct jw *w)
{
    jw_object_end(w);
    return buf_str(out);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static const char *const block_names[] = {
    [BLOCK_TEXT] = "text", [BLOCK_THOUGHT] = "thought", [BLOCK_MEDIA] = "media",
    [BLOCK_CALL] = "call", [BLOCK_RESULT] = "result",
};

static void write_block(struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kstr(w, "type", str_of(block_names[b->kind]));
    jw_kstr(w, "id", b->id);
    jw_kstr(w, "name", b->name);
    jw_kstr(w, "text", b->text);
    jw_kstr(w, "media_type", b->type);
    jw_kstr(w, "uri", b->uri);
    jw_kstr(w, "data", b->data);
    jw_kraw(w, "args", b->args);
    jw_kraw(w, "sealed", b->sealed);
    if (b->sealed.p)
        jw_kstr(w, "by", str_of(b->by));
    jw_object_end(w);
}

static void write_blocks(struct jw *w, const char *key, const struct block *b, size_t n)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < n; i++)
        write_block(w, &b[i]);
    jw_array_end(w);
}

static struct str raw_or_none(struct json v)
{
    return json_here(v) ? json_raw(v) : STR_NONE;
}

static bool read_block(struct arena *mem, struct json v, struct block *out, struct err *e)
{
    struct json type = json_get(v, STR("type"));
    struct str by = json_str(mem, json_get(v, STR("by")));
    size_t kind = 0;

    while (kind < ARRAY_LEN(block_names) && !json_is(type, str_of(block_names[kind])))
        kind++;
    if (kind == ARRAY_LEN(block_names))
        return json_fail(type, e, "expected text, thought, media or call");
    *out = (struct block){
        .kind = (enum block_kind)kind,
        .id = json_str(mem, json_get(v, STR("id"))),
        .name = json_str(mem, json_get(v, STR("name"))),
        .text = json_str(mem, json_get(v, STR("text"))),
        .type = json_str(mem, json_get(v, STR("media_type"))),
        .uri = json_str(mem, json_get(v, STR("uri"))),
        .data = json_str(mem, json_get(v, STR("data"))),
        .args = raw_or_none(json_get(v, STR("args"))),
        .sealed = raw_or_none(json_get(v, STR("sealed"))),
        .by = by.p ? arena_cstr(mem, by) : NULL,
    };
    return true;
}

bool record_blocks(struct arena *mem, struct json list, struct block **out, size_t *n,
                   struct err *e)
{
    size_t i = 0, most = json_count(list);
    struct block *b = ARENA_ARRAY(mem, struct block, most ? most : 1);

    JSON_EACH(v, list)
    {
        if (!read_block(mem, v, &b[i++], e))
            return false;
    }
    *out = b;
    *n = most;
    return true;
}

/* ---- usage ----------------------------------------------------------------------------------- */

#define USAGE_FIELD(name)                                                                          \
    {                                                                                              \
#name, offsetof(struct model_usage, name)                                                  \
    }

static const struct {
    const char *name;
    size_t offset;
} usage_fields[] = {
    USAGE_FIELD(input),       USAGE_FIELD(output),   USAGE_FIELD(cache_read),
    USAGE_FIELD(cache_write), USAGE_FIELD(thinking),
};

void usage_write(struct jw *w, const struct model_usage *u)
{
    jw_object(w);
    for (size_t i = 0; i < ARRAY_LEN(usage_fields); i++)
        jw_kint(w, usage_fields[i].name,
                *(const int64_t *)(const void *)((const char *)u + usage_fields[i].offset));
    jw_object_end(w);
}

struct model_usage usage_read(struct json v)
{
    struct model_usage u = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(usage_fields); i++)
        json_int(json_get(v, str_of(usage_fields[i].name)),
                 (int64_t *)(void *)((char *)&u + usage_fields[i].offset));
    return u;
}

void usage_add(struct model_usage *to, const struct model_usage *u)
{
    to->input += u->input;
    to->output += u->output;
    to->cache_read += u->cache_read;
    to->cache_write += u->cache_write;
    to->thinking += u->thinking;
}

/* ---- records --------------------------------------------------------------------------------- */

struct str record_prompt(struct arena *mem, struct str id, struct str turn, const struct block *b,
                         size_t n, struct str from)
{
    struct buf out;
    struct jw w;

    open_record(mem, &out, &w);
    jw_kstr(&w, "id", id);
    jw_kstr(&w, "turn", turn);
    write_blocks(&w, "blocks", b, n);
    jw_kstr(&w, "from", from);
    return close_record(&out, &w);
}

static const char *const stop_names[] = {
    [STOP_END] = "end",         [STOP_TOOLS] = "tools",     [STOP_LENGTH] = "length",
    [STOP_CONTEXT] = "context", [STOP_REFUSED] = "refused",
};

struct str record_answer(struct arena *mem, struct str id, const struct model_turn *t)
{
    struct buf out;
    struct jw w;

    open_record(mem, &out, &w);
    jw_kstr(&w, "id", id);
    write_blocks(&w, "blocks", t->answer.block, t->answer.blocks);
    jw_kstr(&w, "stop", str_of(stop_names[t->stop]));
    jw_kstr(&w, "model", t->model);
    jw_plain_key(&w, STR("usage"));
    usage_write(&w, &t->usage);
    return close_record(&out, &w);
}

static bool fits_record(const struct event_tool *call)
{
    return call->new_text.p && call->old_text.n + call->new_text.n <= RECORD_DIFF_MOST;
}

struct str record_result(struct arena *mem, const struct block *result,
                         const struct event_tool *call)
{
    struct buf out;
    struct jw w;

    open_record(mem, &out, &w);
    jw_kstr(&w, "id", result->id);
    jw_kstr(&w, "name", result->name);
    jw_kstr(&w, "text", result->text);
    if (result->is_error)
        jw_kbool(&w, "error", true);
    if (result->medias)
        write_blocks(&w, "media", result->media, result->medias);
    jw_kstr(&w, "from", call->from);
    jw_kstr(&w, "path", call->path);
    if (fits_record(call)) {
        jw_kstr(&w, "old_text", call->old_text);
        jw_kstr(&w, "new_text", call->new_text);
    }
    return close_record(&out, &w);
}

struct str record_compact(struct arena *mem, struct str summary, int64_t after)
{
    struct buf out;
    struct jw w;

    open_record(mem, &out, &w);
    jw_kstr(&w, "summary", summary);
    jw_kint(&w, "after", after);
    return close_record(&out, &w);
}

struct str record_cut(struct arena *mem, struct str seqs)
{
    struct buf out;
    struct jw w;

    open_record(mem, &out, &w);
    jw_kraw(&w, "seqs", seqs);
    return close_record(&out, &w);
}

struct str record_end(struct arena *mem, struct str turn, const struct event_end *end,
                      const struct model_usage *usage, double cost)
{
    struct buf out;
    struct jw w;

    open_record(mem, &out, &w);
    jw_kstr(&w, "turn", turn);
    jw_kstr(&w, "stop", str_of(turn_stop_names[end->stop]));
    jw_kstr(&w, "text", end->text);
    jw_plain_key(&w, STR("usage"));
    usage_write(&w, usage);
    if (cost >= 0) {
        jw_plain_key(&w, STR("cost"));
        jw_double(&w, cost);
    }
    return close_record(&out, &w);
}
