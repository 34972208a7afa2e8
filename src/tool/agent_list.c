/* agent_list.c - which agents can be called. */
#include "core/agent_staff.h"
#include "tool/tools.h"

static void list(struct call *call)
{
    const struct agent_card *card;
    struct jw w = jw_to(&call->structured);

    if (!agent_card_at(call->host->staff, 0)) {
        call_failed(call, "there are no agents here");
        return;
    }
    jw_object(&w);
    jw_plain_key(&w, STR("agents"));
    jw_array(&w);
    for (size_t i = 0; (card = agent_card_at(call->host->staff, i)); i++)
        agent_card_write(&w, card);
    jw_array_end(&w);
    jw_object_end(&w);
    call_text(call, buf_str(&call->structured));
    call_done(call);
}

static void start(struct call *call)
{
    agent_staff_when(call, call->host->staff, list);
}

const struct tool tool_agent_list = {
    .name = "agent_list",
    .title = "List agents",
    .description = "The agents that agent_send can reach: their names, what they are for, whether "
                   "they only read, and how capable a model they ask for.",
    .input_schema = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
    .output_schema = "{\"type\":\"object\",\"properties\":{\"agents\":{\"type\":\"array\","
                     "\"items\":{\"type\":\"object\",\"properties\":{"
                     "\"name\":{\"type\":\"string\"},"
                     "\"title\":{\"type\":\"string\"},"
                     "\"description\":{\"type\":\"string\"},"
                     "\"mode\":{\"type\":\"string\"},"
                     "\"tier\":{\"type\":\"string\"}},"
                     "\"required\":[\"name\"]}}},\"required\":[\"agents\"]}",
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
