/* fixture_prompts.c - prompts: fixed, filled in, completed, and one that asks first. */
#include "fixture.h"

static struct offer_source source;

#define USER(content) "{\"role\":\"user\",\"content\":" content "}"
#define USER_TEXT(text) USER("{\"type\":\"text\",\"text\":\"" text "\"}")

static void add_user_text(struct call *call, struct str text)
{
    struct fixture_block b;

    fixture_block_begin(&b, call);
    jw_object(&b.w);
    jw_kstr(&b.w, "role", STR("user"));
    jw_plain_key(&b.w, STR("content"));
    jw_object(&b.w);
    jw_kstr(&b.w, "type", STR("text"));
    jw_kstr(&b.w, "text", text);
    jw_object_end(&b.w);
    jw_object_end(&b.w);
    fixture_block_end(&b);
}

/* False, and the call is over, without the argument. */
static bool need(struct call *call, struct str name, struct str *out)
{
    struct err e;

    *out = fixture_arg(call, name);
    if (out->p)
        return true;
    fail(&e, ERR_INVALID, "%s: the argument \"" STR_FMT "\" is missing", call->what, STR_ARG(name));
    call_broke(call, &e);
    return false;
}

/* ---- with arguments ----------------------------------------------------------------------- */

static void get_with_arguments(struct call *call)
{
    struct str one, two;

    if (!need(call, STR("arg1"), &one) || !need(call, STR("arg2"), &two))
        return;
    add_user_text(call,
                  arena_printf(call->mem,
                               "Prompt with arguments: arg1='" STR_FMT "', arg2='" STR_FMT "'",
                               STR_ARG(one), STR_ARG(two)));
    call_done(call);
}

static void complete_argument(struct call *call)
{
    static const char *const known[] = { "paris", "park", "party", "testValue1", "testValue2" };
    struct str begun = fixture_arg(call, STR("value"));

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_starts(str_of(known[i]), begun))
            call_block(call, arena_printf(call->mem, "\"%s\"", known[i]));
    call_done(call);
}

static void get_with_resource(struct call *call)
{
    struct fixture_block b;
    struct str uri;

    if (!need(call, STR("resourceUri"), &uri))
        return;
    fixture_block_begin(&b, call);
    jw_object(&b.w);
    jw_kstr(&b.w, "role", STR("user"));
    jw_plain_key(&b.w, STR("content"));
    jw_object(&b.w);
    jw_kstr(&b.w, "type", STR("resource"));
    jw_plain_key(&b.w, STR("resource"));
    jw_object(&b.w);
    jw_kstr(&b.w, "uri", uri);
    jw_kstr(&b.w, "mimeType", STR("text/plain"));
    jw_kstr(&b.w, "text", STR("Embedded resource content for testing."));
    jw_object_end(&b.w);
    jw_object_end(&b.w);
    jw_object_end(&b.w);
    fixture_block_end(&b);
    add_user_text(call, STR("Please process the embedded resource above."));
    call_done(call);
}

/* ---- with a question ---------------------------------------------------------------------- */

static void finish_context(struct fixture_asking *a)
{
    struct str context = fixture_form_field(a, 0, STR("context"));

    add_user_text(a->call, context.p ? arena_printf(a->call->mem, "Use this context: " STR_FMT,
                                                    STR_ARG(context))
                                     : STR("Use no context: none was given."));
    call_done(a->call);
}

static const struct fixture_script context_script = {
    .round = { { { ASK_FORM, "user_context",
                   "{\"message\":\"What context should the prompt use?\",\"requestedSchema\":{"
                   "\"type\":\"object\",\"properties\":{\"context\":{\"type\":\"string\"}},"
                   "\"required\":[\"context\"]}}" } } },
    .finish = finish_context,
};

/* ---- the table ---------------------------------------------------------------------------- */

/* Everything but the last is there from the start. */
static const struct prompt prompts[] = {
    { .name = "test_simple_prompt",
      .description = "One message, always the same",
      .ctx = FIXTURE_BLOCKS(USER_TEXT("This is a simple prompt for testing.")),
      .get = fixture_fixed },
    { .name = "test_prompt_with_arguments",
      .description = "A message with two arguments in it",
      .arguments =
          "[{\"name\":\"arg1\",\"description\":\"First test argument\",\"required\":true},"
          "{\"name\":\"arg2\",\"description\":\"Second test argument\",\"required\":true}]",
      .get = get_with_arguments,
      .complete = complete_argument },
    { .name = "test_prompt_with_embedded_resource",
      .description = "A resource and what to do with it",
      .arguments = "[{\"name\":\"resourceUri\",\"description\":\"URI of the resource to embed\","
                   "\"required\":true}]",
      .get = get_with_resource },
    { .name = "test_prompt_with_image",
      .description = "A picture and what to do with it",
      .ctx = FIXTURE_BLOCKS(USER(FIXTURE_IMAGE), USER_TEXT("Please analyze the image above.")),
      .get = fixture_fixed },
    { .name = "test_input_required_result_prompt",
      .description = "Asks for a context first",
      .ctx = (void *)&context_script,
      .get = fixture_ask },
    { .name = "test_dynamic_prompt",
      .description = "Comes and goes",
      .ctx = FIXTURE_BLOCKS(USER_TEXT("This prompt is here for now.")),
      .get = fixture_fixed },
};

void fixture_prompts_change(void)
{
    source.prompts =
        source.prompts == ARRAY_LEN(prompts) ? ARRAY_LEN(prompts) - 1 : ARRAY_LEN(prompts);
    offer_source_changed(&source, OFFER_PROMPTS);
}

void fixture_prompts_join(struct offer *o)
{
    static const struct prompt *list[ARRAY_LEN(prompts)];

    for (size_t i = 0; i < ARRAY_LEN(prompts); i++)
        list[i] = &prompts[i];
    source.prompt = list;
    source.prompts = ARRAY_LEN(prompts) - 1;
    offer_join(o, &source);
}
