/*
 * fixture_asks.c - tools that ask: a person, a model, the client for its folders.
 *
 * A tool is a script (fixture.h). The questions of a round are open at once; when the last is
 * answered the next round begins, or the script finishes. One that failed ends the call.
 */
#include "fixture.h"

static struct offer_source source;

/* ---- running a script --------------------------------------------------------------------- */

static void begin_round(struct fixture_asking *a);

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct fixture_asking *a = ctx;

    (void)op;
    if (e && a->why.code == ERR_NONE)
        a->why = *e;
    if (--a->open)
        return;
    if (a->why.code != ERR_NONE)
        call_broke(a->call, &a->why);
    else if (++a->round < FIXTURE_ROUNDS && a->script->round[a->round][0].key)
        begin_round(a);
    else
        a->script->finish(a);
}

static struct str params_of(struct fixture_asking *a, const struct fixture_question *q)
{
    struct buf text;
    struct jw w = jw_to(&text);

    if (q->params)
        return str_of(q->params);
    buf_init_in(&text, a->call->mem, (size_t)a->call->host->limits->message_bytes);
    a->script->params(&w, fixture_arg(a->call, str_of(a->script->arg)));
    return buf_str(&text);
}

/* Answers come from the loop, so that none is there before all are asked. */
static void begin_round(struct fixture_asking *a)
{
    const struct fixture_question *q = a->script->round[a->round];

    for (size_t i = 0; i < FIXTURE_QUESTIONS && q[i].key; i++) {
        if (a->script->if_able && !call_can_ask(a->call, q[i].kind))
            continue;
        a->open++;
        call_ask(a->call, &a->ask[a->asked++], q[i].kind, str_of(q[i].key), params_of(a, &q[i]),
                 on_answer, a);
    }
    if (!a->open)
        a->script->finish(a);
}

/* Nothing is asked of a client that could not answer all of it. */
static bool refuse_unable(struct call *call, const struct fixture_script *s)
{
    for (size_t r = 0; r < FIXTURE_ROUNDS && !s->if_able; r++) {
        for (size_t i = 0; i < FIXTURE_QUESTIONS && s->round[r][i].key; i++) {
            if (call_can_ask(call, s->round[r][i].kind))
                continue;
            call_lacks(call, s->round[r][i].kind);
            return true;
        }
    }
    return false;
}

void fixture_ask(struct call *call)
{
    const struct fixture_script *s = call->ctx;
    struct fixture_asking *a;

    if (s->arg && !fixture_arg(call, str_of(s->arg)).p) {
        call_failed(call, "missing required argument \"%s\": expected a string", s->arg);
        return;
    }
    if (refuse_unable(call, s))
        return;
    a = ARENA_NEW(call->mem, struct fixture_asking);
    a->script = s;
    a->call = call;
    begin_round(a);
}

/* ---- reading answers ---------------------------------------------------------------------- */

struct str fixture_form_field(struct fixture_asking *a, size_t n, struct str name)
{
    struct json content = json_get(a->ask[n].answer, STR("content"));

    return json_str(a->call->mem, json_get(content, name));
}

static struct str raw_or(struct json v, struct str otherwise)
{
    return json_here(v) ? json_raw(v) : otherwise;
}

/* What the model said, of an answer with one block or a list of them. */
static struct str sampled_text(struct fixture_asking *a, size_t n)
{
    struct json content = json_get(a->ask[n].answer, STR("content"));
    struct str text;

    if (json_type(content) == JSON_ARRAY)
        content = json_first(content);
    text = json_str(a->call->mem, json_get(content, STR("text")));
    return text.p ? text : STR("(no text)");
}

static struct str root_names(struct fixture_asking *a, size_t n)
{
    struct json roots = json_get(a->ask[n].answer, STR("roots"));
    struct str all = STR("");

    JSON_EACH(root, roots)
    {
        struct str uri = json_str(a->call->mem, json_get(root, STR("uri")));

        all = arena_printf(a->call->mem, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                           STR_ARG(uri));
    }
    return all.n ? all : STR("(none)");
}

/* ---- finishing ---------------------------------------------------------------------------- */

static void finish_with(struct fixture_asking *a, struct str text)
{
    call_text(a->call, text);
    call_done(a->call);
}

static void finish_form(struct fixture_asking *a)
{
    struct json answer = a->ask[0].answer;
    struct str action = json_str(a->call->mem, json_get(answer, STR("action")));
    struct str content = raw_or(json_get(answer, STR("content")), STR("{}"));

    finish_with(a, arena_printf(a->call->mem, "%s: action=" STR_FMT ", content=" STR_FMT,
                                a->script->lead, STR_ARG(action), STR_ARG(content)));
}

static void finish_sampled(struct fixture_asking *a)
{
    struct str text = a->asked ? sampled_text(a, 0) : STR("(nobody could be asked)");

    finish_with(a, arena_printf(a->call->mem, "%s: " STR_FMT, a->script->lead, STR_ARG(text)));
}

static void finish_roots(struct fixture_asking *a)
{
    finish_with(a, arena_printf(a->call->mem, "Client roots: " STR_FMT, STR_ARG(root_names(a, 0))));
}

static void finish_hello(struct fixture_asking *a)
{
    struct str name = fixture_form_field(a, 0, STR("name"));

    finish_with(a, name.p ? arena_printf(a->call->mem, "Hello, " STR_FMT "!", STR_ARG(name))
                          : STR("No name was given."));
}

/* That we are here at all means that the state came back as it was. */
static void finish_state(struct fixture_asking *a)
{
    struct json ok = json_get(json_get(a->ask[0].answer, STR("content")), STR("ok"));

    finish_with(a, arena_printf(a->call->mem, "state-ok: %s",
                                json_true(ok) ? "confirmed" : "not confirmed"));
}

static void finish_several(struct fixture_asking *a)
{
    struct str name = fixture_form_field(a, 0, STR("name"));

    finish_with(
        a, arena_printf(a->call->mem, "name: " STR_FMT "; greeting: " STR_FMT "; roots: " STR_FMT,
                        STR_ARG(name), STR_ARG(sampled_text(a, 1)), STR_ARG(root_names(a, 2))));
}

static void finish_rounds(struct fixture_asking *a)
{
    struct str name = fixture_form_field(a, 0, STR("name"));
    struct str color = fixture_form_field(a, 1, STR("color"));

    finish_with(a, arena_printf(a->call->mem, STR_FMT " likes " STR_FMT ".", STR_ARG(name),
                                STR_ARG(color)));
}

/* ---- questions ---------------------------------------------------------------------------- */

#define FORM(message, properties, required)                                                        \
    "{\"message\":\"" message                                                                      \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties                      \
    "},\"required\":[" required "]}}"
#define ONE_STRING(name) "\"" name "\":{\"type\":\"string\"}"
#define ASK_NAME(message) FORM(message, ONE_STRING("name"), "\"name\"")
#define ASK_OK FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"")
#define ASK_MODEL(text, tokens)                                                                    \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text            \
    "\"}}],\"maxTokens\":" tokens "}"

#define ASK_CAPITAL ASK_MODEL("What is the capital of France?", "100")

#define DEFAULTS                                                                                   \
    "\"name\":{\"type\":\"string\",\"description\":\"User name\",\"default\":\"John Doe\"},"       \
    "\"age\":{\"type\":\"integer\",\"description\":\"User age\",\"default\":30},"                  \
    "\"score\":{\"type\":\"number\",\"description\":\"User score\",\"default\":95.5},"             \
    "\"status\":{\"type\":\"string\",\"description\":\"User status\","                             \
    "\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"                      \
    "\"verified\":{\"type\":\"boolean\",\"description\":\"Verification status\","                  \
    "\"default\":true}"

#define OPTIONS "\"enum\":[\"option1\",\"option2\",\"option3\"]"
#define TITLED                                                                                     \
    "[{\"const\":\"value1\",\"title\":\"First Option\"},"                                          \
    "{\"const\":\"value2\",\"title\":\"Second Option\"},"                                          \
    "{\"const\":\"value3\",\"title\":\"Third Option\"}]"
#define ENUMS                                                                                      \
    "\"untitledSingle\":{\"type\":\"string\"," OPTIONS "},"                                        \
    "\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLED "},"                                 \
    "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"                   \
    "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"                             \
    "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\"," OPTIONS "}},"          \
    "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":" TITLED "}}"

static void write_sampling(struct jw *w, struct str prompt)
{
    jw_object(w);
    jw_plain_key(w, STR("messages"));
    jw_array(w);
    jw_object(w);
    jw_kstr(w, "role", STR("user"));
    jw_plain_key(w, STR("content"));
    jw_object(w);
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", prompt);
    jw_object_end(w);
    jw_object_end(w);
    jw_array_end(w);
    jw_kint(w, "maxTokens", 100);
    jw_object_end(w);
}

static void write_user_form(struct jw *w, struct str message)
{
    jw_object(w);
    jw_kstr(w, "message", message);
    jw_kraw(w, "requestedSchema",
            STR("{\"type\":\"object\",\"properties\":{"
                "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
                "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
                "\"required\":[\"username\",\"email\"]}"));
    jw_object_end(w);
}

/* ---- the table ---------------------------------------------------------------------------- */

#define ONE_ARG(name, what)                                                                        \
    "{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"string\","                      \
    "\"description\":\"" what "\"}},\"required\":[\"" name "\"]}"
#define SCRIPT(...)                                                                                \
    (void *)&(const struct fixture_script)                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ROUND(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct tool tools[] = {
    { .name = "test_sampling",
      .description = "Asks the client's model",
      .input_schema = ONE_ARG("prompt", "What to ask the model"),
      .ctx = SCRIPT(.round = { ROUND({ ASK_SAMPLE, "sample", NULL }) }, .lead = "LLM response",
                    .arg = "prompt", .params = write_sampling, .finish = finish_sampled),
      .start = fixture_ask },
    { .name = "test_elicitation",
      .description = "Asks a person for a name and an address",
      .input_schema = ONE_ARG("message", "What to say to the person"),
      .ctx = SCRIPT(.round = { ROUND({ ASK_FORM, "user", NULL }) }, .lead = "User response",
                    .arg = "message", .params = write_user_form, .finish = finish_form),
      .start = fixture_ask },
    { .name = "test_elicitation_sep1034_defaults",
      .description = "Asks by a form with default values",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx =
          SCRIPT(.round = { ROUND({ ASK_FORM, "defaults",
                                    FORM("Please review and update the form fields with defaults",
                                         DEFAULTS, "") }) },
                 .lead = "Elicitation completed", .finish = finish_form),
      .start = fixture_ask },
    { .name = "test_elicitation_sep1330_enums",
      .description = "Asks by a form with choices of all kinds",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND(
                        { ASK_FORM, "choices",
                          FORM("Please select options from the enum fields", ENUMS, "") }) },
                    .lead = "Elicitation completed", .finish = finish_form),
      .start = fixture_ask },
    { .name = "test_streaming_elicitation",
      .description = "Asks a person while the answer is awaited",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_FORM, "confirm", ASK_OK }) }, .lead = "User response",
                    .finish = finish_form),
      .start = fixture_ask },
    { .name = "test_input_required_result_elicitation",
      .description = "Asks for a name and greets",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_FORM, "user_name", ASK_NAME("What is your name?") }) },
                    .finish = finish_hello),
      .start = fixture_ask },
    { .name = "test_input_required_result_sampling",
      .description = "Asks the client's model for a capital",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_SAMPLE, "capital_question", ASK_CAPITAL }) },
                    .lead = "LLM response", .finish = finish_sampled),
      .start = fixture_ask },
    { .name = "test_input_required_result_list_roots",
      .description = "Asks for the client's folders",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx =
          SCRIPT(.round = { ROUND({ ASK_ROOTS, "client_roots", "{}" }) }, .finish = finish_roots),
      .start = fixture_ask },
    { .name = "test_input_required_result_request_state",
      .description = "Asks for a confirmation and checks the state",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_FORM, "confirm", ASK_OK }) }, .finish = finish_state),
      .start = fixture_ask },
    { .name = "test_input_required_result_multiple_inputs",
      .description = "Asks three things at once",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND(
                        { ASK_FORM, "user_name", ASK_NAME("What is your name?") },
                        { ASK_SAMPLE, "greeting", ASK_MODEL("Generate a greeting", "50") },
                        { ASK_ROOTS, "client_roots", "{}" }) },
                    .finish = finish_several),
      .start = fixture_ask },
    { .name = "test_input_required_result_multi_round",
      .description = "Asks one thing after the other",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_FORM, "step1", ASK_NAME("Step 1: What is your name?") }),
                               ROUND({ ASK_FORM, "step2",
                                       FORM("Step 2: What is your favorite color?",
                                            ONE_STRING("color"), "\"color\"") }) },
                    .finish = finish_rounds),
      .start = fixture_ask },
    { .name = "test_input_required_result_tampered_state",
      .description = "Asks for a confirmation and takes no other state back",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_FORM, "confirm", ASK_OK }) }, .finish = finish_state),
      .start = fixture_ask },
    { .name = "test_input_required_result_capabilities",
      .description = "Asks only what the client says it can answer",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = SCRIPT(.round = { ROUND({ ASK_SAMPLE, "capital_question", ASK_CAPITAL },
                                     { ASK_FORM, "user_name", ASK_NAME("What is your name?") }) },
                    .if_able = true, .lead = "Answered", .finish = finish_sampled),
      .start = fixture_ask },
};

void fixture_asks_join(struct offer *o)
{
    static const struct tool *list[ARRAY_LEN(tools)];

    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        list[i] = &tools[i];
    source.tool = list;
    source.tools = ARRAY_LEN(tools);
    offer_join(o, &source);
}
