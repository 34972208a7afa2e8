/* fixture_tools.c - tools that answer, report and change, without asking anybody. */
#include "fixture.h"

enum { STEP_MS = 50, STEPS = 3, RECONNECT_MS = 100 };

static struct offer_source source;

/* ---- step by step ------------------------------------------------------------------------- */

static void start_stepping(struct call *call, call_start_fn *step)
{
    call->data = ARENA_NEW(call->mem, size_t);
    step(call);
}

/* After the work of one step: the next one later, or the end. */
static void step_on(struct call *call, call_start_fn *step, struct str last_word)
{
    size_t *steps = call->data;

    if (++*steps < STEPS) {
        fixture_pause(call, STEP_MS, step);
        return;
    }
    call_text(call, last_word);
    call_done(call);
}

static void log_step(struct call *call)
{
    static const struct str said[STEPS] = {
        STR("\"Tool execution started\""),
        STR("\"Tool processing data\""),
        STR("\"Tool execution completed\""),
    };

    call_log(call, CALL_INFO, STR_NONE, said[*(size_t *)call->data]);
    step_on(call, log_step, STR("Tool with logging executed successfully"));
}

static void start_logging(struct call *call)
{
    start_stepping(call, log_step);
}

static void progress_step(struct call *call)
{
    static const struct str done[STEPS] = { STR("0"), STR("50"), STR("100") };
    struct progress p = { .done = done[*(size_t *)call->data], .total = STR("100") };

    call_progress(call, &p);
    step_on(call, progress_step, STR("Tool with progress executed successfully"));
}

static void start_progress(struct call *call)
{
    start_stepping(call, progress_step);
}

/* ---- one thing each ----------------------------------------------------------------------- */

static void start_error(struct call *call)
{
    call_failed(call, "This tool intentionally returns an error for testing");
}

/* Whether a log leaves is up to the client, which sets the level; the tool only speaks. */
static void start_one_log(struct call *call)
{
    call_log(call, CALL_INFO, STR("fixture"), STR("\"said in between\""));
    call_text(call, STR("Logged one line."));
    call_done(call);
}

static void start_missing(struct call *call)
{
    if (!call_can_ask(call, ASK_SAMPLE)) {
        call_lacks(call, ASK_SAMPLE);
        return;
    }
    call_text(call, STR("This client can be asked for a model's answer."));
    call_done(call);
}

static void end_reconnection(struct call *call)
{
    call_text(call, STR("The result came after the stream was closed."));
    call_done(call);
}

static void start_reconnection(struct call *call)
{
    if (call->caller->kind->rest)
        call->caller->kind->rest(call->caller, RECONNECT_MS);
    fixture_pause(call, RECONNECT_MS, end_reconnection);
}

static void start_region(struct call *call)
{
    struct str region = fixture_arg(call, STR("region"));

    call_text(call, region.p ? arena_printf(call->mem, "Region: " STR_FMT, STR_ARG(region))
                             : STR("No region was given."));
    call_done(call);
}

static void start_schema(struct call *call)
{
    struct str args = json_here(call->args) ? json_raw(call->args) : STR("{}");

    call_text(call, arena_printf(call->mem, "Arguments: " STR_FMT, STR_ARG(args)));
    call_done(call);
}

static void start_tool_change(struct call *call);

static void start_prompt_change(struct call *call)
{
    fixture_prompts_change();
    call_text(call, STR("The list of prompts has changed."));
    call_done(call);
}

/* ---- the table ---------------------------------------------------------------------------- */

#define ADDRESS                                                                                    \
    "{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"                             \
    "\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}"

#define SCHEMA_2020_12                                                                             \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","           \
    "\"$defs\":{\"address\":" ADDRESS "},"                                                         \
    "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"   \
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"                      \
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"                            \
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"             \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"                            \
    "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"                       \
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

#define REGION_SCHEMA                                                                              \
    "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","                        \
    "\"description\":\"Where to run\",\"x-mcp-header\":\"Region\"}}}"

#define RESOURCE(uri, mime, text)                                                                  \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"" mime                \
    "\",\"text\":\"" text "\"}}"

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"

/* Everything but the last is there from the start. The suite calls the first one without asking. */
static const struct tool tools[] = {
    { .name = "test_simple_text",
      .description = "Answers with one text",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = FIXTURE_BLOCKS(TEXT("This is a simple text response for testing.")),
      .start = fixture_fixed },
    { .name = "test_image_content",
      .description = "Answers with a picture",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = FIXTURE_BLOCKS(FIXTURE_IMAGE),
      .start = fixture_fixed },
    { .name = "test_audio_content",
      .description = "Answers with a sound",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = FIXTURE_BLOCKS("{\"type\":\"audio\",\"data\":\"" FIXTURE_WAV
                            "\",\"mimeType\":\"audio/wav\"}"),
      .start = fixture_fixed },
    { .name = "test_embedded_resource",
      .description = "Answers with a resource",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = FIXTURE_BLOCKS(RESOURCE("test://embedded-resource", "text/plain",
                                     "This is an embedded resource content.")),
      .start = fixture_fixed },
    { .name = "test_multiple_content_types",
      .description = "Answers with a text, a picture and a resource",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = FIXTURE_BLOCKS(TEXT("Multiple content types test:"), FIXTURE_IMAGE,
                            RESOURCE("test://mixed-content-resource", "application/json",
                                     "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}")),
      .start = fixture_fixed },
    { .name = "test_tool_with_logging",
      .description = "Logs three times, then answers",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_logging },
    { .name = "test_error_handling",
      .description = "Fails, and says so to the model",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_error },
    { .name = "test_tool_with_progress",
      .description = "Reports progress three times, then answers",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_progress },
    { .name = "json_schema_2020_12_tool",
      .description = "Tool with JSON Schema 2020-12 features",
      .input_schema = SCHEMA_2020_12,
      .start = start_schema },
    { .name = "test_reconnection",
      .description = "Lets the connection rest, and answers when the client is back",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_reconnection },
    { .name = "test_missing_capability",
      .description = "Works only for clients that offer sampling",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_missing },
    { .name = "test_logging_tool",
      .description = "Logs once, then answers",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_one_log },
    { .name = "test_trigger_tool_change",
      .description = "Adds a tool, or takes it away again",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_tool_change },
    { .name = "test_trigger_prompt_change",
      .description = "Adds a prompt, or takes it away again",
      .input_schema = FIXTURE_NO_ARGS,
      .start = start_prompt_change },
    { .name = "test_x_mcp_header",
      .description = "Has an argument that is repeated in a header",
      .input_schema = REGION_SCHEMA,
      .start = start_region },
    { .name = "test_dynamic_tool",
      .description = "Comes and goes",
      .input_schema = FIXTURE_NO_ARGS,
      .ctx = FIXTURE_BLOCKS(TEXT("This tool is here for now.")),
      .start = fixture_fixed },
};

static void start_tool_change(struct call *call)
{
    source.tools = source.tools == ARRAY_LEN(tools) ? ARRAY_LEN(tools) - 1 : ARRAY_LEN(tools);
    offer_source_changed(&source, OFFER_TOOLS);
    call_text(call, STR("The list of tools has changed."));
    call_done(call);
}

void fixture_tools_join(struct offer *o)
{
    static const struct tool *list[ARRAY_LEN(tools)];

    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        list[i] = &tools[i];
    source.tool = list;
    source.tools = ARRAY_LEN(tools) - 1;
    offer_join(o, &source);
}
