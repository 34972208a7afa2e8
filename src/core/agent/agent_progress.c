/* agent_progress.c - reports what a called agent does to its caller. */
#include "core/agent/agent_progress.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/digits.h"

static const char *const statuses[] = {
    [CALLED_PENDING] = "pending", [CALLED_RUNNING] = "running",    [CALLED_DONE] = "done",
    [CALLED_FAILED] = "failed",   [CALLED_CANCELED] = "cancelled",
};

/* ---- reporting ----------------------------------------------------------------------------- */

static void on_quiet(struct timer *timer);

/* A caller with `below` gets all events of the called agent and needs no "still working". */
static void set_quiet(struct agent_tell *t)
{
    if (!t->call->caller->kind->below)
        timer_set(t->call->op.loop, &t->quiet, t->call->host->limits->agent_progress_ms, on_quiet);
}

static void send_progress(struct agent_tell *t, struct str message)
{
    char done[DIGITS_MOST];
    size_t n = digits_put(done, (uint64_t)++t->told);

    set_quiet(t);
    call_progress(t->call, &(struct progress){ .done = { done, n }, .message = message });
}

static void on_quiet(struct timer *timer)
{
    send_progress(CONTAINER_OF(timer, struct agent_tell, quiet), STR("still working"));
}

static void send_said(struct agent_tell *t)
{
    AUTO_BUF out;

    buf_init(&out, TELL_BYTES + sizeof("... "));
    timer_clear(t->call->op.loop, &t->timer);
    t->next = loop_now(t->call->op.loop) + TELL_PACE_MS;
    if (t->cut)
        buf_put(&out, STR("... "));
    buf_put(&out, buf_str(&t->said));
    send_progress(t, buf_str(&out));
}

static void on_pace(struct timer *timer)
{
    send_said(CONTAINER_OF(timer, struct agent_tell, timer));
}

static void send_paced(struct agent_tell *t)
{
    struct loop *loop = t->call->op.loop;
    int64_t left = t->next - loop_now(loop);

    if (left <= 0)
        send_said(t);
    else if (!timer_is_set(&t->timer))
        timer_set(loop, &t->timer, left, on_pace);
}

/* ---- events -------------------------------------------------------------------------------- */

static void clear_said(struct agent_tell *t)
{
    buf_clear(&t->said);
    t->cut = t->is_note = false;
}

static bool begins_inside(struct str s)
{
    return s.n && ((unsigned char)s.p[0] & 0xc0) == 0x80;
}

/* The last bytes of s, at most `most`, starting at a character boundary. */
static struct str tail(struct str s, size_t most)
{
    if (s.n <= most)
        return s;
    s = str_skip(s, s.n - most);
    while (begins_inside(s))
        s = str_skip(s, 1);
    return s;
}

static void append_said(struct agent_tell *t, struct str text)
{
    struct str end = tail(text, TELL_BYTES);
    struct str before = tail(buf_str(&t->said), TELL_BYTES - end.n);

    t->cut |= end.n < text.n || before.n < t->said.n;
    buf_consume(&t->said, t->said.n - before.n);
    buf_put(&t->said, end);
}

static void keep_words(struct agent_tell *t, struct str text)
{
    if (t->is_note)
        clear_said(t);
    append_said(t, text);
    send_paced(t);
}

static void keep_note(struct agent_tell *t, struct str name, struct str text)
{
    clear_said(t);
    t->is_note = true;
    if (name.p) {
        append_said(t, name);
        append_said(t, STR(": "));
    }
    append_said(t, text);
}

static void on_tool(struct agent_tell *t, const struct event_tool *tool)
{
    bool on_its_way = tool->status == CALLED_RUNNING && (tool->text.n || tool->done.n);

    if (on_its_way) {
        keep_note(t, tool->name, tool->text.n ? tool->text : tool->done);
        send_paced(t);
    } else {
        keep_note(t, tool->name, str_of(statuses[tool->status]));
        send_said(t);
    }
}

void agent_tell_event(struct agent_tell *t, const struct event *ev)
{
    switch (ev->kind) {
    case EVENT_TEXT: keep_words(t, ev->text); break;
    case EVENT_TOOL: on_tool(t, &ev->tool); break;
    case EVENT_NOTICE:
        keep_note(t, STR_NONE, ev->notice.text);
        send_paced(t);
        break;
    case EVENT_END: agent_tell_end(t); break;
    case EVENT_PROMPT:
    case EVENT_THOUGHT:
    case EVENT_PLAN:
    case EVENT_ASK:
    case EVENT_USAGE:
    case EVENT_ARTIFACT:
    case EVENT_SESSION:
    case EVENT_KINDS: break;
    }
}

/* ---- life ---------------------------------------------------------------------------------- */

void agent_tell_begin(struct agent_tell *t, struct call *call)
{
    *t = (struct agent_tell){ .call = call, .next = loop_now(call->op.loop) };
    buf_init_in(&t->said, call->mem, TELL_BYTES + 1);
    set_quiet(t);
}

void agent_tell_end(struct agent_tell *t)
{
    if (!t->call)
        return;
    timer_clear(t->call->op.loop, &t->timer);
    timer_clear(t->call->op.loop, &t->quiet);
}
