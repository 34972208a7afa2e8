/*
 * openai_responses.c - the Responses API, streamed, without storing anything at the server.
 *
 * On request the server returns the thoughts of the model encrypted; each is sealed (reply.h) as
 * the whole item, which is sent again. Models without thoughts reject that request, so this file
 * has the names of the models with thoughts.
 */
#include "provider/format.h"

/* ---- the request ---------------------------------------------------------------------------- */

static struct str openai_responses_url(const struct model_call *a)
{
    return ask_url(a, "", "/responses");
}

static void write_typed(struct jw *w, const char *type, const char *key, struct str value)
{
    jw_object(w);
    jw_kstr(w, "type", str_of(type));
    jw_kstr(w, key, value);
    jw_object_end(w);
}

static void write_part(const struct model_call *a, struct jw *w, const struct block *b)
{
    if (b->kind == BLOCK_TEXT)
        write_typed(w, "input_text", "text", b->text);
    else if (ask_is_media(b, "image/"))
        write_typed(w, "input_image", "image_url", ask_data_url(a, b));
    else
        write_typed(w, "input_text", "text", ask_left_out(a, b));
}

static bool is_part(const struct block *b)
{
    return (b->kind == BLOCK_TEXT && b->text.n) || b->kind == BLOCK_MEDIA;
}

/* A result is a text, or parts when pictures belong to it. */
static void write_result(const struct model_call *a, struct jw *w, const struct block *b)
{
    struct str text = b->is_error ? arena_printf(a->mem, "Error: " STR_FMT, STR_ARG(b->text))
                                  : (b->text.p ? b->text : STR(""));

    jw_object(w);
    jw_kstr(w, "type", STR("function_call_output"));
    jw_kstr(w, "call_id", b->id);
    if (b->medias) {
        jw_key(w, STR("output"));
        jw_array(w);
        write_typed(w, "input_text", "text", text);
        for (size_t i = 0; i < b->medias; i++)
            write_part(a, w, &b->media[i]);
        jw_array_end(w);
    } else {
        jw_kstr(w, "output", text);
    }
    jw_object_end(w);
}

static void write_user(const struct model_call *a, struct jw *w, const struct message *m)
{
    size_t parts = 0;

    for (size_t i = 0; i < m->blocks; i++) {
        if (m->block[i].kind == BLOCK_RESULT)
            write_result(a, w, &m->block[i]);
        parts += is_part(&m->block[i]);
    }
    if (!parts)
        return;
    jw_object(w);
    jw_kstr(w, "role", STR("user"));
    jw_key(w, STR("content"));
    jw_array(w);
    for (size_t i = 0; i < m->blocks; i++)
        if (is_part(&m->block[i]))
            write_part(a, w, &m->block[i]);
    jw_array_end(w);
    jw_object_end(w);
}

static void write_said(struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kstr(w, "role", STR("assistant"));
    jw_key(w, STR("content"));
    jw_array(w);
    write_typed(w, "output_text", "text", b->text);
    jw_array_end(w);
    jw_object_end(w);
}

static void write_call(const struct model_call *a, struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kstr(w, "type", STR("function_call"));
    jw_kstr(w, "call_id", b->id);
    jw_kstr(w, "name", b->name);
    jw_kstr(w, "arguments", ask_args(a, b));
    jw_object_end(w);
}

static void write_assistant(const struct model_call *a, struct jw *w, const struct message *m)
{
    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];

        if (b->kind == BLOCK_TEXT && b->text.n)
            write_said(w, b);
        else if (b->kind == BLOCK_CALL)
            write_call(a, w, b);
        else if (b->kind == BLOCK_THOUGHT && ask_sealed(a, b))
            jw_raw(w, b->sealed);
    }
}

static void write_input(const struct model_call *a, struct jw *w)
{
    jw_key(w, STR("input"));
    jw_array(w);
    for (size_t i = 0; i < a->req->messages; i++) {
        if (a->req->message[i].role == ROLE_USER)
            write_user(a, w, &a->req->message[i]);
        else
            write_assistant(a, w, &a->req->message[i]);
    }
    jw_array_end(w);
}

static void write_tool(struct jw *w, const struct model_tool *t, bool last)
{
    (void)last;
    jw_kstr(w, "type", STR("function"));
    ask_write_tool(w, t, "parameters");
    jw_kbool(w, "strict", false);
}

static bool thinks(const struct model_request *r)
{
    static const char *const names[] = { "gpt-5", "gpt-6", "o1", "o3", "o4", "codex" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_starts(r->model, str_of(names[i])))
            return true;
    return r->effort != EFFORT_DEFAULT && r->effort != EFFORT_NONE;
}

/* A summary is requested only together with an effort, because not every account may have one. */
static void write_reasoning(const struct model_call *a, struct jw *w)
{
    const char *effort = ask_effort(a);

    if (thinks(a->req))
        jw_kraw(w, "include", STR("[\"reasoning.encrypted_content\"]"));
    if (!effort)
        return;
    jw_key(w, STR("reasoning"));
    jw_object(w);
    jw_kstr(w, "effort", str_of(effort));
    if (a->req->effort != EFFORT_NONE)
        jw_kstr(w, "summary", STR("auto"));
    jw_object_end(w);
}

static void openai_responses_body(const struct model_call *a, struct jw *w)
{
    jw_object(w);
    jw_kstr(w, "model", a->req->model);
    jw_kbool(w, "stream", true);
    jw_kbool(w, "store", false);
    if (a->req->max_tokens)
        jw_kint(w, "max_output_tokens", a->req->max_tokens);
    write_reasoning(a, w);
    if (a->req->temperature >= 0) {
        jw_key(w, STR("temperature"));
        jw_double(w, a->req->temperature);
    }
    ask_write_tools(a, w, "tools", write_tool);
    jw_kstr(w, "instructions", a->req->system);
    write_input(a, w);
    jw_object_end(w);
}

/* ---- the stream ----------------------------------------------------------------------------- */

static bool begin_item(struct reply *r, struct arena *scratch, int64_t key, struct json item,
                       struct err *e)
{
    if (!json_is(json_get(item, STR("type")), STR("function_call")))
        return true;
    return reply_call(r, key, member(scratch, item, "call_id"), member(scratch, item, "name"), e);
}

static bool seal_thought(struct reply *r, struct arena *scratch, int64_t key, struct json item,
                         struct err *e)
{
    struct str secret = json_raw(json_get(item, STR("encrypted_content")));
    struct str summary = json_raw(json_get(item, STR("summary")));
    struct reply_block *b = reply_find(r, BLOCK_THOUGHT, key);

    if (json_type(json_get(item, STR("encrypted_content"))) != JSON_STRING)
        return true;
    if (!b && !(b = reply_add(r, BLOCK_THOUGHT, key, e)))
        return false;
    return reply_seal(r, b,
                      arena_printf(scratch,
                                   "{\"type\":\"reasoning\",\"summary\":" STR_FMT
                                   ",\"encrypted_content\":" STR_FMT "}",
                                   STR_ARG(summary.p ? summary : STR("[]")), STR_ARG(secret)),
                      e);
}

/* The complete item arrives at its end; a server may have sent no deltas before. */
static bool end_item(struct reply *r, struct arena *scratch, int64_t key, struct json item,
                     struct err *e)
{
    struct json type = json_get(item, STR("type"));
    const struct reply_block *b = reply_find(r, BLOCK_CALL, key);

    if (json_is(type, STR("reasoning")))
        return seal_thought(r, scratch, key, item, e);
    if (!json_is(type, STR("function_call")))
        return true;
    if (!b && !begin_item(r, scratch, key, item, e))
        return false;
    b = reply_find(r, BLOCK_CALL, key);
    return b->text.n || reply_args(r, key, member_delta(scratch, item, "arguments"), e);
}

static void note_end(struct reply *r, struct arena *scratch, struct json response)
{
    struct json usage = json_get(response, STR("usage"));
    struct json why = json_get(json_get(response, STR("incomplete_details")), STR("reason"));

    reply_model(r, member(scratch, response, "model"));
    r->turn->usage = (struct model_usage){
        .input = count_at(usage, "input_tokens"),
        .output = count_at(usage, "output_tokens"),
        .cache_read = count_at(usage, "input_tokens_details.cached_tokens"),
        .thinking = count_at(usage, "output_tokens_details.reasoning_tokens"),
    };
    if (json_is(why, STR("content_filter")))
        reply_stop(r, STOP_REFUSED);
    else if (json_is(json_get(response, STR("status")), STR("incomplete")))
        reply_stop(r, STOP_LENGTH);
    else if (!r->stopped) /* else the model has refused */
        reply_stop(r, STOP_END);
    r->over = true;
}

static bool add_delta(struct reply *r, struct str type, int64_t key, struct str delta,
                      struct err *e)
{
    if (str_eq(type, STR("response.output_text.delta")))
        return reply_text(r, key, delta, e);
    if (str_eq(type, STR("response.function_call_arguments.delta")))
        return reply_args(r, key, delta, e);
    if (str_eq(type, STR("response.reasoning_summary_text.delta")) ||
        str_eq(type, STR("response.reasoning_text.delta")))
        return reply_thought(r, key, delta, e);
    if (!str_eq(type, STR("response.refusal.delta")))
        return true;
    reply_stop(r, STOP_REFUSED);
    return reply_text(r, key, delta, e);
}

static bool openai_responses_event(struct reply *r, struct arena *scratch, struct str name,
                                   struct json data, struct err *e)
{
    struct str type = member(scratch, data, "type");
    struct json item = json_get(data, STR("item")), response = json_get(data, STR("response"));
    int64_t key = count_at(data, "output_index");

    if (json_type(data) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "expected an object");
    type = type.p ? type : name;
    if (str_ends(type, STR(".delta")))
        return add_delta(r, type, key, member_delta(scratch, data, "delta"), e);
    if (str_eq(type, STR("response.output_item.added")))
        return begin_item(r, scratch, key, item, e);
    if (str_eq(type, STR("response.output_item.done")))
        return end_item(r, scratch, key, item, e);
    if (str_eq(type, STR("response.reasoning_summary_part.added")) &&
        count_at(data, "summary_index"))
        return reply_thought(r, key, STR("\n\n"), e);
    if (str_eq(type, STR("response.completed")) || str_eq(type, STR("response.incomplete")))
        note_end(r, scratch, response);
    return true;
}

const struct format openai_responses_format = {
    .key_header = "Authorization",
    .key_prefix = "Bearer ",
    .url = openai_responses_url,
    .body = openai_responses_body,
    .event = openai_responses_event,
};
