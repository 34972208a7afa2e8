/* ask_user.c - the tool with which an agent asks the user a question. */
#include "tool/tool_job.h"
#include "tool/tools.h"

struct ask_user_args {
    struct str question;
    struct pick_strs options;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("question", PICK_STR, struct ask_user_args, question, PICK_MUST),
    PICK_FIELD("options", PICK_STRS, struct ask_user_args, options, 0),
};

enum { OPTIONS_MOST = 100 };

/* A form with one field. */
static struct str form(struct call *call, const struct ask_user_args *args)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "message", args->question);
    jw_plain_key(&w, STR("requestedSchema"));
    jw_object(&w);
    jw_kstr(&w, "type", STR("object"));
    jw_plain_key(&w, STR("properties"));
    jw_object(&w);
    jw_plain_key(&w, STR("answer"));
    jw_object(&w);
    jw_kstr(&w, "type", STR("string"));
    jw_kstr(&w, "title", STR("Answer"));
    if (args->options.n) {
        jw_plain_key(&w, STR("enum"));
        jw_array(&w);
        for (size_t i = 0; i < args->options.n; i++)
            jw_str(&w, args->options.v[i]);
        jw_array_end(&w);
    }
    jw_object_end(&w);
    jw_object_end(&w);
    jw_kraw(&w, "required", STR("[\"answer\"]"));
    jw_object_end(&w);
    jw_object_end(&w);
    return out.full ? STR_NONE : buf_str(&out);
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    const struct ask *ask = (const struct ask *)(const void *)op;
    struct call *call = ctx;
    struct json answer = json_get(json_get(ask->answer, STR("content")), STR("answer"));

    if (e && e->code == ERR_CANCELED) {
        call_done(call); /* the call knows that it was cancelled */
    } else if (e) {
        call_failed(call, "no one answered: %.200s", e->text);
    } else if (json_is(json_get(ask->answer, STR("action")), STR("decline"))) {
        call_failed(call, "the user declined to answer");
    } else if (json_type(answer) != JSON_STRING) {
        call_failed(call, "the user gave no answer");
    } else {
        call_text(call, json_str(call->mem, answer));
        call_done(call);
    }
}

static void start(struct call *call)
{
    struct ask_user_args args = { 0 };
    struct str params;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    if (!str_trim(args.question).n)
        call_failed(call, "question: must not be empty");
    else if (args.options.n > OPTIONS_MOST)
        call_failed(call, "options: at most %d", (int)OPTIONS_MOST);
    else if (!call_can_ask(call, ASK_FORM))
        call_failed(call, "no user is available: continue with what you know, or say in your "
                          "answer what you need to know");
    else if (!(params = form(call, &args)).p)
        call_failed(call, "the question is too long");
    else
        call_ask(call, ARENA_NEW(call->mem, struct ask), ASK_FORM, STR("ask_user"), params,
                 on_answer, call);
}

const struct tool tool_ask_user = {
    .name = "ask_user",
    .title = "Ask the user",
    .description = "Ask the user a question and wait for the answer. Ask only what you can neither "
                   "find out nor decide yourself.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"question\":{\"type\":\"string\",\"minLength\":1},"
                    "\"options\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
                    "\"maxItems\":100,\"description\":\"Answers to choose from.\"}},"
                    "\"required\":[\"question\"]}",
    .kind = TOOL_THINK,
    .read_only = true,
    .start = start,
};
