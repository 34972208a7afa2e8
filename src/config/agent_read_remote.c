/* agent_read_remote.c - the keys of a remote agent, and [[a2a.external_agents]]. */
#include "base/json_doc.h"
#include "config/agent_read_parts.h"
#include "config/remote_read.h"
#include "config/server_read.h"

/* A remote agent has its own model, tools and instructions. */
static void note_local_keys(const struct agent_reading *in)
{
    static const struct str keys[] = {
        STR("model"),   STR("fallback_model"),   STR("tier"),          STR("effort"),
        STR("tools"),   STR("allowed_tools"),    STR("max_turns"),     STR("budget"),
        STR("persona"), STR("disallowed_tools"), STR("approval_mode"), STR("include_dirs")
    };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (json_here(json_get(in->obj, keys[i])))
            note(in->r->mem, in->r->notes, LOG_WARN,
                 STR_FMT ": " STR_FMT " is ignored: a remote agent decides this itself",
                 STR_ARG(json_where(in->r->mem, json_get(in->obj, keys[i]))), STR_ARG(keys[i]));
}

/* The keys of a remote agent mean nothing without its provider. */
bool agent_read_remote(const struct agent_reading *in, const struct agent_fields *raw)
{
    static const struct str keys[] = { STR("auth"), STR("binding"), STR("protocol_version"),
                                       STR("origins"), STR("trefoil") };
    bool remote = str_eq(raw->provider, STR("a2a"));
    struct remote_spec *spec;

    if (remote != (raw->url.p != NULL))
        return json_fail(json_get(in->obj, raw->url.p ? STR("url") : STR("provider")), in->e,
                         "`provider: a2a` and `url: URL` must be used together");
    for (size_t i = 0; !remote && i < ARRAY_LEN(keys); i++)
        if (json_here(json_get(in->obj, keys[i])))
            return json_fail(json_get(in->obj, keys[i]), in->e,
                             "only an agent with `provider: a2a` has this key");
    if (!remote)
        return true;
    note_local_keys(in);
    spec = ARENA_NEW(in->r->mem, struct remote_spec);
    in->def->remote = spec;
    return remote_read(in->r->mem, in->obj, in->r->notes, spec, in->e);
}

/* ---- the short form ---------------------------------------------------------------------- */

static const struct pick external_fields[] = {
    PICK_FIELD("name", PICK_STR, struct agent_fields, name, PICK_MUST),
    PICK_FIELD("description", PICK_STR, struct agent_fields, description, 0),
    PICK_FIELD("url", PICK_STR, struct agent_fields, url, PICK_MUST),
    PICK_FIELD("auth", PICK_ANY, struct agent_fields, auth, 0),
    PICK_FIELD("binding", PICK_ANY, struct agent_fields, binding, 0),
    PICK_FIELD("protocol_version", PICK_ANY, struct agent_fields, protocol_version, 0),
    PICK_FIELD("origins", PICK_ANY, struct agent_fields, origins, 0),
    PICK_FIELD("trefoil", PICK_ANY, struct agent_fields, trefoil, 0),
};

bool agent_read_external(const struct agent_reader *r, struct json entry, struct agent_def *out,
                         struct err *e)
{
    const struct agent_reading in = { .r = r, .obj = entry, .def = out, .e = e };
    struct agent_fields raw = { .provider = STR("a2a") };
    struct json_pos pos = entry.doc->pos[entry.at];

    *out = (struct agent_def){
        .origin = arena_printf(r->mem, "%s:%u", entry.doc->file, pos.line).p,
        .written = server_json_line(r->mem, entry),
        .provider = raw.provider,
    };
    if (json_type(entry) != JSON_OBJECT)
        return json_fail(entry, e, "expected [[a2a.external_agents]] with name and url");
    if (!pick(r->mem, entry, PICK_TABLE(external_fields), PICK_STRICT, &raw, e) ||
        !agent_read_name(&in, raw.name))
        return false;
    out->title = out->name;
    out->description = raw.description;
    return agent_read_remote(&in, &raw);
}
