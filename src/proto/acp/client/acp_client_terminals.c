#include "proto/acp/client/acp_client_terminals.h"

#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* A request terminal/wait_for_exit. */
struct acp_wait {
    struct acp_request request; /* first */
    struct acp_child_terminal *terminal;
    struct acp_wait *next;
};

/* ---- output ---------------------------------------------------------------------------------- */

/* The number of bytes to drop so that at most `limit` bytes remain, from a whole character on. */
static size_t bytes_to_drop(struct str s, size_t limit)
{
    size_t cut = s.n > limit ? s.n - limit : 0;

    while (cut && cut < s.n && ((unsigned char)s.p[cut] & 0xc0) == 0x80)
        cut++;
    return cut;
}

static void on_terminal_output(struct terminal *terminal, struct str bytes)
{
    struct acp_child_terminal *t = terminal->owner;
    size_t drop = bytes_to_drop(bytes, t->limit);

    if (drop)
        buf_clear(&t->output);
    buf_put(&t->output, str_skip(bytes, drop));
    t->truncated |= drop > 0;
    drop = bytes_to_drop(buf_str(&t->output), t->limit);
    if (!drop)
        return;
    buf_consume(&t->output, drop);
    t->truncated = true;
}

/* The bytes of a character that has not arrived completely are left out. */
static struct str whole_characters(struct str s)
{
    size_t n = s.n, back = 0;

    while (back < 4 && n > 0 && ((unsigned char)s.p[n - 1] & 0xc0) == 0x80) {
        n--;
        back++;
    }
    if (n > 0 && (unsigned char)s.p[n - 1] >= 0xc0 && !utf8_len(s.p + n - 1, back + 1))
        return str_head(s, n - 1);
    return s;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* {"exitCode"} or {"signal"}; both are null if it is not known how the command ended. */
static void write_exit(struct jw *w, const struct acp_child_terminal *t)
{
    const char *name = t->exit.how == PROC_SIGNALED ? sigabbrev_np(t->exit.code) : NULL;
    char signal[32];

    jw_object(w);
    if (t->exit.how == PROC_EXITED)
        jw_kint(w, "exitCode", t->exit.code);
    else if (t->exit.how == PROC_NOT_STARTED)
        jw_kint(w, "exitCode", 127);
    else
        jw_kraw(w, "exitCode", STR("null"));
    snprintf(signal, sizeof(signal), "SIG%s", name ? name : "KILL");
    if (t->exit.how == PROC_EXITED || t->exit.how == PROC_NOT_STARTED)
        jw_kraw(w, "signal", STR("null"));
    else
        jw_kstr(w, "signal", str_of(signal));
    jw_object_end(w);
}

static void settle_wait(struct acp_wait *wait, bool exited)
{
    struct rpc_in *in = wait->request.in;

    LIST_UNLINK(wait->terminal->waits, wait, next);
    if (exited) {
        write_exit(rpc_result_begin(in), wait->terminal);
        rpc_result_end(in);
    } else {
        rpc_error(in, ACP_CANCELLED, "the terminal was released");
    }
    acp_request_end(&wait->request);
}

static void end_waits(struct acp_child_terminal *t, bool exited)
{
    while (t->waits)
        settle_wait(t->waits, exited);
}

static void on_terminal_exit(struct terminal *terminal, const struct proc_exit *exit)
{
    struct acp_child_terminal *t = terminal->owner;
    char text[160];

    t->state = TERM_EXITED;
    t->exit = *exit;
    if (exit->how == PROC_NOT_STARTED) {
        proc_exit_text(exit, text, sizeof(text));
        on_terminal_output(terminal, str_of(text));
    }
    end_waits(t, true);
}

void acp_terminal_free(struct acp_child_terminal *t)
{
    struct acp_driven *s = t->session;

    LIST_UNLINK(s->terminals, t, next);
    buf_fini(&t->output);
    mem_free(t);
    acp_session_gone(s);
}

static void on_terminal_closed(struct terminal *terminal)
{
    struct acp_child_terminal *t = terminal->owner;

    t->state = TERM_CLOSED;
    if (t->released)
        acp_terminal_free(t);
}

static const struct terminal_events events = {
    .on_output = on_terminal_output,
    .on_exit = on_terminal_exit,
    .on_closed = on_terminal_closed,
};

/* ---- life ------------------------------------------------------------------------------------ */

struct acp_child_terminal *acp_terminal_new(struct acp_driven *s, size_t limit)
{
    struct acp_child_terminal *t = MEM_NEW(struct acp_child_terminal);

    t->session = s;
    t->limit = limit;
    t->terminal = (struct terminal){
        .events = &events, .owner = t, .output_limit = limit, .host = &s->session->host
    };
    buf_init(&t->output, 2 * limit + 64);
    snprintf(t->id, sizeof(t->id), "terminal-%zu", ++s->terminals_made);
    t->next = s->terminals;
    s->terminals = t;
    return t;
}

void acp_terminal_started(struct acp_child_terminal *t)
{
    if (t->state == TERM_STARTING)
        t->state = TERM_RUNNING;
    if (t->released && t->state == TERM_CLOSED)
        acp_terminal_free(t);
    else if (t->released)
        terminal_release(&t->terminal);
}

size_t acp_terminal_count(const struct acp_driven *s)
{
    size_t n = 0;

    for (const struct acp_child_terminal *t = s->terminals; t; t = t->next)
        n++;
    return n;
}

/* The agent needs the terminal no more. A STARTING one is released when it has started. */
static void terminal_drop(struct acp_child_terminal *t)
{
    if (t->released)
        return;
    t->released = true;
    t->id[0] = '\0';
    end_waits(t, false);
    if (t->state == TERM_RUNNING || t->state == TERM_EXITED)
        terminal_release(&t->terminal);
    else if (t->state == TERM_CLOSED)
        acp_terminal_free(t);
}

void acp_terminals_end(struct acp_driven *s)
{
    for (struct acp_child_terminal *t = s->terminals, *next; t; t = next) {
        next = t->next;
        terminal_drop(t);
    }
}

/* ---- finding --------------------------------------------------------------------------------- */

static struct acp_child_terminal *find_terminal(const struct acp_driven *s, struct str id)
{
    struct acp_child_terminal *t = s->terminals;

    while (t && !(id.n && str_eq(str_of(t->id), id)))
        t = t->next;
    return t;
}

struct str acp_terminal_output(const struct acp_driven *s, struct str id)
{
    const struct acp_child_terminal *t = find_terminal(s, id);

    return t ? whole_characters(buf_str(&t->output)) : STR_NONE;
}

/* The terminal that a request names. NULL: the request was answered with an error. */
static struct acp_child_terminal *named_terminal(struct rpc_in *in)
{
    struct acp_driven *s = acp_driven_of(in);
    struct str id = json_str(in->mem, json_get(in->params, STR("terminalId")));
    struct acp_child_terminal *t = s ? find_terminal(s, id) : NULL;

    if (!t || t->state == TERM_STARTING) {
        rpc_error_data(in, ACP_NOT_FOUND, STR("there is no such terminal"), STR_NONE);
        return NULL;
    }
    return t;
}

/* ---- the methods ----------------------------------------------------------------------------- */

void acp_on_terminal_output(struct rpc_in *in)
{
    const struct acp_child_terminal *t = named_terminal(in);
    struct jw *w;

    if (!t)
        return;
    w = rpc_result_begin(in);
    jw_object(w);
    jw_plain_key(w, STR("output"));
    jw_str(w, whole_characters(buf_str(&t->output)));
    jw_kbool(w, "truncated", t->truncated);
    if (t->state >= TERM_EXITED) {
        jw_plain_key(w, STR("exitStatus"));
        write_exit(w, t);
    }
    jw_object_end(w);
    rpc_result_end(in);
}

static void cancel_wait(struct acp_request *r)
{
    settle_wait(CONTAINER_OF(r, struct acp_wait, request), false);
}

void acp_on_terminal_wait(struct rpc_in *in)
{
    struct acp_child_terminal *t = named_terminal(in);
    struct acp_wait *wait;

    if (!t)
        return;
    wait = ARENA_NEW(in->mem, struct acp_wait);
    wait->terminal = t;
    wait->next = t->waits;
    t->waits = wait;
    wait->request.cancel = cancel_wait;
    acp_request_begin(&wait->request, in, t->session);
    if (t->state >= TERM_EXITED)
        settle_wait(wait, true);
}

void acp_on_terminal_kill(struct rpc_in *in)
{
    struct acp_child_terminal *t = named_terminal(in);

    if (!t)
        return;
    if (t->state == TERM_RUNNING)
        terminal_kill(&t->terminal);
    rpc_result_raw(in, STR("{}"));
}

void acp_on_terminal_release(struct rpc_in *in)
{
    struct acp_child_terminal *t = named_terminal(in);

    if (!t)
        return;
    terminal_drop(t);
    rpc_result_raw(in, STR("{}"));
}
