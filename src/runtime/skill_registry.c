#include "runtime/skill_registry.h"

#include "tool/tools.h"

static const char *describe(struct skill_registry *s, struct arena *mem,
                            const struct skill_list *list)
{
    struct str lines = skills_lines(mem, list, (size_t)s->limits->skill_list_bytes);

    return arena_printf(mem, "%s Available skills:\n" STR_FMT, tool_skill.description,
                        STR_ARG(lines))
        .p;
}

static void read_list(struct skill_registry *s, struct arena *mem, struct skill_list *out)
{
    struct notes notes = { 0 };

    skills_load(mem, s->root, s->limits, &notes, out);
    notes_log(&notes);
}

static void skill_registry_use(struct skill_registry *s, struct arena mem, struct skill_list list)
{
    s->mem = mem;
    s->list = list;
    s->tool = tool_skill;
    s->tool.description = describe(s, &s->mem, &s->list);
}

static bool same(const struct skill_list *a, const struct skill_list *b)
{
    bool all = a->n == b->n;

    for (size_t i = 0; all && i < a->n; i++)
        all = str_eq(str_of(a->v[i].name), str_of(b->v[i].name)) &&
              str_eq(str_of(a->v[i].origin), str_of(b->v[i].origin)) &&
              str_eq(a->v[i].description, b->v[i].description) &&
              str_eq(a->v[i].body, b->v[i].body);
    return all;
}

void skill_registry_open(struct skill_registry *s, struct loop *loop, const struct limits *limits,
                         const char *root)
{
    struct arena mem = { 0 };
    struct skill_list list;

    *s = (struct skill_registry){ .loop = loop, .limits = limits, .root = root };
    read_list(s, &mem, &list);
    skill_registry_use(s, mem, list);
}

void skill_registry_refresh(struct skill_registry *s)
{
    struct arena old = s->mem, fresh = { 0 };
    struct skill_list list;

    read_list(s, &fresh, &list);
    if (same(&s->list, &list)) {
        arena_fini(&fresh);
        return;
    }
    skill_registry_use(s, fresh, list);
    if (s->on_changed)
        s->on_changed(s->ctx);
    arena_fini(&old); /* no code uses the old skills any more */
}

const struct tool *skill_registry_tool(const struct skill_registry *s, const struct tool *builtin)
{
    if (builtin != &tool_skill)
        return builtin;
    return s->list.n ? &s->tool : NULL;
}

/* ---- watching ------------------------------------------------------------------------------ */

static void on_files_changed(void *ctx)
{
    skill_registry_refresh(ctx);
}

void skill_registry_watch(struct skill_registry *s)
{
    struct file_watch_opts o = { .loop = s->loop,
                                 .most = (size_t)s->limits->agent_files,
                                 .look_ms = s->limits->watch_ms,
                                 .changed = on_files_changed,
                                 .ctx = s };

    if (s->watch)
        return;
    o.path = skills_places(&s->places, s->root, &o.paths);
    s->watch = file_watch_open(&o);
    /* handles changes between the last reading and the start of the watch */
    skill_registry_refresh(s);
}

static void on_unwatched(void *ctx)
{
    struct skill_registry *s = ctx;

    arena_fini(&s->places);
    if (s->done)
        s->done(s->done_ctx);
}

void skill_registry_unwatch(struct skill_registry *s, void (*done)(void *ctx), void *ctx)
{
    struct file_watch *w = s->watch;

    s->watch = NULL;
    s->done = done;
    s->done_ctx = ctx;
    file_watch_close(w, on_unwatched, s);
}

void skill_registry_fini(struct skill_registry *s)
{
    arena_fini(&s->mem);
}
