#include "proto/mcp/client/mcp_client_sandbox.h"

#include "base/log.h"
#include "core/sandbox_policy.h"
#include "core/state.h"
#include "proto/mcp/client/mcp_client_parts.h"

#include <errno.h>
#include <sys/stat.h>

/* ---- the private folder -------------------------------------------------------------------- */

static const char *make_folder(struct arena *mem, const char *above, const char *name)
{
    const char *path = arena_printf(mem, "%s/%s", above, name).p;

    return mkdir(path, 0700) == 0 || errno == EEXIST ? path : NULL;
}

/* Without a state directory, caches live in the private /tmp and end with the server. */
static const char *private_dir(struct arena *mem, const struct mcp_client *c)
{
    struct state_port *state = c->world.state;
    const char *path;
    struct err e;

    if (!state)
        return NULL;
    path = state->open(state, &e);
    if (path)
        path = make_folder(mem, path, "caches");
    return path ? make_folder(mem, path, c->spec->name) : NULL;
}

/* ---- the profile --------------------------------------------------------------------------- */

/*
 * Is the profile enforced as far as the user wants? A kernel that cannot limit the TCP ports still
 * confines the files of a server: it starts, with a warning in the log.
 */
static bool check_support(const struct mcp_client *c, bool *out_best_effort, struct err *e)
{
    const struct sandbox_policy *p = c->world.sandbox;
    const struct server_spec *s = c->spec;
    struct err why;

    *out_best_effort = p->best_effort;
    if (sandbox_policy_enforces(p, s->sandbox, &why))
        return true;
    *out_best_effort |= s->sandbox == SANDBOX_SERVER && sandbox_policy_confines_files(p, &why);
    if (!*out_best_effort)
        return fail(e, ERR_DENIED, "%.180s; sandbox = \"off\" of the server starts it without one",
                    why.text);
    LOG(LOG_WARN, "mcp", "sandbox of a server is incomplete", LOG_Z("server", s->name),
        LOG_Z("why", why.text));
    return true;
}

bool mcp_server_sandbox(struct arena *mem, const struct mcp_client *c,
                        const struct sandbox_profile **out, struct err *e)
{
    const struct sandbox_policy *p = c->world.sandbox;
    const struct server_spec *s = c->spec;
    struct sandbox_profile *profile;
    bool best_effort;

    *out = NULL;
    if (!p || s->sandbox == SANDBOX_OFF)
        return true;
    if (!check_support(c, &best_effort, e))
        return false;
    profile = ARENA_NEW(mem, struct sandbox_profile);
    *profile = sandbox_policy_profile(p, s->sandbox, c->world.root);
    profile->writes_root = !s->reads_only && !p->read_only;
    profile->private_dir = private_dir(mem, c);
    profile->best_effort = best_effort;
    *out = profile;
    return true;
}
