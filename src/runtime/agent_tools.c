#include "runtime/agent_tools.h"

#include "core/session/session.h"
#include "proto/mcp/tool_name.h"
#include "tool/task_tools.h"

/* ---- tools --------------------------------------------------------------------------------- */

static const char input_schema[] = "{\"type\":\"object\",\"properties\":{" AGENT_CALL_SCHEMA;

/* The description of an agent's tool, which tells the model that the call blocks. */
#define ABOUT_AGENT "Call the agent `%s`. Its answer may take minutes. " STR_FMT

static struct str published(struct arena *mem, const char *agent)
{
    struct str name = arena_printf(mem, AGENT_TOOL_PREFIX "%s", agent);
    char *p = arena_cstr(mem, name);

    for (size_t i = 0; i < name.n; i++)
        if (p[i] == '-' || p[i] == '.')
            p[i] = '_';
    return (struct str){ p, name.n };
}

static size_t agent_tools_count(const struct agent_context *context)
{
    size_t n = 0;

    while (agent_card_at(context, n))
        n++;
    return n;
}

static struct tool_names name_all(struct agent_tools *a, struct arena *mem, size_t n)
{
    struct tool_pair *pair = ARENA_ARRAY(mem, struct tool_pair, n);

    for (size_t i = 0; i < n; i++) {
        const char *agent = agent_card_at(a->context, i)->name;

        pair[i] = (struct tool_pair){
            .server = STR("agents"),
            .tool = arena_str(mem, str_of(agent)),
            .rename = published(mem, agent),
        };
    }
    return tool_names_build(mem, pair, n, NULL, 0);
}

static const struct tool *make_tool(struct agent_tools *a, const struct tool_name *name)
{
    const struct agent_card *card = agent_card_at(a->context, name->index);
    struct tool *t = ARENA_NEW(&a->mem, struct tool);
    struct str about =
        arena_printf(&a->mem, ABOUT_AGENT, card->name, STR_ARG(str_trim(card->description)));

    *t = (struct tool){
        .name = name->name.p,
        .other_name = arena_printf(&a->mem, AGENT_TOOL_OPENFANG_PREFIX STR_FMT,
                                   STR_ARG(str_skip(name->name, sizeof(AGENT_TOOL_PREFIX) - 1)))
                          .p,
        .title = arena_cstr(&a->mem, str_of(card->title ? card->title : card->name)),
        .description = arena_cstr(&a->mem, str_trim(about)),
        .input_schema = input_schema,
        .kind = tool_agent_send.kind,
        .messages = true,
        .open_world = true,
        .task = tool_agent_send.task,
        .timeout_ms = tool_agent_send.timeout_ms,
        .ctx = arena_cstr(&a->mem, str_of(card->name)), /* the name of the agent for agent_send */
        .start = tool_agent_send.start,
    };
    return t;
}

/* Make the tools that the configuration exposes. Returns their number. */
static size_t make_tools(struct agent_tools *a, const struct config *config,
                         const struct tool ***list)
{
    size_t all = agent_tools_count(a->context), n = 0;
    struct tool_names names = name_all(a, &a->mem, all);

    *list = ARENA_ARRAY(&a->mem, const struct tool *, all);
    for (size_t i = 0; i < names.count; i++) {
        const struct tool *t = make_tool(a, &names.by_name[i]);

        if (tool_exposed_by_kernel(&config->expose_tools, &config->private_tools,
                                   tool_called_of(t)))
            (*list)[n++] = t;
    }
    return n;
}

static bool are_same(const struct tool *a, const struct tool *b)
{
    return str_eq(str_of(a->name), str_of(b->name)) && str_eq(str_of(a->title), str_of(b->title)) &&
           str_eq(str_of(a->description), str_of(b->description));
}

static bool has_same(const struct offer_source *s, const struct tool *const *list, size_t n)
{
    bool same = s->tools == n;

    for (size_t i = 0; same && i < n; i++)
        same = are_same(s->tool[i], list[i]);
    return same;
}

static void renew_tools(struct agent_tools *a, const struct config *config)
{
    const struct tool **list;
    size_t n = make_tools(a, config, &list);
    bool same = has_same(&a->source, list, n);

    a->source.tool = list;
    a->source.tools = n;
    if (!same)
        offer_source_changed(&a->source, OFFER_TOOLS);
}

/* ---- the names of agents in schemas ---------------------------------------------------------- */

static struct str list_names(struct agent_tools *a)
{
    const struct agent_card *card;
    struct str names = STR("");

    for (size_t i = 0; (card = agent_card_at(a->context, i)); i++) /* a name needs no escapes */
        names = arena_printf(&a->mem, STR_FMT "%s\"%s\"", STR_ARG(names), i ? "," : "", card->name);
    return names;
}

/*
 * Return a copy of the built-in tool whose schema lists the names as an enum of the argument
 * "agent".
 */
static struct tool name_agents(struct agent_tools *a, const struct tool *builtin, struct str names)
{
    const struct str member = STR("\"agent\":{\"type\":\"string\",");
    struct str schema = str_of(builtin->input_schema);
    size_t at = (size_t)str_find(schema, member) + member.n;
    struct tool t = *builtin;

    if (names.n)
        t.input_schema = arena_printf(&a->mem, STR_FMT "\"enum\":[" STR_FMT "]," STR_FMT,
                                      STR_ARG(str_head(schema, at)), STR_ARG(names),
                                      STR_ARG(str_skip(schema, at)))
                             .p;
    return t;
}

static bool renew_names(struct agent_tools *a)
{
    struct str names = list_names(a);
    bool same = str_eq(names, a->names);

    a->names = names;
    a->send = name_agents(a, &tool_agent_send, names);
    a->dispatch = name_agents(a, &tool_dispatch_agent, names);
    return !same;
}

const struct tool *agent_tools_named(const struct agent_tools *a, const struct tool *builtin)
{
    if (builtin == &tool_agent_send)
        return &a->send;
    return builtin == &tool_dispatch_agent ? &a->dispatch : builtin;
}

const struct tool *agent_tools_builtin(const struct agent_tools *a, const struct tool *offered)
{
    if (offered == &a->send)
        return &tool_agent_send;
    return offered == &a->dispatch ? &tool_dispatch_agent : offered;
}

/* ---- resources ----------------------------------------------------------------------------- */

static void list_cards(struct call *call)
{
    const struct agent_tools *a = call->ctx;
    const struct agent_card *card;
    struct buf text;
    struct jw w = jw_to(&text);

    buf_init_in(&text, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_plain_key(&w, STR("agents"));
    jw_array(&w);
    for (size_t i = 0; (card = agent_card_at(a->context, i)); i++)
        agent_card_write(&w, card, call);
    jw_array_end(&w);
    jw_object_end(&w);
    call_json_content(call, &text);
}

static const struct agent_card *find_card(const struct agent_tools *a, struct str name)
{
    const struct agent_card *card;
    size_t i = 0;

    while ((card = agent_card_at(a->context, i)) && !str_eq(str_of(card->name), name))
        i++;
    return card;
}

/* Write a member that is always present. It is null if the definition does not set it. */
static void write_or_null(struct jw *w, const char *key, struct str text)
{
    jw_plain_key(w, str_of(key));
    if (text.n)
        jw_str(w, text);
    else
        jw_null(w);
}

static void write_list_or_null(struct jw *w, const char *key, const struct pick_strs *list)
{
    if (list->set)
        pick_strs_write(w, key, list);
    else
        write_or_null(w, key, STR_NONE);
}

/* Write the names of the tools that the agent can use now. */
static void write_tools(struct jw *w, const struct agent *agent)
{
    const struct tool *t;

    jw_plain_key(w, STR("tools"));
    jw_array(w);
    for (size_t i = 0; (t = agent_tool_at(agent, &i));)
        jw_str(w, str_of(t->name));
    jw_array_end(w);
}

static void write_limits(struct jw *w, const struct agent_def *def)
{
    if (def->max_turns)
        jw_kint(w, "max_turns", def->max_turns);
    else
        write_or_null(w, "max_turns", STR_NONE);
    jw_plain_key(w, STR("budget"));
    if (def->budget_usd > 0)
        jw_double(w, def->budget_usd);
    else
        jw_null(w);
    write_list_or_null(w, "allowed_tools", &def->allowed);
    write_or_null(w, "effort", def->effort);
}

static void write_summary(struct jw *w, const struct agent *agent)
{
    const struct agent_def *def = agent->def;

    write_or_null(w, "default_model", agent->model);
    jw_kstr(w, "default_mode", str_of(agent_mode_name(def->mode)));
    write_tools(w, agent);
    write_limits(w, def);
}

/* Write the definition. It contains no secrets. */
static void write_definition(struct jw *w, const struct agent_def *def)
{
    jw_plain_key(w, STR("definition"));
    jw_object(w);
    jw_kstr(w, "persona", def->persona);
    jw_kstr(w, "model", def->model);
    jw_kstr(w, "provider", def->provider);
    jw_kstr(w, "fallback_model", def->fallback_model);
    pick_strs_write(w, "allowed_tools", &def->allowed);
    pick_strs_write(w, "disallowed_tools", &def->disallowed);
    if (def->max_turns)
        jw_kint(w, "max_turns", def->max_turns);
    jw_kstr(w, "effort", def->effort);
    jw_kstr(w, "approval_mode", def->approval_mode);
    jw_object_end(w);
}

/* Write the definition, or the reason why the agent cannot be used. */
static void write_agent(struct jw *w, const struct call *call, const struct agent_card *card)
{
    const struct agent_tools *a = call->ctx;
    struct agent_registry_port *registry = a->context->registry;
    struct str name = str_of(card->name);
    struct agent *agent;
    struct err e;

    jw_object(w);
    jw_kstr(w, "name", name);
    jw_kstr(w, "description", card->description.p ? card->description : STR(""));
    write_or_null(w, "tier", str_of(card->tier));
    jw_plain_key(w, STR("card"));
    agent_card_write(w, card, call);
    agent = registry->kind->take(registry, &(struct agent_want){ .name = name }, &e);
    if (agent) {
        write_summary(w, agent);
        write_definition(w, agent->def);
    } else {
        jw_kstr(w, "error", str_of(e.text));
    }
    agent_drop(agent);
    jw_object_end(w);
}

static void show_card(struct call *call)
{
    const struct agent_tools *a = call->ctx;
    struct str name = json_str(call->mem, json_get(call->args, STR("name")));
    const struct agent_card *card =
        find_card(a, name.p ? name : str_skip(call->uri, sizeof(AGENTS_URI) - 1));
    struct buf text;
    struct jw w = jw_to(&text);

    if (!card) {
        call_broke(call, &(struct err){ ERR_NOT_FOUND, "there is no agent of that name" });
        return;
    }
    buf_init_in(&text, call->mem, (size_t)call->host->limits->message_bytes);
    write_agent(&w, call, card);
    call_json_content(call, &text);
}

static void read_all(struct call *call)
{
    agent_context_when(call, ((const struct agent_tools *)call->ctx)->context, list_cards);
}

static void read_one(struct call *call)
{
    agent_context_when(call, ((const struct agent_tools *)call->ctx)->context, show_card);
}

static void complete_name(struct call *call)
{
    const struct agent_tools *a = call->ctx;
    struct str begun = json_str(call->mem, json_get(call->args, STR("value")));
    const struct agent_card *card;

    for (size_t i = 0; (card = agent_card_at(a->context, i)); i++)
        if (str_starts(str_of(card->name), begun)) /* a name needs no escapes */
            call_block(call, arena_printf(call->mem, "\"%s\"", card->name));
    call_done(call);
}

/* Make the resource of one agent, which follows the list of agents and the template. */
static const struct resource *make_resource(struct agent_tools *a, const struct agent_card *card)
{
    struct resource *r = ARENA_NEW(&a->mem, struct resource);

    *r = (struct resource){
        .uri = arena_printf(&a->mem, AGENTS_URI "%s", card->name).p,
        .name = arena_cstr(&a->mem, str_of(card->name)),
        .title = arena_cstr(&a->mem, str_of(card->title ? card->title : card->name)),
        .description = arena_cstr(&a->mem, card->description),
        .mime_type = "application/json",
        .ctx = a,
        .read = read_one,
    };
    return r;
}

static bool are_listed_alike(const struct resource *a, const struct resource *b)
{
    return str_eq(str_of(a->uri), str_of(b->uri)) && str_eq(str_of(a->title), str_of(b->title)) &&
           str_eq(str_of(a->description), str_of(b->description));
}

static void renew_resources(struct agent_tools *a)
{
    size_t agents = agent_tools_count(a->context), n = 0;
    const struct resource **list = ARENA_ARRAY(&a->mem, const struct resource *, agents + 2);
    bool same = a->source.resources == agents + 2;

    list[n++] = &a->resource[0];
    list[n++] = &a->resource[1];
    for (size_t i = 0; i < agents; i++, n++) {
        list[n] = make_resource(a, agent_card_at(a->context, i));
        same = same && are_listed_alike(list[n], a->source.resource[n]);
    }
    a->source.resource = list;
    a->source.resources = n;
    if (!same)
        offer_source_changed(&a->source, OFFER_RESOURCES);
}

static void tell_updated(struct agent_tools *a)
{
    offer_source_updated(&a->source, STR(AGENTS_URI));
    for (size_t i = 2; i < a->source.resources; i++)
        offer_source_updated(&a->source, str_of(a->source.resource[i]->uri));
}

bool agent_tools_refresh(struct agent_tools *a, const struct config *config)
{
    struct arena old = a->mem;
    bool renamed;

    a->mem = (struct arena){ 0 };
    renew_tools(a, config);
    renew_resources(a);
    renamed = renew_names(a);
    arena_fini(&old);
    tell_updated(a);
    return renamed;
}

/* ---- refreshing ---------------------------------------------------------------------------- */

void agent_tools_init(struct agent_tools *a, const struct agent_context *context)
{
    *a = (struct agent_tools){ .context = context,
                               .send = tool_agent_send,
                               .dispatch = tool_dispatch_agent };
    a->resource[0] = (struct resource){
        .uri = AGENTS_URI,
        .name = "agents",
        .title = "Agents",
        .description = "List all agents: name, description, mode, tier (model size).",
        .mime_type = "application/json",
        .ctx = a,
        .read = read_all,
    };
    a->resource[1] = (struct resource){
        .uri = AGENTS_URI "{name}",
        .is_template = true,
        .name = "agent",
        .title = "Agent",
        .description = "Show the description, settings and definition of one agent.",
        .mime_type = "application/json",
        .ctx = a,
        .read = read_one,
        .complete = complete_name,
    };
    renew_resources(a);
}

void agent_tools_fini(struct agent_tools *a)
{
    arena_fini(&a->mem);
}
