/* a2a_discover.c - reads the card of a remote A2A agent: what it does and how it is reached. */
#include "core/agent/remote_port.h"
#include "tool/args.h"
#include "tool/tools.h"

struct a2a_discover_args {
    struct str url;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("url", PICK_STR, struct a2a_discover_args, url, PICK_MUST),
};

static void start(struct call *call)
{
    struct a2a_discover_args args = { 0 };

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    if (call->host->remotes)
        call->host->remotes->discover(call->host->remotes, call, args.url);
    else
        call_failed(call, "A2A is off; the user can turn it on: [a2a] enabled = true");
}

const struct tool tool_a2a_discover = {
    .name = "a2a_discover",
    .title = "Look up a remote agent",
    .description = "Read the card of a remote A2A agent: its name, its skills and how it is "
                   "reached. Only public addresses are allowed, unless the user has configured "
                   "others. For agents of this project use list_agents.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"url\":{\"type\":\"string\",\"description\":\"URL of the agent or of its "
                    "card\"}},\"required\":[\"url\"]}",
    .kind = TOOL_FETCH,
    .read_only = true,
    .idempotent = true,
    .open_world = true,
    .start = start,
};
