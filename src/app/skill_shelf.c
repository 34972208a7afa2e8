#include "app/skill_shelf.h"

#include "tool/tools.h"

static void load(struct skill_shelf *s)
{
    size_t max = (size_t)s->limits->skill_list_bytes;
    struct notes notes = { 0 };

    skills_load(&s->mem, s->root, s->limits, &notes, &s->list);
    notes_log(&notes);
    s->tool = tool_skill;
    s->tool.description =
        arena_printf(&s->mem, "%s There are:\n" STR_FMT, tool_skill.description,
                     STR_ARG(skills_lines(&s->mem, &s->list, max)))
            .p;
}

void skill_shelf_open(struct skill_shelf *s, struct loop *loop, const struct limits *limits,
                      const char *root)
{
    *s = (struct skill_shelf){ .loop = loop, .limits = limits, .root = root };
    load(s);
}

/* Who lists the old ones lets go of them while it is told. */
void skill_shelf_refresh(struct skill_shelf *s)
{
    struct arena old = s->mem;

    s->mem = (struct arena){ 0 };
    load(s);
    if (s->on_changed)
        s->on_changed(s->who);
    arena_fini(&old);
}

const struct tool *skill_shelf_shows(const struct skill_shelf *s, const struct tool *builtin)
{
    if (builtin != &tool_skill)
        return builtin;
    return s->list.n ? &s->tool : NULL;
}

/* ---- watching ------------------------------------------------------------------------------ */

static void on_files_changed(void *who)
{
    skill_shelf_refresh(who);
}

void skill_shelf_watch(struct skill_shelf *s)
{
    struct file_watch_opts o = { .loop = s->loop,
                                 .most = (size_t)s->limits->agent_files,
                                 .look_ms = s->limits->watch_ms,
                                 .changed = on_files_changed,
                                 .who = s };

    if (s->watch)
        return;
    o.path = skills_places(&s->places, s->root, &o.paths);
    s->watch = file_watch_open(&o);
    skill_shelf_refresh(s); /* what has changed between reading and watching */
}

static void on_unwatched(void *who)
{
    struct skill_shelf *s = who;

    arena_fini(&s->places);
    if (s->done)
        s->done(s->done_who);
}

void skill_shelf_unwatch(struct skill_shelf *s, void (*done)(void *who), void *who)
{
    struct file_watch *w = s->watch;

    s->watch = NULL;
    s->done = done;
    s->done_who = who;
    file_watch_close(w, on_unwatched, s);
}

void skill_shelf_fini(struct skill_shelf *s)
{
    arena_fini(&s->mem);
}
