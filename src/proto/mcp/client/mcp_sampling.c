/* mcp_sampling.c - read the params and write the result of sampling/createMessage. */
#include "proto/mcp/client/mcp_sampling.h"

#include "base/pick.h"

/* ---- the request ----------------------------------------------------------------------------- */

struct params {
    struct json messages;
    struct str system;
    int64_t max_tokens;
    double temperature;
};

static const struct pick param_fields[] = {
    PICK_FIELD("messages", PICK_ARRAY, struct params, messages, PICK_MUST),
    PICK_FIELD("systemPrompt", PICK_STR, struct params, system, 0),
    PICK_RANGE("maxTokens", struct params, max_tokens, PICK_MUST, 1, INT64_MAX),
    PICK_FIELD("temperature", PICK_DOUBLE, struct params, temperature, 0),
};

static bool read_block(struct arena *mem, struct json v, struct block *out, struct err *e)
{
    struct json type = json_get(v, STR("type"));

    if (json_is(type, STR("text"))) {
        *out =
            (struct block){ .kind = BLOCK_TEXT, .text = json_str(mem, json_get(v, STR("text"))) };
        return out->text.p || json_fail(v, e, "text: expected a string");
    }
    if (!json_is(type, STR("image")) && !json_is(type, STR("audio")))
        return json_fail(v, e, "expected text, image or audio");
    *out = (struct block){ .kind = BLOCK_MEDIA,
                           .type = json_str(mem, json_get(v, STR("mimeType"))),
                           .data = json_str(mem, json_get(v, STR("data"))) };
    return (out->type.p && out->data.p) || json_fail(v, e, "expected mimeType and data");
}

/* The content is one block or, since MCP 2025-11-25, an array of blocks. */
static bool read_message(struct arena *mem, struct json v, struct message *out, struct err *e)
{
    struct json content = json_get(v, STR("content"));
    bool many = json_type(content) == JSON_ARRAY;
    size_t n = many ? json_count(content) : 1, i = 0;
    struct block *b = ARENA_ARRAY(mem, struct block, n ? n : 1);

    *out = (struct message){ json_is(json_get(v, STR("role")), STR("assistant")) ? ROLE_ASSISTANT
                                                                                 : ROLE_USER,
                             b, n };
    if (!many)
        return read_block(mem, content, b, e);
    JSON_EACH(block, content)
    {
        if (!read_block(mem, block, &b[i++], e))
            return false;
    }
    return true;
}

static bool read_request(struct arena *mem, struct json params, struct model_request *out,
                         struct err *e)
{
    struct params p = { .temperature = -1 };
    struct message *m;
    size_t n = 0;

    if (!pick(mem, params, PICK_TABLE(param_fields), PICK_LENIENT, &p, e))
        return false;
    if (!json_count(p.messages))
        return json_fail(p.messages, e, "expected at least one message");
    m = ARENA_ARRAY(mem, struct message, json_count(p.messages));
    JSON_EACH(v, p.messages)
    {
        if (!read_message(mem, v, &m[n++], e))
            return false;
    }
    *out = (struct model_request){
        .system = p.system,
        .message = m,
        .messages = n,
        .max_tokens = p.max_tokens,
        .temperature = p.temperature,
    };
    return true;
}

/* ---- the result ------------------------------------------------------------------------------ */

static struct str text_of(struct arena *mem, const struct message *m)
{
    struct str text = STR("");

    for (size_t i = 0; i < m->blocks; i++)
        if (m->block[i].kind == BLOCK_TEXT)
            text = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(text), STR_ARG(m->block[i].text));
    return text;
}

static void write_result(struct jw *w, struct arena *mem, const struct model_turn *t)
{
    jw_object(w);
    jw_kstr(w, "role", STR("assistant"));
    jw_plain_key(w, STR("content"));
    jw_object(w);
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", text_of(mem, &t->answer));
    jw_object_end(w);
    jw_kstr(w, "model", t->model.n ? t->model : t->request->model);
    jw_kstr(w, "stopReason", t->stop == STOP_LENGTH ? STR("maxTokens") : STR("endTurn"));
    jw_object_end(w);
}

const struct sampling_codec mcp_sampling_codec = { .read = read_request, .write = write_result };
