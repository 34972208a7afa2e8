/* script_read.c - parse the TOML file of a script. */
#include "base/base64.h"
#include "base/buf.h"
#include "base/pick.h"
#include "base/toml/toml.h"
#include "core/guard/guard_check.h"
#include "core/guard/permission_option.h"
#include "provider/script.h"

#include <stdio.h>

enum { SCRIPT_DEPTH = 32, SCRIPT_PARAMS_MOST = 1 << 20 };

static const char *const type_names[SCRIPT_TYPES] = {
    [SCRIPT_TEXT] = "text",
    [SCRIPT_THOUGHT] = "thought",
    [SCRIPT_TOOL] = "tool",
    [SCRIPT_PLAN] = "plan",
    [SCRIPT_PERMISSION] = "permission",
    [SCRIPT_FORM] = "form",
    [SCRIPT_ARTIFACT] = "artifact",
    [SCRIPT_USAGE] = "usage",
    [SCRIPT_NOTICE] = "notice",
    [SCRIPT_DELAY] = "delay",
    [SCRIPT_WAIT] = "wait",
    [SCRIPT_END] = "end",
};

/* ---- one event ------------------------------------------------------------------------------- */

struct raw_event {
    struct str type, text, message, id, name, title, kind, status, path, old_text, new_text;
    struct str media_type, data, uri, stop, refused, until;
    struct json args, content, entries, schema, options, json;
    int64_t pieces, delay_ms, line, input, output, used, size, cost_micros;
    bool append, more;
};

#define TEXT(key, field) PICK_FIELD(key, PICK_STR, struct raw_event, field, 0)
#define COUNT(key, field) PICK_RANGE(key, struct raw_event, field, 0, 0, 1000000000)

static const struct pick event_fields[] = {
    PICK_FIELD("type", PICK_STR, struct raw_event, type, PICK_MUST),
    TEXT("text", text),
    TEXT("message", message),
    TEXT("id", id),
    TEXT("name", name),
    TEXT("title", title),
    TEXT("kind", kind),
    TEXT("status", status),
    TEXT("path", path),
    TEXT("old_text", old_text),
    TEXT("new_text", new_text),
    TEXT("media_type", media_type),
    TEXT("data", data),
    TEXT("uri", uri),
    TEXT("stop", stop),
    TEXT("refused", refused),
    TEXT("until_id", until),
    PICK_FIELD("args", PICK_OBJECT, struct raw_event, args, 0),
    PICK_FIELD("content", PICK_ARRAY, struct raw_event, content, 0),
    PICK_FIELD("entries", PICK_ARRAY, struct raw_event, entries, 0),
    PICK_FIELD("schema", PICK_OBJECT, struct raw_event, schema, 0),
    PICK_FIELD("options", PICK_ARRAY, struct raw_event, options, 0),
    PICK_FIELD("json", PICK_ANY, struct raw_event, json, 0),
    PICK_RANGE("pieces", struct raw_event, pieces, 0, 1, 1000),
    PICK_RANGE("delay_ms", struct raw_event, delay_ms, 0, 0, SCRIPT_DELAY_MOST),
    COUNT("line", line),
    COUNT("input", input),
    COUNT("output", output),
    COUNT("used", used),
    COUNT("size", size),
    COUNT("cost_micros", cost_micros),
    PICK_FIELD("append", PICK_BOOL, struct raw_event, append, 0),
    PICK_FIELD("more", PICK_BOOL, struct raw_event, more, 0),
};

/* The index of a name in a list of n; n, and *e: it is none of them. */
static size_t name_in(struct json at, const char *key, struct str name, const char *const *list,
                      size_t n, struct err *e)
{
    char all[200] = "";
    size_t i = 0, used = 0;

    while (i < n && !(list[i] && str_eq(name, str_of(list[i]))))
        i++;
    if (i < n)
        return i;
    for (size_t j = 0; j < n && used < sizeof(all); j++)
        if (list[j])
            used +=
                (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", list[j]);
    json_fail(json_here(json_get(at, str_of(key))) ? json_get(at, str_of(key)) : at, e,
              "%s: expected %s", key, all);
    return n;
}

static bool missing(struct json at, const char *type, const char *key, struct err *e)
{
    return json_fail(at, e, "an event of type %s needs %s", type, key);
}

static bool read_tool(struct json at, const struct raw_event *r, struct script_event *out,
                      struct err *e)
{
    size_t status = CALLED_DONE, kind = TOOL_KINDS;

    if (!r->id.n)
        return missing(at, "tool", "id", e);
    if (r->status.p)
        status = name_in(at, "status", r->status, called_names, CALLED_STATES, e);
    if (status == CALLED_STATES)
        return false;
    if (r->kind.p &&
        (kind = name_in(at, "kind", r->kind, guard_kind_names, TOOL_KINDS, e)) == TOOL_KINDS)
        return false;
    out->event.kind = EVENT_TOOL;
    out->event.tool = (struct event_tool){
        .id = r->id,
        .name = r->name,
        .title = r->title,
        .kind = (enum tool_kind)kind,
        .status = (enum called_status)status,
        .args = json_here(r->args) ? json_raw(r->args) : STR_NONE,
        .path = r->path,
        .line = r->line,
        .text = r->text,
        .old_text = r->old_text,
        .new_text = r->new_text,
    };
    if (json_count(r->content))
        out->event.tool.content = str_skip(json_raw(r->content), 1);
    if (json_count(r->content))
        out->event.tool.content.n--;
    return true;
}

static bool read_artifact(struct arena *mem, struct json at, const struct raw_event *r,
                          struct script_event *out, struct err *e)
{
    struct block *part = ARENA_NEW(mem, struct block);
    struct str bytes;

    if (!r->id.n)
        return missing(at, "artifact", "id", e);
    if (r->data.p && !base64_decode(mem, BASE64_PLAIN, r->data, &bytes))
        return json_fail(json_get(at, STR("data")), e, "expected base64");
    *part = (struct block){ .kind = r->data.p ? BLOCK_MEDIA : BLOCK_TEXT,
                            .type = r->media_type,
                            .text = r->uri.p ? STR_NONE : r->text,
                            .data = r->data,
                            .uri = r->uri,
                            .name = r->data.p || r->uri.p ? r->name : STR_NONE };
    if (json_here(r->json)) {
        part->text = json_raw(r->json);
        part->is_data = true;
    }
    out->event.kind = EVENT_ARTIFACT;
    out->event.artifact = (struct event_artifact){
        .id = r->id,
        .name = r->name,
        .part = { part, 1 },
        .append = r->append,
        .joins = r->append,
        .last = !r->more,
    };
    return true;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A form with one field: the choice between the options, which are texts. */
static bool write_choice(struct jw *w, struct json options, struct err *e)
{
    JSON_EACH(option, options)
    if (json_type(option) != JSON_STRING)
        return json_fail(option, e, "the options of a form are strings");
    jw_object(w);
    jw_kstr(w, "type", STR("object"));
    jw_plain_key(w, STR("properties"));
    jw_object(w);
    jw_plain_key(w, STR("option"));
    jw_object(w);
    jw_kstr(w, "type", STR("string"));
    jw_kraw(w, "enum", json_raw(options));
    jw_object_end(w);
    jw_object_end(w);
    jw_kraw(w, "required", STR("[\"option\"]"));
    jw_object_end(w);
    return true;
}

static bool write_form(struct jw *w, const struct raw_event *r, struct err *e)
{
    jw_plain_key(w, STR("requestedSchema"));
    if (!json_here(r->schema) && json_count(r->options))
        return write_choice(w, r->options, e);
    jw_raw(w, json_here(r->schema) ? json_raw(r->schema)
                                   : STR("{\"type\":\"object\",\"properties\":{}}"));
    return true;
}

struct raw_option {
    struct str id, name, kind;
};

static const struct pick option_fields[] = {
    PICK_FIELD("id", PICK_STR, struct raw_option, id, PICK_MUST),
    PICK_FIELD("name", PICK_STR, struct raw_option, name, 0),
    PICK_FIELD("kind", PICK_STR, struct raw_option, kind, PICK_MUST),
};

/* A plain text is an option with that id. Only an option that names itself so allows the call. */
static struct raw_option named_option(struct str id)
{
    enum permission_option own;

    if (permission_option_named(id, &own))
        return (struct raw_option){ id, str_of(permission_options[own].label),
                                    str_of(permission_options[own].kind) };
    return (struct raw_option){ id, id,
                                str_starts(id, STR("allow")) ? STR("allow_once")
                                                             : STR("reject_once") };
}

static bool read_option(struct arena *mem, struct json at, struct raw_option *out, struct err *e)
{
    static const char *const kinds[] = { "allow_once", "allow_always", "reject_once",
                                         "reject_always" };

    if (json_type(at) == JSON_STRING)
        *out = named_option(json_str(mem, at));
    else if (!pick(mem, at, PICK_TABLE(option_fields), PICK_STRICT, out, e) ||
             name_in(at, "kind", out->kind, kinds, ARRAY_LEN(kinds), e) == ARRAY_LEN(kinds))
        return false;
    return out->id.n || json_fail(at, e, "an option needs an id");
}

static bool write_options(struct arena *mem, struct jw *w, struct json options, struct err *e)
{
    jw_plain_key(w, STR("options"));
    jw_array(w);
    JSON_EACH(at, options)
    {
        struct raw_option option = { 0 };

        if (!read_option(mem, at, &option, e))
            return false;
        jw_object(w);
        jw_kstr(w, "id", option.id);
        jw_kstr(w, "name", option.name.n ? option.name : option.id);
        jw_kstr(w, "kind", option.kind);
        jw_object_end(w);
    }
    jw_array_end(w);
    return true;
}

/* What a permission says about the call. An unknown kind is no error: the guard is strict then. */
static struct event_tool asked_tool(const struct raw_event *r)
{
    size_t kind = 0;

    while (kind < TOOL_KINDS && !str_eq(r->kind, str_of(guard_kind_names[kind])))
        kind++;
    return (struct event_tool){
        .id = r->id,
        .name = r->name,
        .title = r->title,
        .kind = r->kind.p && kind == TOOL_KINDS ? TOOL_EXECUTE : (enum tool_kind)kind,
        .args = json_here(r->args) ? json_raw(r->args) : STR_NONE,
        .path = r->path,
    };
}

static bool read_question(struct arena *mem, const struct raw_event *r, struct script_event *out,
                          struct err *e)
{
    struct buf b;
    struct jw w = jw_to(&b);

    buf_init_in(&b, mem, SCRIPT_PARAMS_MOST);
    jw_object(&w);
    jw_kstr(&w, "message", r->text.p ? r->text : STR(""));
    if (out->type == SCRIPT_FORM) {
        if (!write_form(&w, r, e))
            return false;
    } else if (json_count(r->options) && !write_options(mem, &w, r->options, e)) {
        return false;
    }
    jw_object_end(&w);
    if (out->type == SCRIPT_PERMISSION)
        out->event.tool = asked_tool(r);
    out->params = buf_str(&b);
    out->refused = r->refused;
    out->until = r->until;
    return true;
}

/* ---- ends and usage -------------------------------------------------------------------------- */

static bool read_end(struct json at, const struct raw_event *r, struct script_event *out,
                     struct err *e)
{
    size_t stop = TURN_END;

    if (r->stop.p)
        stop = name_in(at, "stop", r->stop, turn_stop_names, TURN_STOPS, e);
    out->stop = (enum turn_stop)stop;
    out->failure = r->text;
    return stop != TURN_STOPS;
}

static void read_usage(const struct raw_event *r, struct script_event *out)
{
    out->event.kind = EVENT_USAGE;
    out->event.usage = (struct event_usage){
        .turn = { .input = r->input, .output = r->output },
        .used = r->used,
        .size = r->size,
        .cost_usd = r->cost_micros < 0 ? -1 : (double)r->cost_micros / 1e6,
    };
}

static bool read_by_type(struct arena *mem, struct json at, const struct raw_event *r,
                         struct script_event *out, struct err *e)
{
    switch (out->type) {
    case SCRIPT_TEXT:
    case SCRIPT_THOUGHT:
        out->event.kind = out->type == SCRIPT_TEXT ? EVENT_TEXT : EVENT_THOUGHT;
        out->event.text = r->text;
        out->event.message = r->message;
        return r->text.p || missing(at, type_names[out->type], "text", e);
    case SCRIPT_TOOL: return read_tool(at, r, out, e);
    case SCRIPT_PLAN:
        out->event.kind = EVENT_PLAN;
        out->event.plan = json_here(r->entries) ? json_raw(r->entries) : STR("[]");
        return json_here(r->entries) || missing(at, "plan", "entries", e);
    case SCRIPT_PERMISSION:
    case SCRIPT_FORM: return read_question(mem, r, out, e);
    case SCRIPT_ARTIFACT: return read_artifact(mem, at, r, out, e);
    case SCRIPT_USAGE: read_usage(r, out); return true;
    case SCRIPT_NOTICE:
        out->event.kind = EVENT_NOTICE;
        out->event.notice = (struct event_notice){ NOTICE_WARNING, r->text };
        return r->text.p || missing(at, "notice", "text", e);
    case SCRIPT_DELAY:
        return json_here(json_get(at, STR("delay_ms"))) || missing(at, "delay", "delay_ms", e);
    case SCRIPT_WAIT: return true;
    case SCRIPT_END: return read_end(at, r, out, e);
    case SCRIPT_TYPES: break;
    }
    return false;
}

static bool read_event(struct arena *mem, struct json at, struct script_event *out, struct err *e)
{
    struct raw_event r = { .pieces = 1, .cost_micros = -1 };
    size_t type;

    if (!pick(mem, at, PICK_TABLE(event_fields), PICK_STRICT, &r, e))
        return false;
    type = name_in(at, "type", r.type, type_names, SCRIPT_TYPES, e);
    if (type == SCRIPT_TYPES)
        return false;
    *out = (struct script_event){ .type = (enum script_type)type,
                                  .pieces = r.pieces,
                                  .delay_ms = r.delay_ms };
    out->event.tool.id = r.id; /* also of a question: the call that it is about */
    return read_by_type(mem, at, &r, out, e);
}

/* ---- rules ----------------------------------------------------------------------------------- */

struct raw_rule {
    struct str text, prefix, contains, id, id_prefix;
    struct json event;
};

static const struct pick rule_fields[] = {
    PICK_FIELD("text", PICK_STR, struct raw_rule, text, 0),
    PICK_FIELD("prefix", PICK_STR, struct raw_rule, prefix, 0),
    PICK_FIELD("contains", PICK_STR, struct raw_rule, contains, 0),
    PICK_FIELD("id", PICK_STR, struct raw_rule, id, 0),
    PICK_FIELD("id_prefix", PICK_STR, struct raw_rule, id_prefix, 0),
    PICK_FIELD("event", PICK_ARRAY, struct raw_rule, event, PICK_MUST),
};

static bool set_match(struct json at, const struct raw_rule *r, struct script_rule *out,
                      struct err *e)
{
    const struct {
        enum script_match match;
        struct str pattern;
    } rows[] = { { MATCH_TEXT, r->text },
                 { MATCH_PREFIX, r->prefix },
                 { MATCH_CONTAINS, r->contains },
                 { MATCH_ID, r->id },
                 { MATCH_ID_PREFIX, r->id_prefix } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!rows[i].pattern.p)
            continue;
        if (out->match != MATCH_ANY)
            return json_fail(at, e,
                             "a rule may have only one of text, prefix, contains, id and "
                             "id_prefix");
        out->match = rows[i].match;
        out->pattern = rows[i].pattern;
    }
    return true;
}

static bool read_rule(struct arena *mem, struct json at, struct script_rule *out, size_t *events,
                      struct err *e)
{
    struct raw_rule r = { 0 };
    struct script_event *list;

    if (!pick(mem, at, PICK_TABLE(rule_fields), PICK_STRICT, &r, e) || !set_match(at, &r, out, e))
        return false;
    *events += json_count(r.event);
    if (*events > SCRIPT_EVENTS_MOST)
        return json_fail(at, e, "a script has at most %d events", SCRIPT_EVENTS_MOST);
    list = ARENA_ARRAY(mem, struct script_event, json_count(r.event) ? json_count(r.event) : 1);
    JSON_EACH(v, r.event)
    {
        if (!read_event(mem, v, &list[out->events++], e))
            return false;
    }
    out->event = list;
    return true;
}

struct raw_script {
    struct json rule;
};

static const struct pick script_fields[] = {
    PICK_FIELD("rule", PICK_ARRAY, struct raw_script, rule, PICK_MUST),
};

bool script_read(struct arena *mem, struct str text, const char *file, struct script *out,
                 struct err *e)
{
    struct raw_script raw = { 0 };
    struct script_rule *rule;
    struct json root;
    size_t n = 0, events = 0;

    if (!toml_read(mem, text, file, SCRIPT_DEPTH, &root, e) ||
        !pick(mem, root, PICK_TABLE(script_fields), PICK_STRICT, &raw, e))
        return false;
    if (json_count(raw.rule) > SCRIPT_RULES_MOST)
        return json_fail(raw.rule, e, "a script has at most %d rules", SCRIPT_RULES_MOST);
    rule = ARENA_ARRAY(mem, struct script_rule, json_count(raw.rule) ? json_count(raw.rule) : 1);
    JSON_EACH(v, raw.rule)
    {
        if (!read_rule(mem, v, &rule[n++], &events, e))
            return false;
    }
    *out = (struct script){ rule, n };
    return true;
}

static bool rule_matches(const struct script_rule *r, struct str id, struct str text)
{
    switch (r->match) {
    case MATCH_ANY: return true;
    case MATCH_TEXT: return str_eq(text, r->pattern);
    case MATCH_PREFIX: return str_starts(text, r->pattern);
    case MATCH_CONTAINS: return str_find(text, r->pattern) >= 0;
    case MATCH_ID: return str_eq(id, r->pattern);
    case MATCH_ID_PREFIX: return str_starts(id, r->pattern);
    }
    return false;
}

const struct script_rule *script_find(const struct script *s, struct str id, struct str text)
{
    for (size_t i = 0; i < s->rules; i++)
        if (rule_matches(&s->rule[i], id, text))
            return &s->rule[i];
    return NULL;
}
