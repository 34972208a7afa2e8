/*
 * gemini.c - streamGenerateContent, as events.
 *
 * Parts arrive whole, or in pieces of text, and have no index: a piece continues the block before
 * it if both have the same kind. A part may have a signature, which ends its block and must be sent
 * back with that part. A call may have an id, which must be sent back with the call and with its
 * result; without an id, results are matched by name and order. Id and signature are sealed
 * (reply.h) as {"id":"...","thoughtSignature":"..."}.
 */
#include "provider/format.h"

/* ---- the request ---------------------------------------------------------------------------- */

/* Escape other characters, so that a name cannot leave its place in the path. */
static struct str path_name(struct arena *mem, struct str name)
{
    struct buf out;

    buf_init_in(&out, mem, name.n * 3);
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];

        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            c == '-' || c == '.' || c == '_')
            buf_putc(&out, (char)c);
        else
            buf_printf(&out, "%%%02X", c);
    }
    return buf_str(&out);
}

static struct str gemini_url(const struct model_call *a)
{
    struct str model = a->req->model;
    struct str path;

    if (str_starts(model, STR("models/")))
        model = str_skip(model, strlen("models/"));
    path = arena_printf(a->mem, "/models/" STR_FMT ":streamGenerateContent?alt=sse",
                        STR_ARG(path_name(a->mem, model)));
    return ask_url(a, "/v1beta", path.p);
}

static bool is_three(const struct model_call *a)
{
    return str_starts(a->req->model, STR("gemini-3"));
}

static void write_media(struct jw *w, const struct block *b)
{
    jw_key(w, STR("inlineData"));
    jw_object(w);
    jw_kstr(w, "mimeType", b->type);
    jw_kstr(w, "data", b->data);
    jw_object_end(w);
}

/* The value that Gemini sent with a block under this key, as raw JSON; STR_NONE: none. */
static struct str sealed_value(const struct model_call *a, const struct block *b, const char *key)
{
    struct json_opts opts = { .max_depth = 4, .max_values = 8 };
    struct json sealed;
    struct err e;

    if (!ask_sealed(a, b) || !json_read(a->mem, b->sealed, &opts, &sealed, &e))
        return STR_NONE;
    return json_raw(json_get(sealed, str_of(key)));
}

/* Nothing is written for a value that is not there. */
static void write_sealed(const struct model_call *a, struct jw *w, const struct block *b,
                         const char *key)
{
    struct str value = sealed_value(a, b, key);

    if (value.n)
        jw_kraw(w, key, value);
}

static void write_call(const struct model_call *a, struct jw *w, const struct block *b)
{
    jw_key(w, STR("functionCall"));
    jw_object(w);
    write_sealed(a, w, b, "id");
    jw_kstr(w, "name", b->name);
    jw_kraw(w, "args", ask_args(a, b));
    jw_object_end(w);
}

static void write_result(const struct model_call *a, struct jw *w, const struct block *b)
{
    const struct block *call = ask_result_call(a, b);

    jw_key(w, STR("functionResponse"));
    jw_object(w);
    if (call)
        write_sealed(a, w, call, "id");
    jw_kstr(w, "name", ask_result_name(a, b));
    jw_key(w, STR("response"));
    jw_object(w);
    jw_kstr(w, b->is_error ? "error" : "output", b->text.p ? b->text : STR(""));
    jw_object_end(w);
    jw_object_end(w);
}

static bool gemini_written(const struct model_call *a, const struct block *b)
{
    if (b->kind == BLOCK_TEXT)
        return b->text.n || ask_sealed(a, b);
    return b->kind != BLOCK_THOUGHT || ask_sealed(a, b);
}

static void write_part(const struct model_call *a, struct jw *w, const struct block *b,
                       bool unsigned_call)
{
    jw_object(w);
    switch (b->kind) {
    case BLOCK_TEXT:
    case BLOCK_THOUGHT:
        jw_kstr(w, "text", b->text.p ? b->text : STR(""));
        if (b->kind == BLOCK_THOUGHT)
            jw_kbool(w, "thought", true);
        break;
    case BLOCK_MEDIA: write_media(w, b); break;
    case BLOCK_CALL: write_call(a, w, b); break;
    case BLOCK_RESULT: write_result(a, w, b); break;
    }
    write_sealed(a, w, b, "thoughtSignature");
    /* Gemini 3 requires a signature; a call made by another provider has none. */
    if (unsigned_call)
        jw_kstr(w, "thoughtSignature", STR("skip_thought_signature_validator"));
    jw_object_end(w);
}

static void write_parts(const struct model_call *a, struct jw *w, const struct message *m)
{
    bool first_call = true;

    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];
        bool call = b->kind == BLOCK_CALL;

        if (!gemini_written(a, b))
            continue;
        write_part(a, w, b,
                   call && first_call && is_three(a) && !sealed_value(a, b, "thoughtSignature").n);
        first_call &= !call;
        for (size_t k = 0; k < b->medias; k++)
            write_part(a, w, &b->media[k], false);
    }
}

static void write_contents(const struct model_call *a, struct jw *w)
{
    jw_key(w, STR("contents"));
    jw_array(w);
    for (size_t i = 0; i < a->req->messages; i++) {
        const struct message *m = &a->req->message[i];
        bool any = false;

        for (size_t k = 0; k < m->blocks; k++)
            any |= gemini_written(a, &m->block[k]);
        if (!any)
            continue;
        jw_object(w);
        jw_kstr(w, "role", m->role == ROLE_USER ? STR("user") : STR("model"));
        jw_key(w, STR("parts"));
        jw_array(w);
        write_parts(a, w, m);
        jw_array_end(w);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_tool(struct jw *w, const struct model_tool *t, bool last)
{
    (void)last;
    ask_write_tool(w, t, "parametersJsonSchema");
}

static void write_tools(const struct model_call *a, struct jw *w)
{
    if (!a->req->tools)
        return;
    jw_key(w, STR("tools"));
    jw_array(w);
    jw_object(w);
    ask_write_tools(a, w, "functionDeclarations", write_tool);
    jw_object_end(w);
    jw_array_end(w);
}

/*
 * Gemini 3 has levels, and its larger models no "medium". 2.5 has a number of tokens, which must
 * not be 0 for the larger models.
 */
static void write_thinking(const struct model_call *a, struct jw *w)
{
    static const int64_t tokens[] = {
        [EFFORT_LOW] = 2048,
        [EFFORT_MEDIUM] = 8192,
        [EFFORT_HIGH] = 24576,
    };
    enum model_effort effort = a->req->effort;
    bool flash = str_find(a->req->model, STR("flash")) >= 0;

    if (effort == EFFORT_DEFAULT)
        return;
    jw_key(w, STR("thinkingConfig"));
    jw_object(w);
    jw_kbool(w, "includeThoughts", effort != EFFORT_NONE);
    if (!is_three(a))
        jw_kint(w, "thinkingBudget", effort == EFFORT_NONE && !flash ? 128 : tokens[effort]);
    else if (effort == EFFORT_MEDIUM && flash)
        jw_kstr(w, "thinkingLevel", STR("medium"));
    else
        jw_kstr(w, "thinkingLevel", effort >= EFFORT_MEDIUM ? STR("high") : STR("low"));
    jw_object_end(w);
}

static void write_config(const struct model_call *a, struct jw *w)
{
    jw_key(w, STR("generationConfig"));
    jw_object(w);
    if (a->req->max_tokens)
        jw_kint(w, "maxOutputTokens", a->req->max_tokens);
    if (a->req->temperature >= 0) {
        jw_key(w, STR("temperature"));
        jw_double(w, a->req->temperature);
    }
    write_thinking(a, w);
    jw_object_end(w);
}

static void gemini_body(const struct model_call *a, struct jw *w)
{
    jw_object(w);
    if (a->req->system.n) {
        jw_key(w, STR("systemInstruction"));
        jw_object(w);
        jw_key(w, STR("parts"));
        jw_array(w);
        jw_object(w);
        jw_kstr(w, "text", a->req->system);
        jw_object_end(w);
        jw_array_end(w);
        jw_object_end(w);
    }
    write_tools(a, w);
    write_contents(a, w);
    write_config(a, w);
    jw_object_end(w);
}

/* ---- the stream ----------------------------------------------------------------------------- */

/* The newest block if this text continues it, else a new key. */
static int64_t text_key(const struct reply *r, enum block_kind kind)
{
    const struct reply_block *last = r->blocks ? &r->block[r->blocks - 1] : NULL;

    if (last && last->b.kind == kind && !last->b.sealed.p)
        return last->key;
    return (int64_t)r->blocks;
}

static bool add_text(struct reply *r, struct arena *scratch, struct json part, struct err *e)
{
    struct str text = member_delta(scratch, part, "text");

    if (json_true(json_get(part, STR("thought"))))
        return reply_thought(r, text_key(r, BLOCK_THOUGHT), text, e);
    return reply_text(r, text_key(r, BLOCK_TEXT), text, e);
}

static bool add_call(struct reply *r, struct arena *scratch, struct json call, struct err *e)
{
    int64_t key = (int64_t)r->blocks;
    struct json id = json_get(call, STR("id"));
    struct str seal;

    if (!reply_call(r, key, json_str(scratch, id), member(scratch, call, "name"), e) ||
        !reply_args(r, key, json_raw(json_get(call, STR("args"))), e))
        return false;
    if (json_type(id) != JSON_STRING)
        return true;
    seal = arena_printf(scratch, "{\"id\":" STR_FMT "}", STR_ARG(json_raw(id)));
    return reply_seal(r, &r->block[r->blocks - 1], seal, e);
}

/* Has the last block no signature yet? It may have an id. */
static bool can_sign(const struct reply *r)
{
    const struct block *last = r->blocks ? &r->block[r->blocks - 1].b : NULL;

    return last && (!last->sealed.p || str_find(last->sealed, STR("\"thoughtSignature\":")) < 0);
}

/* A signature may arrive with an empty text after the part that it signs. */
static bool add_seal(struct reply *r, struct arena *scratch, struct json part, struct err *e)
{
    struct json sign = json_get(part, STR("thoughtSignature"));
    struct str before, seal;
    struct reply_block *b;

    if (json_type(sign) != JSON_STRING)
        return true;
    if (!can_sign(r) && !reply_add(r, BLOCK_TEXT, (int64_t)r->blocks, e))
        return false;
    b = &r->block[r->blocks - 1];
    before = b->b.sealed.n ? str_head(b->b.sealed, b->b.sealed.n - 1) : STR("{");
    seal = arena_printf(scratch, STR_FMT "%s\"thoughtSignature\":" STR_FMT "}", STR_ARG(before),
                        before.n > 1 ? "," : "", STR_ARG(json_raw(sign)));
    return reply_seal(r, b, seal, e);
}

static bool add_part(struct reply *r, struct arena *scratch, struct json part, struct err *e)
{
    struct json call = json_get(part, STR("functionCall"));
    struct json media = json_get(part, STR("inlineData"));
    bool ok;

    if (json_here(call))
        ok = add_call(r, scratch, call, e);
    else if (json_here(media))
        ok = reply_media(r, member(scratch, media, "mimeType"), member(scratch, media, "data"), e);
    else
        ok = add_text(r, scratch, part, e);
    return ok && add_seal(r, scratch, part, e);
}

static bool note_stop(struct reply *r, struct json reason, struct err *e)
{
    static const struct {
        const char *name;
        enum model_stop stop;
    } reasons[] = {
        { "MAX_TOKENS", STOP_LENGTH },          { "SAFETY", STOP_REFUSED },
        { "RECITATION", STOP_REFUSED },         { "LANGUAGE", STOP_REFUSED },
        { "BLOCKLIST", STOP_REFUSED },          { "SPII", STOP_REFUSED },
        { "PROHIBITED_CONTENT", STOP_REFUSED }, { "IMAGE_SAFETY", STOP_REFUSED },
    };

    if (json_type(reason) != JSON_STRING)
        return true;
    if (json_is(reason, STR("MALFORMED_FUNCTION_CALL")) ||
        json_is(reason, STR("UNEXPECTED_TOOL_CALL")))
        return fail(e, ERR_INVALID, "the model wrote a malformed call");
    reply_stop(r, STOP_END);
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (json_is(reason, str_of(reasons[i].name)))
            reply_stop(r, reasons[i].stop);
    return true;
}

/* Each event reports the totals; the last one is used. */
static void note_usage(struct reply *r, struct json usage)
{
    int64_t thinking = count_at(usage, "thoughtsTokenCount");

    if (json_type(usage) == JSON_OBJECT)
        r->turn->usage = (struct model_usage){
            .input = count_at(usage, "promptTokenCount"),
            .output = count_at(usage, "candidatesTokenCount") + thinking,
            .cache_read = count_at(usage, "cachedContentTokenCount"),
            .thinking = thinking,
        };
}

static bool gemini_event(struct reply *r, struct arena *scratch, struct str name, struct json data,
                         struct err *e)
{
    struct json one = json_first(json_get(data, STR("candidates")));
    struct json block = json_get(json_get(data, STR("promptFeedback")), STR("blockReason"));

    (void)name;
    if (json_type(data) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "expected an object with candidates");
    reply_model(r, member(scratch, data, "modelVersion"));
    note_usage(r, json_get(data, STR("usageMetadata")));
    if (json_here(block))
        reply_stop(r, STOP_REFUSED);
    JSON_EACH(part, json_get(json_get(one, STR("content")), STR("parts")))
    {
        if (!add_part(r, scratch, part, e))
            return false;
    }
    return note_stop(r, json_get(one, STR("finishReason")), e);
}

const struct format gemini_format = {
    .key_header = "x-goog-api-key",
    .key_prefix = "",
    .url = gemini_url,
    .body = gemini_body,
    .event = gemini_event,
};
