#include "fixtures.h"

#include "base/container.h"

#define OBJECT "{\"type\":\"object\"}"

/* Where changes are told; one world runs at a time. */
static struct offer_source *source;

/* ---- telling ------------------------------------------------------------------------------ */

/* Progress that stands still is not told; a note is quieter than a warning. */
static void start_steps(struct call *call)
{
    static const char *const done[] = { "0", "1", "1", "2.5" };

    for (size_t i = 0; i < ARRAY_LEN(done); i++)
        call_progress(call, &(struct progress){ str_of(done[i]), STR("3"), STR("on it") });
    call_log(call, CALL_DEBUG, STR_NONE, STR("\"a detail\""));
    call_log(call, CALL_WARNING, STR("steps"), STR("{\"left\":0.5}"));
    call_text(call, STR("done"));
    call_done(call);
}

/* Never ends by itself. */
static void start_endless(struct call *call)
{
    (void)call;
}

static void start_trace(struct call *call)
{
    struct trace *t = &call->caller->trace;

    call_text(call, arena_printf(call->mem, "%d " STR_FMT " " STR_FMT, t->depth,
                                 STR_ARG(t->id.p ? t->id : STR("none")),
                                 STR_ARG(t->parent.p ? t->parent : STR("none"))));
    call_done(call);
}

/* ---- asking ------------------------------------------------------------------------------- */

#define FORM(message, field)                                                                       \
    STR("{\"message\":\"" message "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"   \
        "\"" field "\":{\"type\":\"string\"}},\"required\":[\"" field "\"]}}")

struct asking {
    struct ask first, second, third;
    int open;
};

static struct str field_of(const struct ask *ask, const char *name)
{
    struct str text =
        json_str(ask->call->mem, json_get(json_get(ask->answer, STR("content")), str_of(name)));

    return text.p ? text : STR("nobody");
}

static void on_named(struct op *op, const struct err *e, void *ctx)
{
    struct ask *ask = CONTAINER_OF(op, struct ask, op);

    if (e)
        call_failed(ctx, "%s", e->text);
    else {
        call_text(ctx, arena_printf(ask->call->mem, "Hello, " STR_FMT "!",
                                    STR_ARG(field_of(ask, "name"))));
        call_done(ctx);
    }
}

static void start_ask_name(struct call *call)
{
    struct asking *a = call->data = ARENA_NEW(call->mem, struct asking);

    call_ask(call, &a->first, ASK_FORM, STR("user_name"), FORM("Who?", "name"), on_named, call);
}

static void on_visited(struct op *op, const struct err *e, void *ctx)
{
    struct ask *ask = CONTAINER_OF(op, struct ask, op);

    if (e)
        call_failed(ctx, "%s", e->text);
    else {
        call_text(ctx, json_raw(json_get(ask->answer, STR("action"))));
        call_done(ctx);
    }
}

static void start_ask_page(struct call *call)
{
    struct asking *a = call->data = ARENA_NEW(call->mem, struct asking);

    call_ask(call, &a->first, ASK_URL, STR("page"),
             STR("{\"message\":\"Look\",\"url\":\"https://x.example/\",\"elicitationId\":\"e1\"}"),
             on_visited, call);
}

static void on_one_of_three(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;
    struct asking *a = call->data;

    (void)op;
    if (e)
        call_failed(call, "%s", e->text);
    else if (--a->open == 0) {
        call_text(call, arena_printf(call->mem, STR_FMT "; %zu roots; " STR_FMT,
                                     STR_ARG(field_of(&a->first, "name")),
                                     json_count(json_get(a->third.answer, STR("roots"))),
                                     STR_ARG(json_raw(json_get(a->second.answer, STR("model"))))));
        call_done(call);
    }
}

static void start_ask_three(struct call *call)
{
    struct asking *a = call->data = ARENA_NEW(call->mem, struct asking);

    a->open = 3;
    call_ask(call, &a->first, ASK_FORM, STR("user_name"), FORM("Who?", "name"), on_one_of_three,
             call);
    call_ask(call, &a->second, ASK_SAMPLE, STR("greeting"),
             STR("{\"messages\":[],\"maxTokens\":9}"), on_one_of_three, call);
    call_ask(call, &a->third, ASK_ROOTS, STR("roots"), STR("{}"), on_one_of_three, call);
}

static void on_second_step(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;
    struct asking *a = call->data;

    (void)op;
    if (e) {
        call_failed(call, "%s", e->text);
        return;
    }
    call_progress(call, &(struct progress){ STR("2"), STR_NONE, STR_NONE });
    call_text(call, arena_printf(call->mem, STR_FMT " likes " STR_FMT,
                                 STR_ARG(field_of(&a->first, "name")),
                                 STR_ARG(field_of(&a->second, "color"))));
    call_done(call);
}

static void on_first_step(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;
    struct asking *a = call->data;

    (void)op;
    if (e)
        call_failed(call, "%s", e->text);
    else
        call_ask(call, &a->second, ASK_FORM, STR("step2"), FORM("Which color?", "color"),
                 on_second_step, call);
}

static void start_two_steps(struct call *call)
{
    struct asking *a = call->data = ARENA_NEW(call->mem, struct asking);

    call_progress(call, &(struct progress){ STR("1"), STR_NONE, STR_NONE });
    call_ask(call, &a->first, ASK_FORM, STR("step1"), FORM("Who?", "name"), on_first_step, call);
}

static void start_needs_model(struct call *call)
{
    if (call_can_ask(call, ASK_SAMPLE))
        call_done(call);
    else
        call_lacks(call, ASK_SAMPLE);
}

/* ---- forwarding --------------------------------------------------------------------------- */

static void start_forward(struct call *call)
{
    call_forward(call, STR("{\"content\":[],\"odd\":1e400}"), STR_NONE);
}

static void start_forward_empty(struct call *call)
{
    call_forward(call, STR("{}"), STR_NONE);
}

static void start_forward_whole(struct call *call)
{
    call_forward(call, STR("{\"resultType\":\"complete\",\"content\":[],\"_meta\":{}}"), STR_NONE);
}

static void start_forward_error(struct call *call)
{
    call_forward(call, STR_NONE,
                 STR("{\"code\":-32002,\"message\":\"gone\",\"data\":{\"uri\":\"a:b\"}}"));
}

static void start_forward_hop_error(struct call *call)
{
    struct json code = json_get(call->args, STR("code"));

    call_forward(call, STR_NONE,
                 arena_printf(call->mem, "{\"code\":" STR_FMT ",\"message\":\"not able\"}",
                              STR_ARG(json_here(code) ? json_raw(code) : STR("-32021"))));
}

static void start_blocks(struct call *call)
{
    call_block(call, STR("{\"type\":\"audio\",\"data\":\"AA==\",\"mimeType\":\"audio/wav\"}"));
    call_block(call, STR("{\"type\":\"resource_link\",\"uri\":\"fix://a\",\"name\":\"a\"}"));
    call_text(call, STR("and words"));
    call_done(call);
}

/* ---- changing ----------------------------------------------------------------------------- */

static void start_change(struct call *call)
{
    struct str what = json_str(call->mem, json_get(call->args, STR("what")));

    if (str_eq(what, STR("tools")))
        offer_source_changed(source, OFFER_TOOLS);
    else if (str_eq(what, STR("prompts")))
        offer_source_changed(source, OFFER_PROMPTS);
    else if (str_eq(what, STR("resources")))
        offer_source_changed(source, OFFER_RESOURCES);
    else
        offer_source_updated(source, what);
    call_text(call, STR("changed"));
    call_done(call);
}

#define TOOL(tool_name, fn)                                                                        \
    static const struct tool tool_##fn = { .name = tool_name,                                      \
                                           .description = "For tests.",                            \
                                           .input_schema = OBJECT,                                 \
                                           .annotations = "{\"readOnlyHint\":true}",               \
                                           .start = start_##fn }

TOOL("steps", steps);
TOOL("endless", endless);
TOOL("trace", trace);
TOOL("ask_name", ask_name);
TOOL("ask_page", ask_page);
TOOL("ask_three", ask_three);
TOOL("two_steps", two_steps);
TOOL("needs_model", needs_model);
TOOL("forward", forward);
TOOL("forward_empty", forward_empty);
TOOL("forward_whole", forward_whole);
TOOL("forward_error", forward_error);
TOOL("forward_hop_error", forward_hop_error);
TOOL("blocks", blocks);
TOOL("change", change);

static const struct tool *const tools[] = {
    &tool_steps,
    &tool_endless,
    &tool_trace,
    &tool_ask_name,
    &tool_ask_page,
    &tool_ask_three,
    &tool_two_steps,
    &tool_needs_model,
    &tool_forward,
    &tool_forward_empty,
    &tool_forward_whole,
    &tool_forward_error,
    &tool_forward_hop_error,
    &tool_blocks,
    &tool_change,
};

/* ---- resources ---------------------------------------------------------------------------- */

static void put_contents(struct call *call, struct str text)
{
    struct buf block;
    struct jw w = jw_to(&block);

    buf_init_in(&block, call->mem, 4096);
    jw_object(&w);
    jw_kstr(&w, "uri", call->uri);
    jw_kstr(&w, "mimeType", STR("text/plain"));
    jw_kstr(&w, "text", text);
    jw_object_end(&w);
    call_block(call, buf_str(&block));
    call_done(call);
}

static void read_plain(struct call *call)
{
    put_contents(call, STR("plain"));
}

static void read_item(struct call *call)
{
    put_contents(call, json_str(call->mem, json_get(call->args, STR("id"))));
}

static void read_gone(struct call *call)
{
    call_broke(call, &(struct err){ ERR_NOT_FOUND, "it is gone" });
}

static void read_broken(struct call *call)
{
    call_failed(call, "half of it is missing");
}

static void on_password(struct op *op, const struct err *e, void *ctx)
{
    if (e)
        call_broke(ctx, e);
    else
        put_contents(ctx, field_of(CONTAINER_OF(op, struct ask, op), "password"));
}

static void read_locked(struct call *call)
{
    struct asking *a = ARENA_NEW(call->mem, struct asking);

    call_ask(call, &a->first, ASK_FORM, STR("key"), FORM("Password?", "password"), on_password,
             call);
}

static void complete_item(struct call *call)
{
    struct str value = json_str(call->mem, json_get(call->args, STR("value")));

    call_block(call, arena_printf(call->mem, "\"" STR_FMT "1\"", STR_ARG(value)));
    call_block(call, arena_printf(call->mem, "\"" STR_FMT "2\"", STR_ARG(value)));
    call_done(call);
}

static const struct resource plain = { .uri = "fix://plain",
                                       .name = "plain",
                                       .title = "Plain",
                                       .description = "Words.",
                                       .mime_type = "text/plain",
                                       .size = 5,
                                       .icons = "[{\"src\":\"data:,\"}]",
                                       .meta = "{\"a\":1}",
                                       .read = read_plain };
static const struct resource item = { .uri = "fix://item/{id}",
                                      .is_template = true,
                                      .name = "item",
                                      .read = read_item,
                                      .complete = complete_item };
static const struct resource gone = { .uri = "fix://gone", .name = "gone", .read = read_gone };
static const struct resource broken = { .uri = "fix://broken",
                                        .name = "broken",
                                        .read = read_broken };
static const struct resource locked = { .uri = "fix://locked",
                                        .name = "locked",
                                        .read = read_locked };
static const struct resource *const resources[] = { &plain, &item, &gone, &broken, &locked };

/* ---- prompts ------------------------------------------------------------------------------ */

static void put_message(struct call *call, struct str text)
{
    struct buf block;
    struct jw w = jw_to(&block);

    buf_init_in(&block, call->mem, 4096);
    jw_object(&w);
    jw_kstr(&w, "role", STR("user"));
    jw_key(&w, STR("content"));
    jw_object(&w);
    jw_kstr(&w, "type", STR("text"));
    jw_kstr(&w, "text", text);
    jw_object_end(&w);
    jw_object_end(&w);
    call_block(call, buf_str(&block));
    call_done(call);
}

static void get_greet(struct call *call)
{
    struct str ctx = json_str(call->mem, json_get(call->args, STR("who")));

    if (str_eq(ctx, STR("nobody")))
        call_failed(call, "there is nobody to greet");
    else
        put_message(call, arena_printf(call->mem, "Greet " STR_FMT ".", STR_ARG(ctx)));
}

/* One hundred and one of them. */
static void complete_greet(struct call *call)
{
    for (int i = 0; i < 101; i++)
        call_block(call, arena_printf(call->mem, "\"w%d\"", i));
    call_done(call);
}

static void on_context(struct op *op, const struct err *e, void *ctx)
{
    if (e)
        call_broke(ctx, e);
    else
        put_message(ctx, field_of(CONTAINER_OF(op, struct ask, op), "context"));
}

static void get_asking(struct call *call)
{
    struct asking *a = ARENA_NEW(call->mem, struct asking);

    call_ask(call, &a->first, ASK_FORM, STR("user_context"), FORM("Which?", "context"), on_context,
             call);
}

static const struct prompt greet = {
    .name = "greet",
    .title = "Greet",
    .description = "Greets.",
    .arguments = "[{\"name\":\"who\",\"required\":true},{\"name\":\"how\"}]",
    .get = get_greet,
    .complete = complete_greet,
};
/* Of the argument "ask" only the client knows. */
static void complete_asking(struct call *call)
{
    if (json_is(json_get(call->args, STR("name")), STR("ask")))
        get_asking(call);
    else
        call_done(call);
}

static const struct prompt asking = { .name = "asking",
                                      .get = get_asking,
                                      .complete = complete_asking };
static const struct prompt *const prompts[] = { &greet, &asking };

void fixtures_fill(struct offer_source *s)
{
    source = s;
    s->tool = tools;
    s->tools = ARRAY_LEN(tools);
    s->resource = resources;
    s->resources = ARRAY_LEN(resources);
    s->prompt = prompts;
    s->prompts = ARRAY_LEN(prompts);
}
