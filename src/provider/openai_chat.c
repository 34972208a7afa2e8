/*
 * openai_chat.c - Chat Completions, streamed: OpenAI, Ollama, vLLM, llama.cpp, OpenRouter and other
 * compatible servers.
 *
 * Servers differ: a call may lack its index or its id, several calls may have the same index, and
 * the finish reason of an answer with calls may be "stop". Thoughts arrive as reasoning_content or
 * reasoning, and are not sent back.
 */
#include "provider/format.h"

/* Keys of blocks without an index; calls have keys from 0 on. */
enum { TEXT_KEY = -1, THOUGHT_KEY = -2 };

/* ---- the request ---------------------------------------------------------------------------- */

static struct str openai_chat_url(const struct model_call *a)
{
    return ask_url(a, "", "/chat/completions");
}

static void write_text_part(struct jw *w, struct str text)
{
    jw_object(w);
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", text);
    jw_object_end(w);
}

static void write_image(const struct model_call *a, struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kstr(w, "type", STR("image_url"));
    jw_key(w, STR("image_url"));
    jw_object(w);
    jw_kstr(w, "url", ask_data_url(a, b));
    jw_object_end(w);
    jw_object_end(w);
}

/* The API supports wav and mp3. */
static struct str audio_format(const struct block *b)
{
    bool mp3 = str_eq(b->type, STR("audio/mpeg")) || str_eq(b->type, STR("audio/mp3"));

    return mp3 ? STR("mp3") : STR("wav");
}

static void write_audio(struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kstr(w, "type", STR("input_audio"));
    jw_key(w, STR("input_audio"));
    jw_object(w);
    jw_kstr(w, "data", b->data);
    jw_kstr(w, "format", audio_format(b));
    jw_object_end(w);
    jw_object_end(w);
}

static void write_part(const struct model_call *a, struct jw *w, const struct block *b)
{
    if (b->kind == BLOCK_TEXT && b->text.n)
        write_text_part(w, b->text);
    else if (ask_is_media(b, "image/"))
        write_image(a, w, b);
    else if (ask_is_media(b, "audio/"))
        write_audio(w, b);
    else if (b->kind == BLOCK_MEDIA)
        write_text_part(w, ask_left_out(a, b));
}

static void begin_message(struct jw *w, struct str role)
{
    jw_object(w);
    jw_kstr(w, "role", role);
}

static void write_result(const struct model_call *a, struct jw *w, const struct block *b)
{
    begin_message(w, STR("tool"));
    jw_kstr(w, "tool_call_id", b->id);
    jw_kstr(w, "content",
            b->is_error ? arena_printf(a->mem, "Error: " STR_FMT, STR_ARG(b->text))
                        : (b->text.p ? b->text : STR("")));
    jw_object_end(w);
}

/* The parts of a user message beside results. Media of results cannot be in those. */
static size_t parts_of(const struct message *m, bool *only_text)
{
    size_t n = 0;

    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];

        n += (b->kind == BLOCK_TEXT && b->text.n) + (b->kind == BLOCK_MEDIA) + b->medias;
        *only_text &= b->kind != BLOCK_MEDIA && !b->medias;
    }
    return n;
}

static void write_parts(const struct model_call *a, struct jw *w, const struct message *m)
{
    for (size_t i = 0; i < m->blocks; i++) {
        write_part(a, w, &m->block[i]);
        for (size_t k = 0; k < m->block[i].medias; k++)
            write_part(a, w, &m->block[i].media[k]);
    }
}

/* One text alone goes as a string, which every server takes. */
static void write_user(const struct model_call *a, struct jw *w, const struct message *m)
{
    bool only_text = true;
    size_t parts;

    for (size_t i = 0; i < m->blocks; i++)
        if (m->block[i].kind == BLOCK_RESULT)
            write_result(a, w, &m->block[i]);
    parts = parts_of(m, &only_text);
    if (!parts)
        return;
    begin_message(w, STR("user"));
    if (parts == 1 && only_text) {
        for (size_t i = 0; i < m->blocks; i++)
            if (m->block[i].kind == BLOCK_TEXT && m->block[i].text.n)
                jw_kstr(w, "content", m->block[i].text);
    } else {
        jw_key(w, STR("content"));
        jw_array(w);
        write_parts(a, w, m);
        jw_array_end(w);
    }
    jw_object_end(w);
}

static void write_call(const struct model_call *a, struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kstr(w, "id", b->id);
    jw_kstr(w, "type", STR("function"));
    jw_key(w, STR("function"));
    jw_object(w);
    jw_kstr(w, "name", b->name);
    jw_kstr(w, "arguments", ask_args(a, b));
    jw_object_end(w);
    jw_object_end(w);
}

static struct str texts_of(const struct model_call *a, const struct message *m, size_t *calls)
{
    struct str all = STR_NONE;

    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];

        *calls += b->kind == BLOCK_CALL;
        if (b->kind == BLOCK_TEXT && b->text.n)
            all = all.p ? arena_printf(a->mem, STR_FMT STR_FMT, STR_ARG(all), STR_ARG(b->text))
                        : b->text;
    }
    return all;
}

static void write_assistant(const struct model_call *a, struct jw *w, const struct message *m)
{
    size_t calls = 0;
    struct str text = texts_of(a, m, &calls);

    if (!text.p && !calls)
        return;
    begin_message(w, STR("assistant"));
    jw_kstr(w, "content", text);
    if (!text.p)
        jw_kraw(w, "content", STR("null"));
    if (calls) {
        jw_key(w, STR("tool_calls"));
        jw_array(w);
        for (size_t i = 0; i < m->blocks; i++)
            if (m->block[i].kind == BLOCK_CALL)
                write_call(a, w, &m->block[i]);
        jw_array_end(w);
    }
    jw_object_end(w);
}

static void write_messages(const struct model_call *a, struct jw *w)
{
    const struct model_request *r = a->req;

    jw_key(w, STR("messages"));
    jw_array(w);
    if (r->system.n) {
        begin_message(w, STR("system"));
        jw_kstr(w, "content", r->system);
        jw_object_end(w);
    }
    for (size_t i = 0; i < r->messages; i++) {
        if (r->message[i].role == ROLE_USER)
            write_user(a, w, &r->message[i]);
        else
            write_assistant(a, w, &r->message[i]);
    }
    jw_array_end(w);
}

static void write_tool(struct jw *w, const struct model_tool *t, bool last)
{
    (void)last;
    jw_kstr(w, "type", STR("function"));
    jw_key(w, STR("function"));
    jw_object(w);
    ask_write_tool(w, t, "parameters");
    jw_object_end(w);
}

/* OpenAI renamed the member; other servers know only the old name. */
static const char *max_key(const struct model_call *a)
{
    return str_find(a->spec->base_url, STR("//api.openai.com")) >= 0 ? "max_completion_tokens"
                                                                     : "max_tokens";
}

static void openai_chat_body(const struct model_call *a, struct jw *w)
{
    jw_object(w);
    jw_kstr(w, "model", a->req->model);
    jw_kbool(w, "stream", true);
    jw_kraw(w, "stream_options", STR("{\"include_usage\":true}"));
    if (a->req->max_tokens)
        jw_kint(w, max_key(a), a->req->max_tokens);
    jw_kstr(w, "reasoning_effort", str_of(ask_effort(a)));
    if (a->req->temperature >= 0) {
        jw_key(w, STR("temperature"));
        jw_double(w, a->req->temperature);
    }
    ask_write_tools(a, w, "tools", write_tool);
    write_messages(a, w);
    jw_object_end(w);
}

/* ---- the stream ----------------------------------------------------------------------------- */

/* Where a piece of a call belongs: by its index, else to the newest call. */
static int64_t call_key(const struct reply *r, struct json call)
{
    int64_t key;

    if (json_int(json_get(call, STR("index")), &key) && key >= 0)
        return key;
    for (size_t i = r->blocks; i-- > 0;)
        if (r->block[i].b.kind == BLOCK_CALL)
            return r->block[i].key;
    return 0;
}

static bool add_call(struct reply *r, struct arena *scratch, struct json call, struct err *e)
{
    struct json fn = json_get(call, STR("function"));
    struct str id = member(scratch, call, "id"), name = member(scratch, fn, "name");
    int64_t key = call_key(r, call);
    const struct reply_block *b = reply_find(r, BLOCK_CALL, key);
    bool begins = !b || (name.n && id.n && !str_eq(id, b->b.id));

    if (begins && !reply_call(r, key, id, name, e))
        return false;
    return reply_args(r, key, member_delta(scratch, fn, "arguments"), e);
}

static bool add_delta(struct reply *r, struct arena *scratch, struct json d, struct err *e)
{
    struct str thought = member_delta(scratch, d, "reasoning_content");

    if (!thought.n)
        thought = member_delta(scratch, d, "reasoning");
    if (!reply_thought(r, THOUGHT_KEY, thought, e) ||
        !reply_text(r, TEXT_KEY, member_delta(scratch, d, "content"), e) ||
        !reply_text(r, TEXT_KEY, member_delta(scratch, d, "refusal"), e))
        return false;
    JSON_EACH(call, json_get(d, STR("tool_calls")))
    {
        if (!add_call(r, scratch, call, e))
            return false;
    }
    return true;
}

static void note_stop(struct reply *r, struct json reason)
{
    if (json_type(reason) != JSON_STRING)
        return;
    if (json_is(reason, STR("length")))
        reply_stop(r, STOP_LENGTH);
    else if (json_is(reason, STR("content_filter")))
        reply_stop(r, STOP_REFUSED);
    else
        reply_stop(r, STOP_END); /* reply_finish sets STOP_TOOLS if there are calls */
}

static void note_usage(struct reply *r, struct json usage)
{
    if (json_type(usage) == JSON_OBJECT)
        r->turn->usage = (struct model_usage){
            .input = count_at(usage, "prompt_tokens"),
            .output = count_at(usage, "completion_tokens"),
            .cache_read = count_at(usage, "prompt_tokens_details.cached_tokens"),
            .thinking = count_at(usage, "completion_tokens_details.reasoning_tokens"),
        };
}

static bool openai_chat_event(struct reply *r, struct arena *scratch, struct str name,
                              struct json data, struct err *e)
{
    struct json choices = json_get(data, STR("choices"));
    struct json choice = json_first(choices);

    (void)name;
    if (json_type(data) != JSON_OBJECT ||
        (json_type(choices) != JSON_ARRAY && !json_here(json_get(data, STR("usage")))))
        return fail(e, ERR_INVALID, "expected an object with choices");
    reply_model(r, member(scratch, data, "model"));
    note_usage(r, json_get(data, STR("usage")));
    if (!add_delta(r, scratch, json_get(choice, STR("delta")), e))
        return false;
    note_stop(r, json_get(choice, STR("finish_reason")));
    return true;
}

const struct format openai_chat_format = {
    .key_header = "Authorization",
    .key_prefix = "Bearer ",
    .url = openai_chat_url,
    .body = openai_chat_body,
    .event = openai_chat_event,
};
