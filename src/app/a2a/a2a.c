/*
 * a2a.c - `trefoil a2a`: talk to a remote A2A agent from the command line.
 *
 * The agent is a URL, or the name of a configured remote agent, whose credentials then apply. It
 * works without `[a2a] enabled`, because the user has named the agent.
 */
#include "app/a2a/a2a_print.h"
#include "base/utf8.h"
#include "loop/file.h"

enum { LIST_PRESET = 50, LIST_MOST = 100 };

/* ---- messages -------------------------------------------------------------------------------- */

/* The words with a space between them; "-" means stdin. */
static bool read_words(struct app *app, int words, char **word, struct str *out, struct err *e)
{
    size_t most = (size_t)app->project.config.limits.message_bytes;
    struct buf all;
    struct str in;

    buf_init_in(&all, &app->project.mem, most);
    for (int i = 0; i < words; i++) {
        bool is_stdin = str_eq(str_of(word[i]), STR("-"));

        if (is_stdin && !file_read_stdin(&app->project.mem, most, &in, e))
            return false;
        if (all.n)
            buf_putc(&all, ' ');
        buf_put(&all, is_stdin ? in : str_of(word[i]));
    }
    *out = buf_str(&all);
    if (all.full)
        return fail(e, ERR_LIMIT, "the message has more than %zu bytes", most);
    if (!out->n || utf8_valid(*out) < out->n)
        return fail(e, ERR_INVALID, "the message is %s", out->n ? "not UTF-8 text" : "empty");
    return true;
}

static struct a2a_message *make_message(struct a2a_job *j, struct str text)
{
    struct arena *mem = &j->app->project.mem;
    struct a2a_message *m = ARENA_NEW(mem, struct a2a_message);
    char id[ID_TEXT];

    id_new(loop_wall(j->loop), id);
    m->id = arena_str(mem, str_of(id));
    m->context = str_of(j->args->context);
    m->task = str_of(j->args->task);
    m->parts = blocks_text(mem, text);
    return m;
}

/* ---- actions --------------------------------------------------------------------------------- */

static bool set_message(struct a2a_job *j, enum a2a_op op, int words, char **word, struct err *e)
{
    struct str text;

    if (!read_words(j->app, words, word, &text, e))
        return false;
    j->ask = (struct a2a_ask){ .op = op,
                               .message = make_message(j, text),
                               .waits = op == A2A_SEND && !j->args->no_wait,
                               .history = -1 };
    return true;
}

static bool set_list(struct a2a_job *j, struct err *e)
{
    uint64_t most = LIST_PRESET;

    if (j->args->limit && !str_uint(str_of(j->args->limit), 1, LIST_MOST, &most))
        return fail(e, ERR_INVALID, "--limit %.40s: expected a number from 1 to %d", j->args->limit,
                    LIST_MOST);
    j->ask = (struct a2a_ask){ .op = A2A_LIST,
                               .context = str_of(j->args->context),
                               .state = str_of(j->args->state),
                               .page_size = (int64_t)most,
                               .history = -1 };
    return true;
}

static bool set_ask(struct a2a_job *j, enum a2a_op op, int words, char **word, struct err *e)
{
    if (op == A2A_SEND || op == A2A_STREAM)
        return set_message(j, op, words, word, e);
    if (op == A2A_LIST)
        return set_list(j, e);
    j->ask = (struct a2a_ask){ .op = op, .task = str_of(word ? word[0] : NULL), .history = -1 };
    return true;
}

static const struct {
    const char *name;
    enum a2a_op op; /* A2A_OPS: only read the card */
    void (*print)(struct a2a_oneshot *o, struct arena *mem, struct json result);
} actions[] = {
    { "card", A2A_OPS, NULL },
    { "send", A2A_SEND, a2a_print_update },
    { "stream", A2A_STREAM, a2a_print_update },
    { "get", A2A_GET, a2a_print_task },
    { "list", A2A_LIST, a2a_print_list },
    { "cancel", A2A_CANCEL, a2a_print_task },
    { "subscribe", A2A_SUBSCRIBE, a2a_print_update },
};

static int a2a_run(struct app *app, const void *args, int words, char **word)
{
    struct a2a_job j;
    struct err e;
    size_t i = 0;
    int code;

    while (!str_eq(str_of(word[0]), str_of(actions[i].name)))
        i++; /* the command line was checked */
    if (!a2a_job_open(&j, app, args, word[1], &code))
        return code;
    if (actions[i].op != A2A_OPS && !set_ask(&j, actions[i].op, words - 2, word + 2, &e)) {
        a2a_job_close(&j);
        return print_usage_error("a2a %s: %s", actions[i].name, e.text);
    }
    a2a_job_run(&j, actions[i].op != A2A_OPS, actions[i].print);
    if (actions[i].op == A2A_OPS && !j.err.code)
        a2a_print_card(&j);
    code = a2a_print_end(&j);
    a2a_job_close(&j);
    return code;
}

/* ---- the verb -------------------------------------------------------------------------------- */

#define REACH "binding protocol token api-key user"

static const struct subcommand subs[] = {
    { "card", "AGENT", "Show the card of an agent", 1, 1, REACH },
    { "send", "AGENT TEXT... | -", "Send a message and wait for the answer", 2, WORDS_ANY,
      "task context no-wait " REACH },
    { "stream", "AGENT TEXT... | -", "Send a message and show the answer as it arrives", 2,
      WORDS_ANY, "task context " REACH },
    { "get", "AGENT TASK", "Show a task", 2, 2, REACH },
    { "list", "AGENT", "List the tasks", 1, 1, "context state limit " REACH },
    { "cancel", "AGENT TASK", "Cancel a task", 2, 2, REACH },
    { "subscribe", "AGENT TASK", "Show what happens in a running task", 2, 2, REACH },
};

static const struct option options[] = {
    { "task", OPTION_TEXT, offsetof(struct a2a_args, task), "ID",
      "Continue this task, which waits for input" },
    { "context", OPTION_TEXT, offsetof(struct a2a_args, context), "ID",
      "Use this conversation (contextId)" },
    { "no-wait", OPTION_FLAG, offsetof(struct a2a_args, no_wait), NULL,
      "Do not wait for the end of the task" },
    { "state", OPTION_TEXT, offsetof(struct a2a_args, state), "STATE",
      "List only tasks in this state, such as TASK_STATE_WORKING" },
    { "limit", OPTION_TEXT, offsetof(struct a2a_args, limit), "N", "List at most N tasks" },
    { "binding", OPTION_TEXT, offsetof(struct a2a_args, binding), "BINDING",
      "Use JSONRPC or HTTP+JSON" },
    { "protocol", OPTION_TEXT, offsetof(struct a2a_args, protocol), "VERSION",
      "Use version 1.0, 0.3 or 0.1 of A2A" },
    { "token", OPTION_TEXT, offsetof(struct a2a_args, token), "SECRET",
      "Read the secret from env:NAME or file:PATH; it is the bearer token, or the password of "
      "--user" },
    { "user", OPTION_TEXT, offsetof(struct a2a_args, user), "NAME",
      "Use basic authentication with this user name" },
    { "api-key", OPTION_TEXT, offsetof(struct a2a_args, api_key), "SECRET",
      "Send this key in the header X-API-Key: env:NAME or file:PATH" },
};

const struct verb verb_a2a = {
    .name = "a2a",
    .words = "ACTION AGENT ...",
    .summary = "Talk to a remote A2A agent",
    .more =
        "AGENT is a URL, or the name of a configured agent with `provider: a2a`. The answer goes "
        "to stdout,\nthe state of the task and the names of files go to stderr. With --json "
        "each result of the\nagent is one line on stdout, as the agent sent it.\n",
    .sub = subs,
    .subs = ARRAY_LEN(subs),
    .needs_subcommand = true,
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct a2a_args),
    .run = a2a_run,
};
