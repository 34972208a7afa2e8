#include "proto/a2a/server/a2a_question.h"

#include "core/guard/permission_option.h"
#include "core/tool/caller.h"

/* ---- questions ------------------------------------------------------------------------------- */

static const struct json_opts params_opts = { .max_depth = JSON_DEPTH_CEILING,
                                              .max_values = UINT32_MAX };

/* A schema without a choice adds nothing to the text. */
static struct str schema_of(struct arena *mem, enum ask_kind kind, struct json params)
{
    struct json schema = json_get(params, STR("requestedSchema"));

    if (kind == ASK_PERMISSION && json_here(json_get(params, STR("options"))))
        return permission_schema(mem, json_get(params, STR("options")));
    return json_count(json_get(schema, STR("properties"))) ? arena_str(mem, json_raw(schema))
                                                           : STR_NONE;
}

static struct str words_of(struct arena *mem, enum ask_kind kind, struct json params)
{
    struct str message = json_str(mem, json_get(params, STR("message"))),
               url = json_str(mem, json_get(params, STR("url")));

    if (!message.n)
        message = STR("The agent has a question.");
    if (kind == ASK_URL && url.n)
        return arena_printf(mem, STR_FMT "\n" STR_FMT, STR_ARG(message), STR_ARG(url));
    return arena_str(mem, message);
}

struct a2a_message a2a_question_message(struct arena *mem, enum ask_kind kind, struct str params)
{
    struct block *part = ARENA_ARRAY(mem, struct block, 2);
    struct json root = { 0 };
    struct err ignored;
    struct str schema;

    if (!json_read(mem, arena_str(mem, params), &params_opts, &root, &ignored))
        root = (struct json){ 0 };
    schema = schema_of(mem, kind, root);
    part[0] = (struct block){ .kind = BLOCK_TEXT, .text = words_of(mem, kind, root) };
    part[1] = (struct block){ .kind = BLOCK_TEXT, .text = schema, .is_data = true };
    return (struct a2a_message){ .from_agent = true, .parts = { part, schema.n ? 2 : 1 } };
}

/* ---- answers --------------------------------------------------------------------------------- */

enum answer_action { ANSWER_UNCLEAR, ANSWER_ACCEPT, ANSWER_ALWAYS, ANSWER_DECLINE };

struct answer {
    enum answer_action action;
    struct str content; /* raw JSON object; STR_NONE: none */
    struct str option;  /* the id of an option; STR_NONE: none */
};

static enum answer_action word_of(struct str text)
{
    static const struct {
        struct str word;
        enum answer_action action;
    } rows[] = {
        { { "yes", 3 }, ANSWER_ACCEPT },      { { "y", 1 }, ANSWER_ACCEPT },
        { { "allow", 5 }, ANSWER_ACCEPT },    { { "ok", 2 }, ANSWER_ACCEPT },
        { { "always", 6 }, ANSWER_ALWAYS },   { { "no", 2 }, ANSWER_DECLINE },
        { { "n", 1 }, ANSWER_DECLINE },       { { "deny", 4 }, ANSWER_DECLINE },
        { { "decline", 7 }, ANSWER_DECLINE },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_eq_nocase(str_trim(text), rows[i].word))
            return rows[i].action;
    return ANSWER_UNCLEAR;
}

static struct str quoted(struct arena *mem, struct str text)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, 6 * text.n + 2);
    jw_str(&w, text);
    return buf_str(&out);
}

/* A text as a value of the type that the schema of a field names. */
static struct str value_of(struct arena *mem, struct json field, struct str text)
{
    struct json type = json_get(field, STR("type")), number;
    struct err ignored;

    if (json_is(type, STR("boolean"))) {
        enum answer_action word = word_of(text);

        if (str_eq_nocase(text, STR("true")) || word == ANSWER_ACCEPT)
            return STR("true");
        return str_eq_nocase(text, STR("false")) || word == ANSWER_DECLINE ? STR("false")
                                                                           : STR_NONE;
    }
    if (json_is(type, STR("number")) || json_is(type, STR("integer")))
        return json_read(mem, text, &params_opts, &number, &ignored) &&
                       json_type(number) == JSON_NUMBER
                   ? text
                   : STR_NONE;
    return quoted(mem, text);
}

static struct answer answer_form(struct arena *mem, struct json params, struct str text)
{
    struct json fields = json_get(json_get(params, STR("requestedSchema")), STR("properties")),
                name = json_first(fields);
    struct str value;

    if (str_eq_nocase(str_trim(text), STR("decline")))
        return (struct answer){ .action = ANSWER_DECLINE };
    if (!json_count(fields))
        return (struct answer){ .action = word_of(text) == ANSWER_DECLINE ? ANSWER_DECLINE
                                                                          : ANSWER_ACCEPT,
                                .content = STR("{}") };
    if (json_count(fields) > 1)
        return (struct answer){ 0 };
    value = value_of(mem, json_value(name), str_trim(text));
    if (!value.n)
        return (struct answer){ 0 };
    return (struct answer){ .action = ANSWER_ACCEPT,
                            .content = arena_printf(mem, "{%.*s:" STR_FMT "}",
                                                    STR_ARG(quoted(mem, json_str(mem, name))),
                                                    STR_ARG(value)) };
}

/* The id of one of the options, or a word. */
static struct answer answer_permission(struct arena *mem, struct json params, struct str text)
{
    JSON_EACH(option, json_get(params, STR("options")))
    {
        struct str id = json_str(mem, json_get(option, STR("id")));

        if (id.n && str_eq(id, str_trim(text)))
            return (struct answer){ .action = ANSWER_ACCEPT, .option = id };
    }
    return (struct answer){ .action = word_of(text) };
}

static struct answer answer_data(struct arena *mem, enum ask_kind kind, struct str data)
{
    struct json v, option, action;
    struct err ignored;

    if (!json_read(mem, data, &params_opts, &v, &ignored) || json_type(v) != JSON_OBJECT)
        return (struct answer){ 0 };
    action = json_get(v, STR("action"));
    if (json_is(action, STR("decline")) || json_is(action, STR("cancel")))
        return (struct answer){ .action = ANSWER_DECLINE };
    if (json_is(action, STR("accept")) && json_type(json_get(v, STR("content"))) == JSON_OBJECT)
        v = json_get(v, STR("content"));
    option = json_get(v, STR("option"));
    if (kind == ASK_PERMISSION)
        return (struct answer){ .action = json_type(option) == JSON_STRING ? ANSWER_ACCEPT
                                                                           : ANSWER_UNCLEAR,
                                .option = json_str(mem, option) };
    return (struct answer){ .action = ANSWER_ACCEPT, .content = json_raw(v) };
}

static struct answer answer_text(struct arena *mem, enum ask_kind kind, struct json params,
                                 struct str text)
{
    if (kind == ASK_PERMISSION)
        return answer_permission(mem, params, text);
    if (kind == ASK_URL)
        return (struct answer){ .action = word_of(text) == ANSWER_DECLINE ? ANSWER_DECLINE
                                                                          : ANSWER_ACCEPT };
    return answer_form(mem, params, text);
}

static struct str write_answer(struct arena *mem, const struct answer *a, struct str client)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, a->content.n + client.n + a->option.n * 6 + 256);
    jw_object(&w);
    jw_kplain(&w, "action", a->action == ANSWER_DECLINE ? STR("decline") : STR("accept"));
    if (a->option.n)
        jw_kstr(&w, "option", a->option);
    if (a->action == ANSWER_ALWAYS)
        jw_kraw(&w, "content", STR("{\"always\":true}"));
    else if (a->action == ANSWER_ACCEPT)
        jw_kraw(&w, "content", a->content);
    jw_kraw(&w, "client", client);
    jw_object_end(&w);
    return buf_str(&out);
}

static const struct block *find_data(struct blocks parts)
{
    for (size_t i = 0; i < parts.n; i++)
        if (parts.v[i].is_data)
            return &parts.v[i];
    return NULL;
}

bool a2a_question_answer(struct arena *mem, const struct limits *limits,
                         const struct task_info *task, const struct a2a_message *message,
                         struct str client, struct str *out_key, struct json *out)
{
    const struct block *data = find_data(message->parts);
    enum ask_kind kind = ASK_FORM;
    struct json asks, key, ask;
    struct answer a;
    struct err ignored;

    (void)limits;
    if (!task->asks.n || !json_read(mem, task->asks, &params_opts, &asks, &ignored))
        return false;
    key = json_first(asks);
    if (!json_here(key))
        return false;
    ask = json_value(key);
    ask_kind_named(json_str(mem, json_get(ask, STR("kind"))), &kind);
    a = data ? answer_data(mem, kind, data->text)
             : answer_text(mem, kind, json_get(ask, STR("params")),
                           blocks_words(mem, message->parts));
    *out_key = json_str(mem, key);
    return a.action != ANSWER_UNCLEAR &&
           json_read(mem, write_answer(mem, &a, client), &params_opts, out, &ignored);
}
