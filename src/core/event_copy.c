#include "core/event.h"

static struct event_tool copy_tool(struct arena *mem, const struct event_tool *t)
{
    struct event_tool c = *t;
    struct str *const text[] = { &c.id,    &c.name,    &c.title,    &c.args,     &c.path,
                                 &c.text,  &c.content, &c.old_text, &c.new_text, &c.done,
                                 &c.total, &c.from,    &c.session };

    for (size_t i = 0; i < ARRAY_LEN(text); i++)
        *text[i] = arena_maybe(mem, *text[i]);
    return c;
}

static struct event_artifact copy_artifact(struct arena *mem, const struct event_artifact *a)
{
    struct event_artifact c = *a;

    c.id = arena_maybe(mem, c.id);
    c.name = arena_maybe(mem, c.name);
    c.description = arena_maybe(mem, c.description);
    c.part = blocks_copy(mem, c.part);
    return c;
}

struct event event_copy(struct arena *mem, const struct event *ev)
{
    struct event c = *ev;

    c.message = arena_maybe(mem, ev->message);
    c.text = arena_maybe(mem, ev->text);
    switch (ev->kind) {
    case EVENT_TOOL: c.tool = copy_tool(mem, &ev->tool); break;
    case EVENT_PLAN: c.plan = arena_maybe(mem, ev->plan); break;
    case EVENT_ARTIFACT: c.artifact = copy_artifact(mem, &ev->artifact); break;
    case EVENT_NOTICE: c.notice.text = arena_maybe(mem, ev->notice.text); break;
    case EVENT_SESSION:
        c.session.title = arena_maybe(mem, ev->session.title);
        c.session.mode = arena_maybe(mem, ev->session.mode);
        c.session.model = arena_maybe(mem, ev->session.model);
        break;
    case EVENT_END: c.end.text = arena_maybe(mem, ev->end.text); break;
    case EVENT_TEXT:
    case EVENT_THOUGHT:
    case EVENT_USAGE:
    case EVENT_PROMPT:
    case EVENT_ASK:
    case EVENT_KINDS: break;
    }
    return c;
}
