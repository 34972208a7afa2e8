/* call.c - runs a call: its start, content, asks, deadline and end. */
#include "core/tool/call.h"

#include "base/container.h"
#include "base/id.h"
#include "base/list.h"
#include "base/utf8.h"
#include "core/guard/guard.h"
#include "core/lock/lock.h"
#include "core/tool/result_cap.h"

#include <stdarg.h>
#include <stdio.h>

static struct call *call_of(struct op *op)
{
    return CONTAINER_OF(op, struct call, op);
}

/* ---- the op ----------------------------------------------------------------------------- */

/* Withdraw the asks that are still open. */
static void take_back_asks(struct call *call)
{
    for (struct ask *ask = call->asks; ask; ask = ask->next)
        op_cancel(&ask->op);
}

/*
 * Settle the call; why: NULL on success. A passed deadline or a cancellation replaces the error
 * that it caused.
 */
static void call_settle(struct call *call, const struct err *why)
{
    struct err e;

    if (call->op.settled)
        return;
    timer_clear(call->op.loop, &call->deadline);
    if (call->late) {
        fail(&e, ERR_TIMEOUT, "%s took longer than %lld ms%s", call->what,
             (long long)call->allowed_ms, call->by_limit ? " (limits.tool_ms)" : "");
        op_fail(&call->op, &e);
    } else if (call->op.canceled) {
        op_fail(&call->op, &(struct err){ ERR_CANCELED, "cancelled" });
    } else if (why) {
        op_fail(&call->op, why);
    } else {
        op_ok(&call->op);
    }
    if (call->pass.state != GUARD_NEW)
        guard_settled(call, call->op.err.code);
    if (call->on_settled)
        call->on_settled(call);
    if (call->turn)
        lock_turn_end(call->host->locks, call->turn);
    take_back_asks(call);
}

/* The end of a cancelled child settles the call. Without a child, settle it here. */
static void cancel_call(struct op *op)
{
    if (!op->child)
        call_settle(call_of(op), NULL);
}

static const struct op_kind call_kind = { .name = "call", .cancel = cancel_call };

/* ---- the deadline ------------------------------------------------------------------------ */

static void on_deadline(struct timer *t)
{
    struct call *call = CONTAINER_OF(t, struct call, deadline);

    call->late = true;
    op_cancel(&call->op);
}

static void stop_deadline(struct call *call)
{
    if (call->allowed_ms == CALL_NO_DEADLINE || call->left_ms)
        return;
    call->left_ms = call->deadline.due - loop_now(call->op.loop);
    if (call->left_ms < 1)
        call->left_ms = 1;
    timer_clear(call->op.loop, &call->deadline);
}

static void go_on_deadline(struct call *call)
{
    if (call->allowed_ms == CALL_NO_DEADLINE || call->op.settled || call->asks || call->waits ||
        !call->left_ms)
        return;
    timer_set(call->op.loop, &call->deadline, call->left_ms, on_deadline);
    call->left_ms = 0;
}

void call_waits(struct call *call, bool waits)
{
    call->waits = waits;
    if (waits)
        stop_deadline(call);
    else
        go_on_deadline(call);
}

/* ---- running ----------------------------------------------------------------------------- */

void call_run(struct call *call, const struct host *host, struct caller *caller, struct arena *mem,
              const struct call_about *about, call_start_fn *start, struct op *parent,
              op_done_fn *done, void *ctx)
{
    size_t most = (size_t)host->limits->message_bytes;

    *call = (struct call){
        .host = host,
        .caller = caller,
        .mem = mem,
        .what = arena_cstr(mem, str_of(about->what)),
        .ctx = about->ctx,
        .tool = about->tool,
        .args = about->args,
        .uri = about->uri,
        .allowed_ms = about->timeout_ms ? about->timeout_ms : host->limits->tool_ms,
        .by_limit = !about->timeout_ms,
    };
    buf_init_in(&call->content, mem, most);
    buf_init_in(&call->structured, mem, most);
    op_begin(&call->op, &call_kind, host->loop, parent, done, ctx);
    if (call->allowed_ms != CALL_NO_DEADLINE)
        timer_set(host->loop, &call->deadline, call->allowed_ms, on_deadline);
    start(call);
}

/* ---- content ----------------------------------------------------------------------------- */

/* The first `most` characters of a text; *cut is the number of omitted characters. */
static struct str head_chars(struct str text, size_t most, size_t *cut)
{
    size_t chars = 0, i = 0;

    *cut = 0;
    if (text.n <= most) /* not more bytes than that, so not more characters */
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

static struct jw next_block(struct call *call)
{
    struct jw w = jw_to(&call->content);

    w.comma = call->content.n > 0;
    return w;
}

void call_text(struct call *call, struct str text)
{
    size_t most = result_cap(call), cut;
    struct str head = head_chars(text, most - call->text_chars, &cut);
    struct jw w;

    if (call->text_cut) /* nothing follows the mark of the truncation */
        return;
    w = next_block(call);
    call->text_cut = cut > 0;
    call->text_chars += cut ? most - call->text_chars : utf8_count(head);
    if (cut)
        head = arena_printf(call->mem,
                            STR_FMT "\n"
                                    "[truncated: %zu more characters]",
                            STR_ARG(head), cut);
    jw_object(&w);
    jw_kplain(&w, "type", STR("text"));
    jw_kstr(&w, "text", head);
    jw_object_end(&w);
}

void call_block(struct call *call, struct str json)
{
    struct jw w = next_block(call);

    call->has_blocks = true;
    jw_raw(&w, json);
}

/* ---- the end ----------------------------------------------------------------------------- */

void call_done(struct call *call)
{
    call_settle(call, NULL);
}

void call_json_content(struct call *call, const struct buf *json)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "uri", call->uri);
    jw_kstr(&w, "mimeType", STR("application/json"));
    jw_kstr(&w, "text", buf_str(json));
    jw_object_end(&w);
    if (json->full || out.full) {
        call_broke(call, &(struct err){ ERR_LIMIT, "too large for one message" });
        return;
    }
    call_block(call, buf_str(&out));
    call_done(call);
}

void call_failed(struct call *call, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (call->op.settled) /* its content is complete */
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    buf_clear(&call->content);
    buf_clear(&call->structured);
    call->text_chars = 0;
    call->text_cut = false;
    call->is_error = true;
    call_text(call, str_of(text));
    call_settle(call, NULL);
}

void call_broke(struct call *call, const struct err *e)
{
    call_settle(call, e);
}

static const char *const needs[ASK_KINDS] = {
    [ASK_FORM] = "input from a person (elicitation)",
    [ASK_URL] = "a person to visit a page (elicitation by URL)",
    [ASK_SAMPLE] = "an answer from its model (sampling)",
    [ASK_ROOTS] = "its folders (roots)",
    [ASK_PERMISSION] = "a person's permission",
};

void call_cannot_ask(const struct call *call, enum ask_kind kind, struct err *e)
{
    fail(e, ERR_DENIED, "%s needs %s, which this client does not support", call->what, needs[kind]);
}

static void note_lack(struct call *call, enum ask_kind kind, struct err *e)
{
    call_cannot_ask(call, kind, e);
    call->lacking = true;
    call->lacked = kind;
}

void call_lacks(struct call *call, enum ask_kind kind)
{
    struct err e;

    if (call->op.settled)
        return;
    note_lack(call, kind, &e);
    call_settle(call, &e);
}

void call_forward(struct call *call, struct str raw_result, struct str raw_error)
{
    if (call->op.settled)
        return;
    call->raw_result = raw_result;
    call->raw_error = raw_error;
    call_settle(call, NULL);
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The end of a cancelled child settles the ask. Without a child, settle it here. */
static void cancel_ask(struct op *op)
{
    if (!op->child)
        op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind ask_kind = { .name = "ask", .cancel = cancel_ask };

static void drop_ask(struct ask *ask)
{
    LIST_UNLINK(ask->call->asks, ask, next);
    go_on_deadline(ask->call);
}

struct asked {
    op_done_fn *done;
    void *ctx;
};

/* Remove the ask from the list before its callback runs. */
static void on_ask_done(struct op *op, const struct err *e, void *ctx)
{
    struct ask *ask = CONTAINER_OF(op, struct ask, op);
    struct asked asked = *(struct asked *)ctx;

    drop_ask(ask);
    if (ask->call->caller->kind->asked)
        ask->call->caller->kind->asked(ask->call->caller, ask);
    asked.done(op, e, asked.ctx);
}

void call_ask(struct call *call, struct ask *ask, enum ask_kind kind, struct str key,
              struct str params, op_done_fn *done, void *ctx)
{
    call_ask_about(call, call, ask, kind, key, params, done, ctx);
}

void call_ask_about(struct call *call, const struct call *about, struct ask *ask,
                    enum ask_kind kind, struct str key, struct str params, op_done_fn *done,
                    void *ctx)
{
    struct asked *asked = ARENA_NEW(call->mem, struct asked);
    struct ask **end = &call->asks;
    struct err e;

    *asked = (struct asked){ done, ctx };
    *ask = (struct ask){ .call = call, .about = about, .kind = kind, .key = key, .params = params };
    while (*end)
        end = &(*end)->next;
    *end = ask;
    stop_deadline(call);
    op_begin(&ask->op, &ask_kind, call->op.loop, &call->op, on_ask_done, asked);
    if (call->op.canceled) /* the loop cancels the ask, too; do not ask the person */
        return;
    if (call_can_ask(call, kind)) {
        call->caller->kind->ask(call->caller, ask);
        return;
    }
    note_lack(call, kind, &e);
    op_fail(&ask->op, &e);
}

void ask_answer(struct ask *ask, struct json answer)
{
    if (ask->op.settled)
        return;
    ask->answer = answer;
    op_ok(&ask->op);
}

void ask_refuse(struct ask *ask, const struct err *e)
{
    if (!ask->op.settled)
        op_fail(&ask->op, e);
}

/* ---- chains of agents ---------------------------------------------------------------------- */

/* ---- caller_nobody ------------------------------------------------------------------------ */

static bool nobody_can(const struct caller *c, enum ask_kind kind)
{
    (void)c;
    (void)kind;
    return false;
}

static void nobody_ask(struct caller *c, struct ask *ask)
{
    (void)c;
    ask_refuse(ask, &(struct err){ ERR_DENIED, "no one is available to answer" });
}

static void nobody_progress(struct caller *c, const struct progress *p)
{
    (void)c;
    (void)p;
}

static void nobody_log(struct caller *c, enum call_level level, struct str logger, struct str data)
{
    (void)c;
    (void)level;
    (void)logger;
    (void)data;
}

const struct caller_kind caller_nobody = {
    .can = nobody_can,
    .ask = nobody_ask,
    .progress = nobody_progress,
    .log = nobody_log,
};
