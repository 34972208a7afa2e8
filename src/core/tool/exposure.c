#include "core/tool/exposure.h"

static bool lists(const struct pick_strs *list, struct str name)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i], name))
            return true;
    return false;
}

static bool means(const struct pick_strs *list, struct tool_called tool)
{
    return lists(list, tool.name) || (tool.alias.p && lists(list, tool.alias)) ||
           (tool.other.p && lists(list, tool.other));
}

struct tool_called tool_called_of(const struct tool *t)
{
    return (struct tool_called){ str_of(t->name), str_of(t->alias), str_of(t->other_name) };
}

bool server_allows(const struct server_spec *s, struct str tool)
{
    return !s->allowed.set || lists(&s->allowed, tool);
}

bool server_tool_manual(const struct server_spec *s, struct str tool)
{
    return s->manual != lists(&s->otherwise, tool);
}

const struct tool_override *server_override(const struct server_spec *s, struct str tool)
{
    for (size_t i = 0; i < s->overrides; i++)
        if (str_eq(s->override[i].tool, tool))
            return &s->override[i];
    return NULL;
}

bool tool_exposed_by_agent(const struct pick_strs *expose, const struct pick_strs *private_tools,
                           struct tool_called tool)
{
    return means(expose, tool) && !means(private_tools, tool);
}

bool tool_exposed_by_kernel(const struct pick_strs *expose, const struct pick_strs *private_tools,
                            struct tool_called tool)
{
    return (!expose->set || means(expose, tool)) && !means(private_tools, tool);
}

bool origin_is_user(enum origin origin)
{
    return origin_rows[origin].is_user;
}

bool endpoint_is_read_only(enum endpoint_mode mode, enum origin origin)
{
    return mode == ENDPOINT_READ_ONLY || (mode == ENDPOINT_BY_ORIGIN && !origin_is_user(origin));
}

bool tool_kind_only_looks(enum tool_kind kind)
{
    switch (kind) {
    case TOOL_READ:
    case TOOL_SEARCH:
    case TOOL_THINK: return true;
    case TOOL_EDIT:
    case TOOL_DELETE:
    case TOOL_MOVE:
    case TOOL_EXECUTE:
    case TOOL_FETCH:
    case TOOL_KINDS: break;
    }
    return false;
}
