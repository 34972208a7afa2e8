/*
 * chat_commands.c - the commands of chat: lines that begin with a slash.
 *
 * A line with an unknown command is sent to the agent, because the offline provider has its own
 * commands. A line that begins with a space is also sent to the agent.
 */
#include "app/chat/chat.h"

#include "base/clock.h"
#include "base/display.h"
#include "core/guard/guard_read_only.h"

enum { SESSIONS_SHOWN = 20, LIST_MOST = 8 << 20 };

struct chat_command {
    const char *name, *words, *what;
    void (*run)(struct chat *c, struct str rest);
};

static const struct chat_command commands[];

static void say_buf(struct chat *c, const struct buf *b)
{
    chat_say(c, STR_FMT, STR_ARG(buf_str(b)));
}

/* ---- help ---------------------------------------------------------------------------------- */

static void on_help(struct chat *c, struct str rest)
{
    (void)rest;
    for (size_t i = 0; commands[i].name; i++) {
        char left[48];

        snprintf(left, sizeof(left), "%s %s", commands[i].name, commands[i].words);
        chat_say(c, "  %-28s %s\n", left, commands[i].what);
    }
    chat_say(
        c,
        "Every other line is sent to the agent, even one that begins with /. If no model is\n"
        "configured, the agent knows /echo, /read, /call and other commands. A line that begins\n"
        "with a space is not stored in the history.\n"
        "alt-enter or \\ at the end starts a new line; @ and tab complete paths; ctrl-r\n"
        "searches the history; ctrl-c cancels; ctrl-d exits.\n");
    chat_done(c);
}

static void on_quit(struct chat *c, struct str rest)
{
    (void)rest;
    chat_leave(c);
    chat_done(c);
}

static void on_clear(struct chat *c, struct str rest)
{
    (void)rest;
    if (c->edit.terminal)
        chat_say(c, "\x1b[H\x1b[2J");
    chat_done(c);
}

/* ---- sessions ------------------------------------------------------------------------------ */

/* Request the current agent, with the model of the command line. */
static struct agent_want same_agent(const struct chat *c)
{
    return (struct agent_want){ .name = str_of(c->session->agent->def->name),
                                .model = str_of(c->args->model) };
}

static void on_new(struct chat *c, struct str rest)
{
    struct agent_want want = same_agent(c);

    (void)rest;
    chat_open(c, STR_NONE, &want);
}

static void put_session(const struct chat *c, struct buf *out, const struct store_session *s)
{
    char when[CLOCK_TEXT];
    const char *mark = s->in_use ? "in use" : "";

    if (str_eq(s->id, str_of(c->session->id)))
        mark = "this one";
    clock_text(s->updated, when);
    buf_printf(out, STR_FMT "  %.16s  %-8s  ", STR_ARG(id_short(s->id)), when, mark);
    show_text(out, s->agent);
    buf_put(out, STR("  "));
    show_text(out, s->title);
    buf_putc(out, '\n');
}

static void on_listed(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;
    const struct store_session_page *page = &c->step.sessions;
    AUTO_BUF out;

    (void)op;
    buf_init(&out, LIST_MOST);
    if (e)
        chat_complain(c, e);
    for (size_t i = 0; !e && i < page->n; i++)
        put_session(c, &out, &page->v[i]);
    if (!e && page->more)
        buf_put(&out, STR("older sessions: " TREFOIL_NAME " sessions\n"));
    say_buf(c, &out);
    store_ask_fini(&c->ask);
    chat_done(c);
}

static void on_sessions(struct chat *c, struct str rest)
{
    (void)rest;
    if (!c->keeps) {
        chat_say(c, "No sessions are stored: there is no state directory.\n");
        chat_done(c);
        return;
    }
    c->step = (struct store_step){ .what = STORE_SESSIONS, .sessions = { .most = SESSIONS_SHOWN } };
    c->ask = (struct store_ask){ .step = &c->step, .steps = 1 };
    chat_begin(c, &c->ask.op);
    store_start(c->shop.world.store, &c->ask, NULL, on_listed, c);
}

static void on_resume(struct chat *c, struct str rest)
{
    if (rest.n) {
        chat_find(c, rest);
        return;
    }
    chat_say(c, "Missing session ID. Use /resume ID; /sessions lists the IDs.\n");
    chat_done(c);
}

static void on_continue(struct chat *c, struct str rest)
{
    (void)rest;
    if (c->session->interrupted) {
        chat_resume(c);
        return;
    }
    chat_say(c, "No turn was interrupted.\n");
    chat_done(c);
}

/* ---- agent and model ------------------------------------------------------------------------ */

static void list_agents(struct chat *c)
{
    struct agent_registry_port *d = agent_registry_port(c->shop.registry);
    size_t n;
    const struct agent_card *card = d->kind->cards(d, &n);
    AUTO_BUF out;

    buf_init(&out, LIST_MOST);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "  %-20s ", card[i].name);
        show_summary(&out, card[i].description);
        buf_putc(&out, '\n');
    }
    if (!n)
        buf_put(&out, STR("No agents are defined; the default agent is in use.\n"));
    say_buf(c, &out);
    chat_done(c);
}

static void on_agent(struct chat *c, struct str rest)
{
    struct agent_want want = { .name = rest };

    if (rest.n)
        chat_use_agent(c, &want);
    else
        list_agents(c);
}

static void on_model(struct chat *c, struct str rest)
{
    struct agent_want want = same_agent(c);
    struct str model = shown_text(&c->mem, c->session->agent->model);

    want.model = rest;
    if (rest.n) {
        chat_use_agent(c, &want);
        return;
    }
    chat_say(c, STR_FMT "; to change it: /model NAME, PROVIDER/NAME or a tier\n", STR_ARG(model));
    chat_done(c);
}

static void on_mode(struct chat *c, struct str rest)
{
    if (rest.n) {
        chat_use_mode(c, rest);
        return;
    }
    chat_say(c, "%s; to change it: /mode read-only or /mode read-write\n",
             agent_mode_name(guard_is_read_only(&c->session->scope) ? AGENT_READ_ONLY
                                                                    : AGENT_READ_WRITE));
    chat_done(c);
}

/* ---- tools, plan and usage ----------------------------------------------------------------- */

static void on_tools(struct chat *c, struct str rest)
{
    const struct tool *t;
    size_t i = 0;
    AUTO_BUF out;

    (void)rest;
    buf_init(&out, LIST_MOST);
    while ((t = session_tool_at(c->session, &i))) {
        buf_printf(&out, "  %-24s ", t->name);
        show_summary(&out, str_of(t->description ? t->description : ""));
        buf_putc(&out, '\n');
    }
    if (!out.n)
        buf_put(&out, STR("The agent has no tools.\n"));
    say_buf(c, &out);
    chat_done(c);
}

static void on_plan(struct chat *c, struct str rest)
{
    struct event ev = { .kind = EVENT_PLAN, .plan = buf_str(&c->plan) };

    (void)rest;
    if (c->plan.n)
        render_event(&c->render, &ev);
    else
        chat_say(c, "There is no plan.\n");
    chat_done(c);
}

static void on_cost(struct chat *c, struct str rest)
{
    const struct event_usage *u = &c->usage;

    (void)rest;
    if (c->session->cost >= 0)
        chat_say(c, "This session has cost $%.4f so far.\n", c->session->cost);
    else
        chat_say(c, "The cost is unknown: no prices are configured for this model.\n");
    if (u->used && u->size)
        chat_say(c, "The context holds %lld of %lld tokens.\n", (long long)u->used,
                 (long long)u->size);
    else if (u->used)
        chat_say(c, "The context holds %lld tokens.\n", (long long)u->used);
    chat_done(c);
}

static void on_compact(struct chat *c, struct str rest)
{
    (void)rest;
    chat_compact(c);
}

/* ---- undo ---------------------------------------------------------------------------------- */

/* Write the restored files. Paths below the root are shown relative to the root. */
static void put_files(struct chat *c, struct buf *out)
{
    struct str rest = buf_str(&c->undo.files);
    struct str root = str_of(c->app->project.root.path);

    while (rest.n) {
        struct str path = str_cut(&rest, '\n');

        if (str_starts(path, root) && path.n > root.n && path.p[root.n] == '/')
            path = str_skip(path, root.n + 1);
        buf_put(out, STR("  "));
        show_text(out, path);
        buf_putc(out, '\n');
    }
    if (c->undo.files.full)
        buf_put(out, STR("  ... and more\n"));
}

static void on_undone(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;
    AUTO_BUF out;

    (void)op;
    buf_init(&out, LIST_MOST);
    if (c->undo.files.n) {
        buf_printf(&out, "Undid the file changes of the last turn%s:\n",
                   e ? ", where possible" : "");
        put_files(c, &out);
    }
    say_buf(c, &out);
    if (e)
        chat_complain(c, e);
    undo_fini(&c->undo);
    chat_done(c);
}

static void on_undo(struct chat *c, struct str rest)
{
    (void)rest;
    c->undo = (struct undo){ 0 };
    chat_begin(c, &c->undo.op);
    undo_start(&c->undo, c->session, NULL, on_undone, c);
}

/* ---- the table ----------------------------------------------------------------------------- */

static const struct chat_command commands[] = {
    { "/help", "", "show this list", on_help },
    { "/agent", "[NAME]", "switch to another agent, or list the agents", on_agent },
    { "/model", "[NAME]", "use another model from the next turn on", on_model },
    { "/mode", "[read-only|read-write]", "show or change the mode of the session", on_mode },
    { "/tools", "", "list the agent's tools", on_tools },
    { "/plan", "", "show the agent's plan", on_plan },
    { "/cost", "", "show the cost and the size of the context", on_cost },
    { "/compact", "", "summarize the conversation so far", on_compact },
    { "/undo", "", "undo the file changes of the last turn", on_undo },
    { "/continue", "", "resume a turn that was interrupted", on_continue },
    { "/new", "", "start a new session", on_new },
    { "/sessions", "", "list the sessions of this folder", on_sessions },
    { "/resume", "ID", "resume a session", on_resume },
    { "/clear", "", "clear the screen", on_clear },
    { "/quit", "", "exit the chat", on_quit },
    { NULL, NULL, NULL, NULL },
};

const char *chat_command_name(size_t i)
{
    return commands[i].name;
}

bool chat_command(struct chat *c, struct str line)
{
    struct str rest = line;
    struct str name = str_cut(&rest, ' ');

    for (size_t i = 0; commands[i].name; i++) {
        if (str_eq(str_trim(name), str_of(commands[i].name)) && line.p[0] == '/') {
            commands[i].run(c, str_trim(rest));
            return true;
        }
    }
    return false;
}
