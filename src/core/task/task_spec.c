/* task_spec.c - task specs as JSON, and the agents they describe. */
#include "core/task/task_spec.h"

#include "base/mem.h"
#include "core/session/history_record.h"

/* ---- copies ---------------------------------------------------------------------------------- */

static struct pick_strs copy_list(struct arena *mem, struct pick_strs from)
{
    struct str *v = ARENA_ARRAY(mem, struct str, from.n ? from.n : 1);

    for (size_t i = 0; i < from.n; i++)
        v[i] = arena_str(mem, from.v[i]);
    from.v = v;
    return from;
}

struct task_spec task_spec_copy(struct arena *mem, const struct task_spec *s)
{
    struct task_spec to = *s;

    to.tool = arena_maybe(mem, s->tool);
    to.agent = arena_maybe(mem, s->agent);
    to.prompt = blocks_copy(mem, s->prompt);
    to.new_session = arena_maybe(mem, s->new_session);
    to.model = arena_maybe(mem, s->model);
    to.effort = arena_maybe(mem, s->effort);
    to.output_format = arena_maybe(mem, s->output_format);
    to.context = arena_maybe(mem, s->context);
    to.owner = arena_maybe(mem, s->owner);
    to.session = arena_maybe(mem, s->session);
    to.caller = s->caller ? arena_cstr(mem, str_of(s->caller)) : NULL;
    to.trace.id = arena_maybe(mem, s->trace.id);
    to.trace.parent = arena_maybe(mem, s->trace.parent);
    to.trace.state = arena_maybe(mem, s->trace.state);
    to.taint = arena_maybe(mem, s->taint);
    to.lock = copy_list(mem, s->lock);
    to.rights = arena_maybe(mem, s->rights);
    to.mode_reason = arena_maybe(mem, s->mode_reason);
    to.message = arena_maybe(mem, s->message);
    to.client = arena_maybe(mem, s->client);
    return to;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/*
 * "text" is always there, for lists, and is all that earlier versions stored. "parts" is there
 * when the prompt is more than one text.
 */
static void write_prompt(struct jw *w, struct arena *mem, struct blocks prompt)
{
    jw_kstr(w, "text", blocks_words(mem, prompt));
    if (blocks_are_text(prompt))
        return;
    jw_plain_key(w, STR("parts"));
    blocks_write(w, prompt);
}

struct str task_spec_write(struct arena *mem, const struct task_spec *s)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, RECORD_MOST);
    jw_object(&w);
    jw_kstr(&w, "tool", s->tool);
    jw_kstr(&w, "agent", s->agent);
    write_prompt(&w, mem, s->prompt);
    jw_kstr(&w, "model", s->model);
    jw_kstr(&w, "effort", s->effort);
    jw_kstr(&w, "output_format", s->output_format);
    jw_kint(&w, "max_turns", s->max_turns);
    jw_plain_key(&w, STR("budget_usd"));
    jw_double(&w, s->budget_usd);
    jw_kbool(&w, "read_only", s->read_only);
    jw_kstr(&w, "mode_reason", s->mode_reason);
    jw_kstr(&w, "session", s->session);
    jw_kstr(&w, "new_session", s->new_session);
    jw_kstr(&w, "caller", str_of(s->caller));
    jw_kstr(&w, "origin", str_of(origin_rows[s->origin].name));
    jw_kstr(&w, "trace", s->trace.id);
    jw_kint(&w, "depth", s->trace.depth);
    jw_kint(&w, "arrived", s->trace.arrived);
    jw_kstr(&w, "traceparent", s->trace.parent);
    jw_kstr(&w, "tracestate", s->trace.state);
    jw_kstr(&w, "taint", s->taint);
    jw_kstr(&w, "rights", s->rights);
    jw_kstr(&w, "message", s->message);
    jw_kraw(&w, "client", s->client);
    jw_kbool(&w, "isolate", s->isolate);
    pick_strs_write(&w, "lock", &s->lock);
    jw_object_end(&w);
    return buf_str(&out);
}

struct spec_rest {
    struct str caller, origin, text;
    struct json parts, client;
    int64_t depth, arrived;
};

static const struct pick spec_fields[] = {
    PICK_FIELD("tool", PICK_STR, struct task_spec, tool, 0),
    PICK_FIELD("agent", PICK_STR, struct task_spec, agent, 0),
    PICK_FIELD("model", PICK_STR, struct task_spec, model, 0),
    PICK_FIELD("effort", PICK_STR, struct task_spec, effort, 0),
    PICK_FIELD("output_format", PICK_STR, struct task_spec, output_format, 0),
    PICK_FIELD("max_turns", PICK_INT, struct task_spec, max_turns, 0),
    PICK_FIELD("budget_usd", PICK_DOUBLE, struct task_spec, budget_usd, 0),
    PICK_FIELD("read_only", PICK_BOOL, struct task_spec, read_only, 0),
    PICK_FIELD("mode_reason", PICK_STR, struct task_spec, mode_reason, 0),
    PICK_FIELD("session", PICK_STR, struct task_spec, session, 0),
    PICK_FIELD("new_session", PICK_STR, struct task_spec, new_session, 0),
    PICK_FIELD("trace", PICK_STR, struct task_spec, trace.id, 0),
    PICK_FIELD("traceparent", PICK_STR, struct task_spec, trace.parent, 0),
    PICK_FIELD("tracestate", PICK_STR, struct task_spec, trace.state, 0),
    PICK_FIELD("taint", PICK_STR, struct task_spec, taint, 0),
    PICK_FIELD("lock", PICK_STRS, struct task_spec, lock, 0),
    PICK_FIELD("rights", PICK_STR, struct task_spec, rights, 0),
    PICK_FIELD("isolate", PICK_BOOL, struct task_spec, isolate, 0),
    PICK_FIELD("message", PICK_STR, struct task_spec, message, 0),
};

static const struct pick rest_fields[] = {
    PICK_FIELD("caller", PICK_STR, struct spec_rest, caller, 0),
    PICK_FIELD("text", PICK_STR, struct spec_rest, text, PICK_MUST),
    PICK_FIELD("parts", PICK_ARRAY, struct spec_rest, parts, 0),
    PICK_FIELD("client", PICK_OBJECT, struct spec_rest, client, 0),
    PICK_FIELD("origin", PICK_STR, struct spec_rest, origin, 0),
    PICK_FIELD("depth", PICK_INT, struct spec_rest, depth, 0),
    PICK_FIELD("arrived", PICK_INT, struct spec_rest, arrived, 0),
};

/* Earlier versions stored no origin: such a task gets the least rights. */
enum origin task_spec_origin(struct str origin)
{
    return origin.n ? origin_named(origin) : ORIGIN_LOOPBACK;
}

static bool read_prompt(struct arena *mem, const struct spec_rest *rest,
                        const struct limits *limits, struct blocks *out, struct err *e)
{
    if (json_here(rest->parts))
        return blocks_read(mem, rest->parts, limits, out, e);
    *out = blocks_text(mem, rest->text);
    return true;
}

bool task_spec_read(struct arena *mem, struct str json, const struct limits *limits,
                    struct task_spec *out, struct err *e)
{
    struct json_opts opts = limits_json(limits);
    struct task_spec spec = { .budget_usd = -1 };
    struct spec_rest rest = { 0 };
    struct json root;

    if (!json_read(mem, arena_str(mem, json), &opts, &root, e) ||
        !pick(mem, root, PICK_TABLE(spec_fields), PICK_LENIENT, &spec, e) ||
        !pick(mem, root, PICK_TABLE(rest_fields), PICK_LENIENT, &rest, e) ||
        !read_prompt(mem, &rest, limits, &spec.prompt, e))
        return fail_in(e, "the stored specification of the task is damaged");
    spec.client = json_here(rest.client) ? json_raw(rest.client) : STR_NONE;
    spec.caller = rest.caller.p ? arena_cstr(mem, rest.caller) : NULL;
    spec.origin = task_spec_origin(rest.origin);
    spec.trace.depth = (int)rest.depth;
    spec.trace.arrived = (int)rest.arrived;
    *out = spec;
    return true;
}

/* ---- the agent ------------------------------------------------------------------------------- */

/* A copy of an agent with a changed definition; it holds a reference to the original. */
struct changed_agent {
    struct agent agent; /* first */
    struct agent_def def;
    struct agent *of;
    struct arena mem;
};

static void release_changed(struct agent *a)
{
    struct changed_agent *c = (struct changed_agent *)a;

    agent_drop(c->of);
    arena_fini(&c->mem);
    mem_free(c);
}

/* A task may set stricter limits than the file of its agent, and never looser ones. 0: none. */
static void limit_agent(struct agent_def *def, const struct task_spec *s)
{
    if (s->max_turns > 0 && (!def->max_turns || s->max_turns < def->max_turns))
        def->max_turns = s->max_turns;
    if (s->budget_usd > 0 && (def->budget_usd <= 0 || s->budget_usd < def->budget_usd))
        def->budget_usd = s->budget_usd;
}

static struct agent *change_agent(struct agent *of, const struct task_spec *s)
{
    struct changed_agent *c = MEM_NEW(struct changed_agent);

    c->of = of;
    c->agent = *of;
    c->def = *of->def;
    c->agent.def = &c->def;
    c->agent.refs = 1;
    c->agent.release = release_changed;
    limit_agent(&c->def, s);
    if (s->output_format.n)
        c->def.output_format = arena_str(&c->mem, s->output_format);
    return &c->agent;
}

static bool check_word(const char *key, struct str word, struct err *e)
{
    if (!word.n || agent_word_known(str_of(key), word))
        return true;
    return fail(e, ERR_INVALID, "%s: " STR_FMT " is not one of %s", key,
                STR_ARG(str_head(word, 40)), agent_words(str_of(key)));
}

struct agent *task_spec_agent(const struct task_spec *s, struct agent_registry_port *registry,
                              struct err *e)
{
    struct agent_want want = {
        .name = s->agent.n ? s->agent : STR_NONE,
        .model = s->model.n ? s->model : STR_NONE,
        .effort = agent_effort_named(s->effort),
    };
    struct agent *a;

    if (!check_word("effort", s->effort, e) || !check_word("output_format", s->output_format, e))
        return NULL;
    a = registry->kind->take(registry, &want, e);
    if (!a || (s->max_turns <= 0 && s->budget_usd < 0 && !s->output_format.n))
        return a;
    return change_agent(a, s);
}

/* ---- the prompt ------------------------------------------------------------------------------ */

static const char permission[] =
    "PERMISSION: this task is read-only. You may create, change or delete files only in the folder "
    ".vault/. Do not change source code or any other file; if a change is needed, describe it "
    "instead.";

struct str task_spec_preface(bool read_only)
{
    return read_only ? str_of(permission) : STR_NONE;
}
