#include "runtime/acp_tools.h"

#include "state/agent_homes.h"
#include "state/credentials.h"
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

/* ---- the HOME of an agent -------------------------------------------------------------------- */

static struct credentials files_of(const struct acp_home_files *f, const char *const *names)
{
    struct credentials c = {
        .home = f->users, .private_dir = f->private_home, .name = names, .json = true
    };

    while (names && names[c.names])
        c.names++;
    return c;
}

static bool copy_in(const struct acp_home_files *f, struct err *e)
{
    const struct credentials settings = files_of(f, f->settings);
    const struct credentials credentials = files_of(f, f->credentials);
    struct err why;
    bool ok = credentials_copy_settings(&settings, e);

    if (credentials_copy_in(&credentials, &why))
        return ok;
    *e = why;
    return false;
}

static bool copy_back(const struct acp_home_files *f, struct err *e)
{
    const struct credentials credentials = files_of(f, f->credentials);

    return credentials_copy_back(&credentials, e);
}

const struct acp_tools acp_tools = {
    .copy_in = copy_in,
    .copy_back = copy_back,
    .delete_home = agent_home_delete,
    .place = find_place,
    .workspace = find_workspace,
    .sandbox = child_sandbox_of,
};
