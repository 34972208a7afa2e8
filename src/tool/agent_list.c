/* agent_list.c - which agents can be called. */
#include "core/agent/agent_context.h"
#include "tool/tools.h"

static void list(struct call *call)
{
    const struct agent_card *card;
    struct jw w = jw_to(&call->structured);

    if (!agent_card_at(call->host->context, 0)) {
        call_failed(call, "there are no agents here");
        return;
    }
    jw_object(&w);
    jw_plain_key(&w, STR("agents"));
    jw_array(&w);
    for (size_t i = 0; (card = agent_card_at(call->host->context, i)); i++)
        agent_card_write(&w, card, call);
    jw_array_end(&w);
    jw_kstr(&w, "hint", str_of(call->ctx));
    jw_object_end(&w);
    call_text(call, buf_str(&call->structured));
    call_done(call);
}

static void start(struct call *call)
{
    agent_context_when(call, call->host->context, list);
}

/* jw_kstr leaves out what is not there: who a client's tool has is the hint. */
static char hint[] = "Read the resource agents://{name} (resources/read) for one agent's details.";

#define INPUT "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"
#define OUTPUT                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"agents\":{\"type\":\"array\","                         \
    "\"items\":{\"type\":\"object\",\"properties\":{"                                              \
    "\"name\":{\"type\":\"string\"},"                                                              \
    "\"title\":{\"type\":\"string\"},"                                                             \
    "\"description\":{\"type\":\"string\"},"                                                       \
    "\"mode\":{\"type\":\"string\",\"description\":\"In force when you call it.\"},"               \
    "\"mode_reason\":{\"type\":\"string\",\"description\":\"Why it only reads.\"},"                \
    "\"tier\":{\"type\":[\"string\",\"null\"]}},"                                                  \
    "\"required\":[\"name\"]}},\"hint\":{\"type\":\"string\"}},\"required\":[\"agents\"]}"

const struct tool tool_agent_list = {
    .name = "agent_list",
    .title = "List agents",
    .description = "The agents that agent_send can reach: their names, what they are for, whether "
                   "they only read, and how capable a model they ask for.",
    .input_schema = INPUT,
    .output_schema = OUTPUT,
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .start = start,
};

const struct tool tool_list_agents = {
    .name = "list_agents",
    .title = "List agents",
    .description = "The agents that dispatch_agent can reach: their names, what they are for, "
                   "whether they only read, and how capable a model they ask for.",
    .input_schema = INPUT,
    .output_schema = OUTPUT,
    .kind = TOOL_READ,
    .annotations = "{\"title\":\"List agents\",\"readOnlyHint\":true,\"destructiveHint\":false,"
                   "\"idempotentHint\":true,\"openWorldHint\":false}",
    .ctx = hint,
    .start = start,
};
