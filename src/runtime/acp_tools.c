#include "runtime/acp_tools.h"

#include "tool/args.h"
#include "tool/child.h"
#include "tool/local_workspace.h"

static bool find_place(struct call *call, struct str path, bool writes, struct place *out)
{
    return writes ? tool_place_to_write(call, path, out) : tool_place(call, path, out);
}

static struct workspace *find_workspace(const struct host *host)
{
    return workspace_of(host);
}

const struct acp_tools acp_tools = {
    .place = find_place,
    .workspace = find_workspace,
    .sandbox = child_sandbox_of,
};
