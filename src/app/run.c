/*
 * run.c - `trefoil run PROMPT`: the agent works on one prompt. This file handles the command line;
 * run.h lists the other files.
 */
#include "app/run.h"

#include "base/utf8.h"
#include "loop/file.h"

enum { TIMEOUT_MOST = 604800 };

/* Join the words with spaces. The word "-" is replaced by the text of stdin. */
static bool join_words(struct app *app, int words, char **word, struct str *out, struct err *e)
{
    size_t most = (size_t)app->project.config.limits.message_bytes;
    struct buf all;
    struct str in;

    if (!words)
        return true;
    buf_init_in(&all, &app->project.mem, most);
    for (int i = 0; i < words; i++) {
        bool is_stdin = str_eq(str_of(word[i]), STR("-"));

        if (is_stdin && !file_read_stdin(&app->project.mem, most, &in, e))
            return false;
        if (all.n)
            buf_put(&all, is_stdin ? STR("\n\n") : STR(" "));
        buf_put(&all, is_stdin ? in : str_of(word[i]));
    }
    if (all.full)
        return fail(e, ERR_LIMIT, "the prompt has more than %zu bytes", most);
    *out = buf_str(&all);
    if (!str_trim(*out).n)
        return fail(e, ERR_INVALID, "the prompt is empty");
    if (utf8_valid(*out) < out->n)
        return fail(e, ERR_INVALID, "the prompt is not valid UTF-8 (byte %zu)", utf8_valid(*out));
    return true;
}

static bool run_check(const struct run_args *a, int64_t *timeout_ms, struct err *e)
{
    uint64_t seconds;

    if (a->mode && !str_eq(str_of(a->mode), STR("read-only")) &&
        !str_eq(str_of(a->mode), STR("read-write")))
        return fail(e, ERR_INVALID, "--mode %.40s: expected read-only or read-write", a->mode);
    if (a->no_save && (a->last || a->session))
        return fail(e, ERR_INVALID, "--no-save cannot be combined with --continue or --session");
    if (a->last && a->session)
        return fail(e, ERR_INVALID, "--continue and --session cannot be combined");
    if (!a->timeout)
        return true;
    if (!str_uint(str_of(a->timeout), 1, TIMEOUT_MOST, &seconds))
        return fail(e, ERR_INVALID, "--timeout %.40s: expected a number of seconds from 1 to %d",
                    a->timeout, TIMEOUT_MOST);
    *timeout_ms = (int64_t)seconds * 1000;
    return true;
}

/*
 * Open the state directory. Without one, the prompt is still answered, unless it continues a
 * session.
 */
static bool open_state(struct app *app, struct run_want *want)
{
    bool keeps;
    struct err e;

    if (want->no_save)
        return true;
    if (!project_open_state(&app->project, &keeps))
        return false;
    want->no_save = !keeps;
    if (keeps || !(want->last || want->session.p))
        return true;
    fail(&e, ERR_NOT_FOUND, "there is no session to resume");
    print_error(&e);
    return false;
}

static int run_prompt_verb(struct app *app, const void *args, int words, char **word)
{
    const struct run_args *a = args;
    struct run_want want = { .agent = str_of(a->agent),
                             .session = str_of(a->session),
                             .model = str_of(a->model),
                             .mode = str_of(a->mode),
                             .last = a->last,
                             .no_save = a->no_save };
    int64_t timeout_ms = 0;
    struct err e;
    int code;

    if (!run_check(a, &timeout_ms, &e) || !join_words(app, words, word, &want.text, &e))
        return print_usage_error("run: %s", e.text);
    if (!want.text.p && !a->last && !a->session)
        return print_usage_error("run: expected a prompt, or - to read it from stdin");
    if (run_attached(app, a, &want, timeout_ms, &code))
        return code;
    return open_state(app, &want) ? run_here(app, a, &want, timeout_ms) : EXIT_FAILED;
}

static const struct option options[] = {
    { "a,agent", OPTION_TEXT, offsetof(struct run_args, agent), "NAME", "Use this agent" },
    { "c,continue", OPTION_FLAG, offsetof(struct run_args, last), NULL,
      "Resume the last session, or with -a the last session of that agent" },
    { "session", OPTION_TEXT, offsetof(struct run_args, session), "ID",
      "Resume this session; the short ID is enough" },
    { "model", OPTION_TEXT, offsetof(struct run_args, model), "MODEL",
      "Use this MODEL, PROVIDER/MODEL or tier (model size: low, medium or high)" },
    { "mode", OPTION_TEXT, offsetof(struct run_args, mode), "MODE",
      "Run the agent read-only or read-write, within the agent's own rights" },
    { "yes", OPTION_FLAG, offsetof(struct run_args, yes), NULL,
      "Allow every call that needs approval" },
    { "no-save", OPTION_FLAG, offsetof(struct run_args, no_save), NULL,
      "Do not store the session" },
    { "timeout", OPTION_TEXT, offsetof(struct run_args, timeout), "SECONDS",
      "Stop the turn after this time" },
    { "thoughts", OPTION_FLAG, offsetof(struct run_args, thoughts), NULL,
      "Show the model's thoughts" },
    { "no-attach", OPTION_FLAG, offsetof(struct run_args, no_attach), NULL,
      "Do not use a running `trefoil serve` of this root" },
};

const struct verb verb_run = {
    .name = "run",
    .words = "PROMPT... | -",
    .summary = "Send one prompt to an agent and print its answer",
    .more =
        "The word - is replaced by the text of stdin. The answer goes to stdout; tool calls and\n"
        "notices go to stderr. With --json every event is one line on stdout. Ctrl-C ends the "
        "turn\n"
        "and keeps the session; a second Ctrl-C exits at once. Exit codes:\n"
        "  0    the agent answered\n"
        "  1    failure of the model or of the store\n"
        "  2    wrong command line or configuration\n"
        "  3    the last call needed approval, and no one was available to approve it\n"
        "  4    a limit was reached: length, requests, budget, tokens, time, context, stuck\n"
        "  5    the model refused\n"
        "  130  interrupted\n",
    .most = WORDS_ANY,
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct run_args),
    .run = run_prompt_verb,
};
