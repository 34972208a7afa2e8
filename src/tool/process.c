/*
 * process.c - background processes: start one, read its output, write to its stdin, kill it.
 *
 * A background process does not belong to a call or a client: every client that knows its id, which
 * cannot be guessed, can use it. A process that an
 * agent has started ends with the session of the agent; all processes end with trefoil. The data of a process that has
 * ended is kept until there are more than limits.processes.
 */
#include "base/auto.h"
#include "base/container.h"
#include "tool/child.h"
#include "tool/tools.h"

/* ---- starting ---------------------------------------------------------------------------- */

/* Make room for one more process: drop the oldest one that has ended. */
static bool make_room(struct tool_resources *w, int64_t most)
{
    struct child *oldest = NULL;
    int64_t n = 0;

    for (struct child *k = w->children; k; k = k->next) {
        n += k->kept;
        if (k->kept && child_has_exited(k))
            oldest = k;
    }
    if (n < most)
        return true;
    if (oldest)
        child_drop(oldest);
    return oldest != NULL;
}

static void write_process(struct call *call, const struct child *k, uint64_t lost)
{
    struct jw w = jw_to(&call->structured);

    jw_object(&w);
    jw_kstr(&w, "id", str_of(k->id));
    child_write_state(k, &w);
    jw_kint(&w, "lostBytes", (int64_t)lost);
    jw_object_end(&w);
}

static void on_process_started(struct call *call, struct child *k, void *ctx)
{
    (void)ctx;
    write_process(call, k, 0);
    call_text(call, arena_printf(call->mem, "Started as %s", k->id));
    call_done(call);
}

struct start_args {
    struct child_args child;
};

static const struct pick start_fields[] = { CHILD_FIELDS(struct start_args, child) };

static void start_process(struct call *call)
{
    const struct limits *l = call->host->limits;
    struct start_args args = { 0 };
    struct command_plan plan;
    struct child *k;

    if (!tool_args(call, PICK_TABLE(start_fields), &args) || !child_plan(call, &args.child, &plan))
        return;
    if (!make_room(call->host->world, l->processes)) {
        call_failed(call, "%lld processes are running already (limits.processes)",
                    (long long)l->processes);
        return;
    }
    k = child_start(call, &plan, 0, child_output_room(l, l->process_output_bytes),
                    on_process_started, NULL);
    k->kept = true;
}

/* ---- one that runs ----------------------------------------------------------------------- */

struct process_call {
    struct child_wait wait; /* first */
    struct call *call;
    struct child *child;
};

struct id_args {
    struct str id, text;
    bool close;
    int64_t wait_ms;
};

/* The process that is meant; NULL: the call has failed with the reason. */
static struct process_call *process_of(struct call *call, struct str id)
{
    struct child *k = call->host->world ? child_find(call->host->world, id) : NULL;
    struct process_call *p;

    if (!k) {
        call_failed(call, "there is no process with this id, or it has ended");
        return NULL;
    }
    p = ARENA_NEW(call->mem, struct process_call);
    p->call = call;
    p->child = k;
    return p;
}

/* What is new, and how it is. It may hold anything, so it is put, not printed. */
static void tell(struct process_call *p)
{
    struct call *call = p->call;
    uint64_t lost;
    struct str fresh = output_take(&p->child->output, &lost);
    struct str blocked = STR("");
    struct buf out;

    if (child_has_exited(p->child))
        blocked = child_sandbox_blocked(p->child, call->mem);
    buf_init_in(&out, call->mem, fresh.n + blocked.n + 1024);
    if (lost)
        buf_printf(&out, "[%llu bytes omitted]\n", (unsigned long long)lost);
    buf_put(&out, fresh);
    if (out.n && out.p[out.n - 1] != '\n')
        buf_putc(&out, '\n');
    buf_printf(&out, "[the process " STR_FMT "]", STR_ARG(child_state_text(p->child, call->mem)));
    buf_put(&out, blocked);
    write_process(call, p->child, lost);
    call_text(call, buf_str(&out));
    call_done(call);
}

static void on_news(struct op *op, const struct err *e, void *ctx)
{
    struct process_call *p = ctx;

    (void)op;
    if (!e || e->code == ERR_TIMEOUT)
        tell(p);
    else if (e->code == ERR_CANCELED)
        call_done(p->call); /* the call knows that it was cancelled */
    else
        call_failed(p->call, "%s", e->text);
}

static const struct pick poll_fields[] = {
    PICK_FIELD("id", PICK_STR, struct id_args, id, PICK_MUST),
    PICK_RANGE("wait_ms", struct id_args, wait_ms, 0, 0, INT32_MAX),
};

static void start_poll(struct call *call)
{
    int64_t most = call->host->limits->process_wait_ms;
    struct id_args args = { 0 };
    struct process_call *p;

    if (!tool_args(call, PICK_TABLE(poll_fields), &args))
        return;
    p = process_of(call, args.id);
    if (!p)
        return;
    if (args.wait_ms > most)
        call_failed(call, "wait_ms: at most %lld (the constant process_wait_ms)", (long long)most);
    else if (!args.wait_ms)
        tell(p);
    else
        child_wait(p->child, &p->wait, CHILD_ANY, args.wait_ms, &call->op, on_news, p);
}

static const struct pick write_fields[] = {
    PICK_FIELD("id", PICK_STR, struct id_args, id, PICK_MUST),
    PICK_FIELD("text", PICK_STR, struct id_args, text, 0),
    PICK_FIELD("close", PICK_BOOL, struct id_args, close, 0),
};

static void start_write(struct call *call)
{
    int64_t most = call->host->limits->process_input_bytes;
    struct id_args args = { 0 };
    struct process_call *p;
    struct stream *io;

    if (!tool_args(call, PICK_TABLE(write_fields), &args))
        return;
    p = process_of(call, args.id);
    if (!p)
        return;
    io = child_has_exited(p->child) ? NULL : terminal_input(&p->child->terminal);
    if (!io || io->shutting || io->error) {
        call_failed(call, "the process %s",
                    child_has_exited(p->child) ? child_state_text(p->child, call->mem).p
                    : io                       ? "no longer reads its input"
                                               : "has no stdin: its terminal takes no input");
        return;
    }
    if ((int64_t)(stream_backlog(io) + args.text.n) > most) {
        call_failed(call,
                    "the process has not read %zu bytes yet; at most %lld may wait "
                    "(the constant process_input_bytes)",
                    stream_backlog(io), (long long)most);
        return;
    }
    if (args.text.n)
        stream_put(io, args.text);
    if (args.close)
        stream_shut(io);
    call_text(call,
              arena_printf(call->mem, "Written: " COUNT_FMT "%s", COUNT_ARG(args.text.n, "byte"),
                           args.close ? "; stdin is closed" : ""));
    call_done(call);
}

static const struct pick kill_fields[] = {
    PICK_FIELD("id", PICK_STR, struct id_args, id, PICK_MUST),
};

static void start_kill(struct call *call)
{
    struct id_args args = { 0 };
    struct process_call *p;

    if (!tool_args(call, PICK_TABLE(kill_fields), &args))
        return;
    p = process_of(call, args.id);
    if (!p)
        return;
    child_kill(p->child);
    child_wait(p->child, &p->wait, CHILD_EXIT, call->host->limits->tool_ms, &call->op, on_news, p);
}

/* ---- the sandbox ------------------------------------------------------------------------- */

/* Input may make a process do anything that its profile allows. */
static struct tool_sandbox write_wish(const struct host *host, struct json args)
{
    AUTO_ARENA mem = { 0 };
    struct str id = json_str(&mem, json_get(args, STR("id")));
    const struct child *k = host->world && id.n ? child_find(host->world, id) : NULL;

    return (struct tool_sandbox){ .what = k ? TOOL_SANDBOX_CHOSEN : TOOL_SANDBOX_NOTHING,
                                  .kind = k ? k->sandbox : SANDBOX_OFF };
}

static struct tool_sandbox nothing_wish(const struct host *host, struct json args)
{
    (void)host;
    (void)args;
    return (struct tool_sandbox){ .what = TOOL_SANDBOX_NOTHING };
}

/* ---- the tools --------------------------------------------------------------------------- */

#define STATE_SCHEMA                                                                               \
    "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"                           \
    "\"running\":{\"type\":\"boolean\"},\"exitCode\":{\"type\":\"integer\"},"                      \
    "\"signal\":{\"type\":\"integer\"},\"lostBytes\":{\"type\":\"integer\"}},"                     \
    "\"required\":[\"id\",\"running\",\"lostBytes\"]}"

#define ID_SCHEMA "\"id\":{\"type\":\"string\",\"description\":\"id that process_start returned.\"}"

const struct tool tool_process_start = {
    .name = "process_start",
    .title = "Start a process",
    .description = "Start a program in the background and return its id at once. trefoil kills "
                   "the program when trefoil itself exits.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" CHILD_SCHEMA "}}",
    .output_schema = STATE_SCHEMA,
    .kind = TOOL_EXECUTE,
    .sandbox = child_sandbox_wish,
    .open_world = true,
    .start = start_process,
};

const struct tool tool_process_poll = {
    .name = "process_poll",
    .title = "Poll a process",
    .description = "Get the new output of a background process, and whether it is still running.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" ID_SCHEMA ","
                    "\"wait_ms\":{\"type\":\"integer\",\"minimum\":0,"
                    "\"description\":\"Milliseconds to wait for new output.\"}},"
                    "\"required\":[\"id\"]}",
    .output_schema = STATE_SCHEMA,
    .kind = TOOL_EXECUTE,
    .sandbox = nothing_wish,
    .start = start_poll,
};

const struct tool tool_process_write = {
    .name = "process_write",
    .title = "Write to a process",
    .description = "Write text to the stdin of a background process, and then close stdin if "
                   "`close` is true.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{" ID_SCHEMA ","
        "\"text\":{\"type\":\"string\"},"
        "\"close\":{\"type\":\"boolean\",\"description\":\"Close stdin after the text.\"}},"
        "\"required\":[\"id\"]}",
    .kind = TOOL_EXECUTE,
    .sandbox = write_wish,
    .open_world = true,
    .start = start_write,
};

const struct tool tool_process_kill = {
    .name = "process_kill",
    .title = "Kill a process",
    .description = "Kill a background process and its children, and return their last output.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" ID_SCHEMA "},"
                    "\"required\":[\"id\"]}",
    .output_schema = STATE_SCHEMA,
    .kind = TOOL_EXECUTE,
    .sandbox = nothing_wish,
    .idempotent = true,
    .start = start_kill,
};
