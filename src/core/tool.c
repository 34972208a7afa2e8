#include "core/tool.h"

#include "base/container.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

const struct tool *tool_find(const struct tool_set *set, struct str name)
{
    for (size_t i = 0; i < set->count; i++)
        if (str_eq(name, str_of(set->tool[i]->name)))
            return set->tool[i];
    return NULL;
}

/* ---- one call --------------------------------------------------------------------------- */

static struct tool_call *call_of(struct op *op)
{
    return CONTAINER_OF(op, struct tool_call, op);
}

/* why: NULL when all went well. A deadline or a cancel weighs more than what it caused. */
static void settle(struct tool_call *call, const struct err *why)
{
    struct err e;

    if (call->op.settled)
        return;
    timer_clear(call->op.loop, &call->deadline);
    if (call->late) {
        fail(&e, ERR_TIMEOUT, "%s took longer than %lld ms (limits.tool_ms)", call->tool->name,
             (long long)call->host->limits->tool_ms);
        op_fail(&call->op, &e);
    } else if (call->op.canceled) {
        op_fail(&call->op, &(struct err){ ERR_CANCELED, "canceled" });
    } else if (why) {
        op_fail(&call->op, why);
    } else {
        op_ok(&call->op);
    }
}

/* Children have been told; without one the tool has nothing that would come back. */
static void cancel_call(struct op *op)
{
    if (!op->child)
        settle(call_of(op), NULL);
}

static const struct op_kind call_kind = { .name = "tool", .cancel = cancel_call };

static void on_deadline(struct timer *t)
{
    struct tool_call *call = CONTAINER_OF(t, struct tool_call, deadline);

    call->late = true;
    op_cancel(&call->op);
}

void tool_run(struct tool_call *call, const struct tool_set *set, const struct tool *tool,
              struct arena *mem, struct json args, struct op *parent, op_done_fn *done, void *who)
{
    const struct tool_host *host = &set->host;

    *call = (struct tool_call){ .tool = tool, .host = host, .mem = mem, .args = args };
    buf_init_in(&call->content, mem, (size_t)host->limits->message_bytes);
    buf_init_in(&call->structured, mem, (size_t)host->limits->message_bytes);
    op_begin(&call->op, &call_kind, host->loop, parent, done, who);
    timer_set(host->loop, &call->deadline, host->limits->tool_ms, on_deadline);
    tool->start(call);
}

/* The first `most` characters of a text; *cut says how many were left out. */
static struct str head_chars(struct str text, size_t most, size_t *cut)
{
    size_t chars = 0, i = 0;

    *cut = 0;
    if (text.n <= most) /* fewer bytes than that, so fewer characters */
        return text;
    for (; i < text.n; i++) {
        if (((unsigned char)text.p[i] & 0xc0) == 0x80)
            continue;
        if (chars++ == most)
            break;
    }
    *cut = utf8_count(str_skip(text, i));
    return str_head(text, i);
}

void tool_text(struct tool_call *call, struct str text)
{
    struct jw w = jw_to(&call->content);
    size_t cut;
    struct str head = head_chars(text, (size_t)call->host->limits->tool_result_chars, &cut);

    if (cut)
        head = arena_printf(call->mem, STR_FMT "\n[cut here: %zu more characters]", STR_ARG(head),
                            cut);
    w.comma = call->content.n > 0;
    jw_object(&w);
    jw_kstr(&w, "type", STR("text"));
    jw_kstr(&w, "text", head);
    jw_object_end(&w);
}

void tool_done(struct tool_call *call)
{
    settle(call, NULL);
}

void tool_failed(struct tool_call *call, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    buf_clear(&call->content);
    buf_clear(&call->structured);
    call->is_error = true;
    tool_text(call, str_of(text));
    settle(call, NULL);
}

void tool_broke(struct tool_call *call, const struct err *e)
{
    settle(call, e);
}
