#include "core/agent/agent_artifacts.h"

#include "core/tool/call.h"

struct agent_made {
    struct str id, name, type, uri;
    struct buf text;
    bool binary;
    struct agent_made *next;
};

/* ---- gathering ------------------------------------------------------------------------------- */

static struct agent_made *find_or_add(struct agent_made **at, struct call *call, struct str id)
{
    struct agent_made *m;

    while (*at && !str_eq((*at)->id, id))
        at = &(*at)->next;
    if (*at)
        return *at;
    *at = m = ARENA_NEW(call->mem, struct agent_made);
    m->id = arena_str(call->mem, id);
    buf_init_in(&m->text, call->mem, (size_t)call->host->limits->message_bytes);
    return m;
}

/* What is not said stays as it was. */
static void set(struct str *to, struct arena *mem, struct str s)
{
    if (s.p)
        *to = arena_str(mem, s);
}

void agent_made_add(struct agent_made **made, struct call *call, const struct event_artifact *a)
{
    struct agent_made *m = find_or_add(made, call, a->id);

    set(&m->name, call->mem, a->name);
    set(&m->type, call->mem, a->type);
    set(&m->uri, call->mem, a->uri);
    m->binary = a->binary;
    if (!a->append)
        buf_clear(&m->text);
    buf_put(&m->text, a->text);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_link(struct jw *w, const struct agent_made *m)
{
    jw_object(w);
    jw_kstr(w, "type", STR("resource_link"));
    jw_kstr(w, "uri", m->uri);
    jw_kstr(w, "name", m->name.p ? m->name : m->id);
    jw_kstr(w, "mimeType", m->type);
    jw_object_end(w);
}

static void write_embedded(struct jw *w, const struct agent_made *m, struct str uri)
{
    jw_object(w);
    jw_kstr(w, "type", STR("resource"));
    jw_plain_key(w, STR("resource"));
    jw_object(w);
    jw_kstr(w, "uri", uri);
    jw_kstr(w, "mimeType", m->type.p ? m->type : STR("text/plain"));
    jw_kstr(w, m->binary ? "blob" : "text", m->text.p ? buf_str(&m->text) : STR(""));
    jw_object_end(w);
    jw_object_end(w);
}

static void write_one(const struct agent_made *m, struct call *call, const char *session)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, call->content.max);
    if (m->uri.p)
        write_link(&w, m);
    else
        write_embedded(&w, m,
                       arena_printf(call->mem, "artifact://%s/" STR_FMT, session, STR_ARG(m->id)));
    if (!m->text.full && !out.full)
        call_block(call, buf_str(&out));
}

void agent_made_write(const struct agent_made *made, struct call *call, const char *session)
{
    for (const struct agent_made *m = made; m; m = m->next)
        write_one(m, call, session);
}
