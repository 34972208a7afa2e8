/*
 * anthropic.c - the Messages API, streamed.
 *
 * A thought is sealed (reply.h) as {"signature":"..."}, or as {"data":"..."} if it was redacted.
 * The API rejects thoughts that another provider sealed, or that are not sealed: they are omitted.
 *
 * A request may mark four positions for the prompt cache. We mark the tools, the system prompt and
 * the last two messages of the user, so each request of a turn uses the cache entry of the previous
 * one.
 */
#include "provider/format.h"

enum { MAX_TOKENS = 32000, THOUGHT_LEAST = 1024, CACHED_MESSAGES = 2 };

/* ---- the request ---------------------------------------------------------------------------- */

static struct str anthropic_url(const struct model_call *a)
{
    return ask_url(a, "/v1", "/messages");
}

static void write_cache_mark(struct jw *w)
{
    jw_kraw(w, "cache_control", STR("{\"type\":\"ephemeral\"}"));
}

static void write_text(struct jw *w, struct str text)
{
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", text);
}

static void write_media(const struct model_call *a, struct jw *w, const struct block *b)
{
    bool image = ask_is_media(b, "image/");

    if (!image && !str_eq(b->type, STR("application/pdf"))) {
        write_text(w, ask_left_out(a, b));
        return;
    }
    jw_kstr(w, "type", image ? STR("image") : STR("document"));
    jw_key(w, STR("source"));
    jw_object(w);
    jw_kstr(w, "type", STR("base64"));
    jw_kstr(w, "media_type", b->type);
    jw_kstr(w, "data", b->data);
    jw_object_end(w);
}

/* Ids of other providers may hold characters that are refused here. */
static void write_id(const struct model_call *a, struct jw *w, const char *key, struct str id)
{
    char *p = arena_cstr(a->mem, id);

    for (size_t i = 0; i < id.n; i++)
        if (!(p[i] == '-' || (p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'z') ||
              (p[i] >= 'A' && p[i] <= 'Z')))
            p[i] = '_';
    jw_kstr(w, key, (struct str){ p, id.n });
}

static void write_call(const struct model_call *a, struct jw *w, const struct block *b)
{
    jw_kstr(w, "type", STR("tool_use"));
    write_id(a, w, "id", b->id);
    jw_kstr(w, "name", b->name);
    jw_kraw(w, "input", ask_args(a, b));
}

static void write_result(const struct model_call *a, struct jw *w, const struct block *b)
{
    jw_kstr(w, "type", STR("tool_result"));
    write_id(a, w, "tool_use_id", b->id);
    jw_key(w, STR("content"));
    jw_array(w);
    if (b->text.n) {
        jw_object(w);
        write_text(w, b->text);
        jw_object_end(w);
    }
    for (size_t i = 0; i < b->medias; i++) {
        jw_object(w);
        write_media(a, w, &b->media[i]);
        jw_object_end(w);
    }
    jw_array_end(w);
    if (b->is_error)
        jw_kbool(w, "is_error", true);
}

static void write_thought(const struct model_call *a, struct jw *w, const struct block *b)
{
    struct json_opts opts = { .max_depth = 4, .max_values = 8 };
    struct json sealed = { 0 };
    struct err e;
    bool readable = json_read(a->mem, b->sealed, &opts, &sealed, &e);
    struct json data = readable ? json_get(sealed, STR("data")) : sealed;

    if (json_here(data)) {
        jw_kstr(w, "type", STR("redacted_thinking"));
        jw_kraw(w, "data", json_raw(data));
        return;
    }
    jw_kstr(w, "type", STR("thinking"));
    jw_kstr(w, "thinking", b->text);
    jw_kraw(w, "signature", json_raw(json_get(sealed, STR("signature"))));
}

static void write_block(const struct model_call *a, struct jw *w, const struct block *b)
{
    switch (b->kind) {
    case BLOCK_TEXT: write_text(w, b->text); break;
    case BLOCK_THOUGHT: write_thought(a, w, b); break;
    case BLOCK_MEDIA: write_media(a, w, b); break;
    case BLOCK_CALL: write_call(a, w, b); break;
    case BLOCK_RESULT: write_result(a, w, b); break;
    }
}

static bool anthropic_written(const struct model_call *a, const struct block *b)
{
    if (b->kind == BLOCK_TEXT)
        return b->text.n > 0; /* empty ones are refused */
    return b->kind != BLOCK_THOUGHT || ask_sealed(a, b);
}

/* The results of a message, or the rest of it; `left` counts down to the block to be marked. */
static void write_blocks(const struct model_call *a, struct jw *w, const struct message *m,
                         bool results, size_t *left, bool cached)
{
    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];

        if (!anthropic_written(a, b) || (b->kind == BLOCK_RESULT) != results)
            continue;
        jw_object(w);
        write_block(a, w, b);
        if (--*left == 0 && cached)
            write_cache_mark(w);
        jw_object_end(w);
    }
}

/* Results stand first, as the API insists. */
static void write_message(const struct model_call *a, struct jw *w, const struct message *m,
                          bool cached)
{
    size_t left = 0;

    for (size_t i = 0; i < m->blocks; i++)
        left += anthropic_written(a, &m->block[i]);
    if (!left)
        return;
    jw_object(w);
    jw_kstr(w, "role", m->role == ROLE_USER ? STR("user") : STR("assistant"));
    jw_key(w, STR("content"));
    jw_array(w);
    write_blocks(a, w, m, true, &left, cached);
    write_blocks(a, w, m, false, &left, cached);
    jw_array_end(w);
    jw_object_end(w);
}

/* Is message i one of the last of the user? */
static bool is_cached(const struct model_request *r, size_t i)
{
    int later = 0;

    for (size_t k = i + 1; k < r->messages; k++)
        later += r->message[k].role == ROLE_USER;
    return r->message[i].role == ROLE_USER && later < CACHED_MESSAGES;
}

static void write_messages(const struct model_call *a, struct jw *w)
{
    const struct model_request *r = a->req;
    size_t near_end = r->messages > 8 ? r->messages - 8 : 0; /* keeps is_cached cheap */

    jw_key(w, STR("messages"));
    jw_array(w);
    for (size_t i = 0; i < r->messages; i++)
        write_message(a, w, &r->message[i], i >= near_end && is_cached(r, i));
    jw_array_end(w);
}

static void write_tool(struct jw *w, const struct model_tool *t, bool last)
{
    ask_write_tool(w, t, "input_schema");
    if (last)
        write_cache_mark(w);
}

static void write_system(const struct model_call *a, struct jw *w)
{
    if (!a->req->system.n)
        return;
    jw_key(w, STR("system"));
    jw_array(w);
    jw_object(w);
    write_text(w, a->req->system);
    write_cache_mark(w);
    jw_object_end(w);
    jw_array_end(w);
}

/* Tokens to think with, 0 for none. They are part of max_tokens and must leave some. */
static int64_t budget(enum model_effort effort, int64_t max)
{
    static const int64_t tokens[] = {
        [EFFORT_LOW] = 2048,
        [EFFORT_MEDIUM] = 8192,
        [EFFORT_HIGH] = 24576,
    };
    int64_t n = tokens[effort] < max ? tokens[effort] : max / 2;

    return n < THOUGHT_LEAST ? 0 : n;
}

static void anthropic_body(const struct model_call *a, struct jw *w)
{
    int64_t max = a->req->max_tokens ? a->req->max_tokens : MAX_TOKENS;
    int64_t think = budget(a->req->effort, max);

    jw_object(w);
    jw_kstr(w, "model", a->req->model);
    jw_kint(w, "max_tokens", max);
    jw_kbool(w, "stream", true);
    if (think) {
        jw_key(w, STR("thinking"));
        jw_object(w);
        jw_kstr(w, "type", STR("enabled"));
        jw_kint(w, "budget_tokens", think);
        jw_object_end(w);
    } else if (a->req->temperature >= 0) { /* refused beside thinking */
        jw_key(w, STR("temperature"));
        jw_double(w, a->req->temperature);
    }
    ask_write_tools(a, w, "tools", write_tool);
    write_system(a, w);
    write_messages(a, w);
    jw_object_end(w);
}

/* ---- the stream ----------------------------------------------------------------------------- */

static bool seal(struct reply *r, struct arena *scratch, int64_t key, const char *name,
                 struct json value, struct err *e)
{
    struct reply_block *b = reply_find(r, BLOCK_THOUGHT, key);
    struct str raw = json_raw(value);

    if (json_type(value) != JSON_STRING)
        return fail(e, ERR_INVALID, "the %s of a thought must be a string", name);
    if (!b && !(b = reply_add(r, BLOCK_THOUGHT, key, e)))
        return false;
    return reply_seal(r, b, arena_printf(scratch, "{\"%s\":" STR_FMT "}", name, STR_ARG(raw)), e);
}

static bool begin_block(struct reply *r, struct arena *scratch, int64_t key, struct json block,
                        struct err *e)
{
    struct json type = json_get(block, STR("type")), input = json_get(block, STR("input"));

    if (json_is(type, STR("text")))
        return reply_text(r, key, member_delta(scratch, block, "text"), e);
    if (json_is(type, STR("thinking")))
        return reply_thought(r, key, member_delta(scratch, block, "thinking"), e);
    if (json_is(type, STR("redacted_thinking")))
        return seal(r, scratch, key, "data", json_get(block, STR("data")), e);
    if (!json_is(type, STR("tool_use")))
        return true; /* an unknown kind of block */
    if (!reply_call(r, key, member(scratch, block, "id"), member(scratch, block, "name"), e))
        return false;
    return json_count(input) == 0 || reply_args(r, key, json_raw(input), e);
}

static bool add_delta(struct reply *r, struct arena *scratch, int64_t key, struct json d,
                      struct err *e)
{
    struct json type = json_get(d, STR("type"));

    if (json_is(type, STR("text_delta")))
        return reply_text(r, key, member_delta(scratch, d, "text"), e);
    if (json_is(type, STR("thinking_delta")))
        return reply_thought(r, key, member_delta(scratch, d, "thinking"), e);
    if (json_is(type, STR("input_json_delta")) && reply_find(r, BLOCK_CALL, key))
        return reply_args(r, key, member_delta(scratch, d, "partial_json"), e);
    if (json_is(type, STR("signature_delta")))
        return seal(r, scratch, key, "signature", json_get(d, STR("signature")), e);
    return true;
}

/* Counts are reported at the start and again, larger, at the end. */
static void note_usage(struct reply *r, struct json usage)
{
    struct model_usage *u = &r->turn->usage;
    int64_t read = count_at(usage, "cache_read_input_tokens");
    int64_t write = count_at(usage, "cache_creation_input_tokens");
    int64_t input = count_at(usage, "input_tokens");
    int64_t output = count_at(usage, "output_tokens");

    if (input + read + write > u->input)
        *u = (struct model_usage){ input + read + write, u->output, read, write, 0 };
    u->output = output > u->output ? output : u->output;
}

static void note_stop(struct reply *r, struct json reason)
{
    static const struct {
        const char *name;
        enum model_stop stop;
    } reasons[] = {
        { "tool_use", STOP_TOOLS },
        { "max_tokens", STOP_LENGTH },
        { "refusal", STOP_REFUSED },
        { "model_context_window_exceeded", STOP_CONTEXT },
    };

    if (json_type(reason) != JSON_STRING)
        return;
    reply_stop(r, STOP_END);
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (json_is(reason, str_of(reasons[i].name)))
            reply_stop(r, reasons[i].stop);
}

static bool anthropic_event(struct reply *r, struct arena *scratch, struct str name,
                            struct json data, struct err *e)
{
    struct json type = json_get(data, STR("type")), message = json_get(data, STR("message"));
    int64_t key = count_at(data, "index");

    (void)name;
    if (json_is(type, STR("content_block_delta")))
        return add_delta(r, scratch, key, json_get(data, STR("delta")), e);
    if (json_is(type, STR("content_block_start")))
        return begin_block(r, scratch, key, json_get(data, STR("content_block")), e);
    if (json_is(type, STR("message_start"))) {
        reply_model(r, member(scratch, message, "model"));
        note_usage(r, json_get(message, STR("usage")));
    } else if (json_is(type, STR("message_delta"))) {
        note_usage(r, json_get(data, STR("usage")));
        note_stop(r, json_get(json_get(data, STR("delta")), STR("stop_reason")));
    } else if (json_is(type, STR("message_stop"))) {
        r->over = r->stopped;
    } else if (json_type(type) != JSON_STRING) {
        return fail(e, ERR_INVALID, "expected an object with a type");
    }
    return true;
}

const struct format anthropic_format = {
    .key_header = "x-api-key",
    .key_prefix = "",
    .version_header = "anthropic-version",
    .version = "2023-06-01",
    .url = anthropic_url,
    .body = anthropic_body,
    .event = anthropic_event,
};
