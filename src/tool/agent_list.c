/* agent_list.c - the tool that lists the agents that can be called. */
#include "core/agent/agent_context.h"
#include "tool/tools.h"

static void list(struct call *call)
{
    const struct agent_card *card;
    struct jw w = jw_to(&call->structured);

    if (!agent_card_at(call->host->context, 0)) {
        call_failed(call, "no agents are available");
        return;
    }
    jw_object(&w);
    jw_plain_key(&w, STR("agents"));
    jw_array(&w);
    for (size_t i = 0; (card = agent_card_at(call->host->context, i)); i++)
        agent_card_write(&w, card, call);
    jw_array_end(&w);
    if (!call->caller->history) /* our own models cannot read resources */
        jw_kstr(
            &w, "hint",
            STR("For details of one agent, read the resource agents://{name} (resources/read)."));
    jw_object_end(&w);
    call_text(call, buf_str(&call->structured));
    call_done(call);
}

static void start(struct call *call)
{
    agent_context_when(call, call->host->context, list);
}

const struct tool tool_list_agents = {
    .name = "list_agents",
    .other_name = "agent_list",
    .title = "List agents",
    .description = "List the agents you can call: name, description, mode, tier (model size).",
    .input_schema = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
