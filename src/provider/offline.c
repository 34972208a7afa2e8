#include "provider/offline.h"

#include "base/container.h"
#include "base/utf8.h"
#include "provider/reply.h"

/* Tools that commands call. Where one is not offered, the answer is text. */
#define TOOL_READ_FILE "file_read"
#define TOOL_GREP "grep"
#define TOOL_AGENTS "list_agents"
#define TOOL_ASK "ask_user"
#define TOOL_ARTIFACT "artifact_write"

/* Short enough for the text of an error, after a word. */
#define HOW_TO_CONFIGURE                                                                           \
    "no model is configured: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or "            \
    "OLLAMA_HOST, or name a provider in trefoil.toml; /help lists what works without a model"

struct offline_turn {
    struct model_turn *turn;
    const struct limits *limits;
    struct reply reply;
    struct post post;
    struct timer timer; /* of /sleep */
    int64_t slept_ms;
};

struct offline_command {
    const char *name, *usage;
    void (*run)(struct offline_turn *s, struct str rest);
};

/* ---- answers -------------------------------------------------------------------------------- */

static void offline_settle(struct offline_turn *s, const struct err *e)
{
    reply_stop(&s->reply, STOP_END);
    reply_finish(&s->reply, e != NULL);
    if (e)
        op_fail(&s->turn->op, e);
    else
        op_ok(&s->turn->op);
}

static void settle_by(struct offline_turn *s, bool ok, const struct err *e)
{
    offline_settle(s, ok ? NULL : e);
}

static void offline_say(struct offline_turn *s, struct str text)
{
    struct err e;

    settle_by(s, reply_text(&s->reply, 0, text, &e), &e);
}

/* There is no model: fail with the reason instead of an answer. */
static void offline_refuse(struct offline_turn *s, const char *what)
{
    struct err e;

    fail(&e, ERR_NOT_FOUND, "%s" HOW_TO_CONFIGURE, what);
    reply_stop(&s->reply, STOP_NO_MODEL);
    reply_finish(&s->reply, true);
    op_fail(&s->turn->op, &e);
}

/* Word by word, as a model would. */
static bool stream_words(struct offline_turn *s, struct str text, struct err *e)
{
    while (text.n) {
        ptrdiff_t space = str_find_byte(text, ' ');
        size_t n = space < 0 ? text.n : (size_t)space + 1;

        if (!reply_text(&s->reply, 0, str_head(text, n), e))
            return false;
        text = str_skip(text, n);
    }
    return true;
}

static void call_tool(struct offline_turn *s, struct str name, struct str args)
{
    struct err e;

    settle_by(s, reply_call(&s->reply, 0, STR_NONE, name, &e) && reply_args(&s->reply, 0, args, &e),
              &e);
}

static const struct model_tool *find_tool(const struct offline_turn *s, const char *name)
{
    for (size_t i = 0; i < s->turn->request->tools; i++)
        if (str_eq(s->turn->request->tool[i].name, str_of(name)))
            return &s->turn->request->tool[i];
    return NULL;
}

/* Make a call with up to two string arguments; empty ones are omitted. */
static void call_with(struct offline_turn *s, const char *tool, const char *key, struct str value,
                      const char *key2, struct str value2)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, s->turn->mem, (size_t)s->limits->model_answer_bytes);
    jw_object(&w);
    if (value.n)
        jw_kstr(&w, key, value);
    if (value2.n)
        jw_kstr(&w, key2, value2);
    jw_object_end(&w);
    call_tool(s, str_of(tool), buf_str(&out));
}

static struct str offline_word(struct str *rest)
{
    struct str first = str_cut(rest, ' ');

    *rest = rest->p ? str_trim(*rest) : STR("");
    return first;
}

/* ---- commands ------------------------------------------------------------------------------- */

static void on_help(struct offline_turn *s, struct str rest);

static void on_tools(struct offline_turn *s, struct str rest)
{
    const struct model_request *r = s->turn->request;
    struct str all = r->tools ? STR("") : STR("No tools are offered here.");

    (void)rest;
    for (size_t i = 0; i < r->tools; i++)
        all =
            arena_printf(s->turn->mem, STR_FMT "%s" STR_FMT ": " STR_FMT, STR_ARG(all),
                         i ? "\n" : "", STR_ARG(r->tool[i].name), STR_ARG(r->tool[i].description));
    offline_say(s, all);
}

static void on_call(struct offline_turn *s, struct str rest)
{
    struct json_opts opts = limits_json(s->limits);
    struct str name = offline_word(&rest);
    struct json args;
    struct err e;

    if (!name.n)
        offline_say(s, STR("Missing tool name. Use /call NAME {\"argument\":\"value\"}"));
    else if (rest.n && !json_read(s->turn->mem, rest, &opts, &args, &e))
        offline_say(s, arena_printf(s->turn->mem, "The arguments are not JSON: %s", e.text));
    else if (rest.n && json_type(args) != JSON_OBJECT)
        offline_say(s, STR("The arguments must be a JSON object: {\"argument\":\"value\"}"));
    else
        call_tool(s, name, rest);
}

static void on_read(struct offline_turn *s, struct str rest)
{
    if (rest.n)
        call_with(s, TOOL_READ_FILE, "path", rest, NULL, STR_NONE);
    else
        offline_say(s, STR("Missing path. Use /read PATH"));
}

static void on_grep(struct offline_turn *s, struct str rest)
{
    struct str pattern = offline_word(&rest);

    if (pattern.n)
        call_with(s, TOOL_GREP, "pattern", pattern, "path", rest);
    else
        offline_say(s, STR("Missing pattern. Use /grep PATTERN [PATH]"));
}

static void on_agents(struct offline_turn *s, struct str rest)
{
    (void)rest;
    if (find_tool(s, TOOL_AGENTS))
        call_tool(s, STR(TOOL_AGENTS), STR_NONE);
    else
        offline_say(s,
                    STR("This agent is not offered the tool " TOOL_AGENTS ", which lists agents."));
}

static void on_echo(struct offline_turn *s, struct str rest)
{
    struct err e;

    settle_by(s, stream_words(s, rest, &e), &e);
}

static void on_awake(struct timer *t)
{
    struct offline_turn *s = CONTAINER_OF(t, struct offline_turn, timer);

    offline_say(s, arena_printf(s->turn->mem, "Slept %jd ms.", (intmax_t)s->slept_ms));
}

static void on_sleep(struct offline_turn *s, struct str rest)
{
    int64_t most = s->limits->offline_sleep_ms;
    bool ms = str_ends(rest, STR("ms"));
    uint64_t n;

    if (!str_uint(str_head(rest, rest.n - (ms ? 2 : 0)), 0, (uint64_t)most / (ms ? 1 : 1000), &n)) {
        offline_say(
            s, arena_printf(
                   s->turn->mem,
                   "Missing duration. Use /sleep SECONDS or /sleep 500ms, at most %jd seconds.",
                   (intmax_t)most / 1000));
        return;
    }
    s->slept_ms = (int64_t)n * (ms ? 1 : 1000);
    timer_set(s->turn->op.loop, &s->timer, s->slept_ms, on_awake);
}

static void on_ask(struct offline_turn *s, struct str rest)
{
    if (find_tool(s, TOOL_ASK))
        call_with(s, TOOL_ASK, "question", rest, NULL, STR_NONE);
    else
        offline_say(s, rest.n ? rest : STR("Missing question. Use /ask QUESTION"));
}

static void on_think(struct offline_turn *s, struct str rest)
{
    struct err e;

    settle_by(
        s, reply_thought(&s->reply, 0, rest, &e) && reply_text(&s->reply, 1, STR("Thought."), &e),
        &e);
}

static void on_artifact(struct offline_turn *s, struct str rest)
{
    struct str name = offline_word(&rest);

    if (!name.n)
        offline_say(s, STR("Missing name or text. Use /artifact NAME TEXT"));
    else if (find_tool(s, TOOL_ARTIFACT))
        call_with(s, TOOL_ARTIFACT, "name", name, "text", rest);
    else
        offline_say(s, arena_printf(s->turn->mem, "Artifact " STR_FMT ":\n" STR_FMT, STR_ARG(name),
                                    STR_ARG(rest)));
}

static void on_fail(struct offline_turn *s, struct str rest)
{
    struct err e;

    fail(&e, ERR_INVALID, STR_FMT,
         STR_ARG(rest.n ? str_head(rest, sizeof(e.text) - 1) : STR("failed as requested")));
    offline_settle(s, &e);
}

static const struct offline_command commands[] = {
    { "/help", "/help                  show this list", on_help },
    { "/tools", "/tools                 list the available tools", on_tools },
    { "/call", "/call NAME {JSON}      run a tool", on_call },
    { "/read", "/read PATH             read a file", on_read },
    { "/grep", "/grep PATTERN [PATH]   search in files", on_grep },
    { "/agents", "/agents                list the agents", on_agents },
    { "/echo", "/echo TEXT             repeat the text, word by word", on_echo },
    { "/sleep", "/sleep SECONDS         wait", on_sleep },
    { "/ask", "/ask QUESTION          ask the user", on_ask },
    { "/think", "/think TEXT            send the text as a thought", on_think },
    { "/artifact", "/artifact NAME TEXT    create an artifact", on_artifact },
    { "/fail", "/fail REASON           fail", on_fail },
};

static void on_help(struct offline_turn *s, struct str rest)
{
    struct str all = STR("No model is configured; these commands need none:");

    (void)rest;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        all = arena_printf(s->turn->mem, STR_FMT "\n%s", STR_ARG(all), commands[i].usage);
    offline_say(s, all);
}

/* ---- the prompt ----------------------------------------------------------------------------- */

static bool say_results(struct offline_turn *s, const struct message *m, struct err *e)
{
    const struct block *before = NULL;

    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];

        if (b->kind != BLOCK_RESULT)
            continue;
        if ((before && !reply_text(&s->reply, 0, STR("\n"), e)) ||
            (b->is_error && !reply_text(&s->reply, 0, STR("Failed: "), e)) ||
            !reply_text(&s->reply, 0, b->text, e))
            return false;
        before = b;
    }
    return true;
}

static bool has_results(const struct message *m)
{
    for (size_t i = 0; i < m->blocks; i++)
        if (m->block[i].kind == BLOCK_RESULT)
            return true;
    return false;
}

static struct str last_paragraph(struct str text)
{
    size_t at = text.n;

    while (at > 1 && !(text.p[at - 1] == '\n' && text.p[at - 2] == '\n'))
        at--;
    return at > 1 ? str_skip(text, at) : text;
}

/* The command in a text: the whole text, or its last paragraph after instructions. */
static struct str command_of(struct str text)
{
    text = str_trim(text);
    return str_starts(text, STR("/")) ? text : last_paragraph(text);
}

/* The first text that looks like a command; other texts may stand around it. */
static struct str command_in(const struct message *m)
{
    for (size_t i = 0; i < m->blocks; i++) {
        struct str text = command_of(m->block[i].text);

        if (m->block[i].kind == BLOCK_TEXT && str_starts(text, STR("/")))
            return text;
    }
    return STR_NONE;
}

static void offline_obey(struct offline_turn *s, struct str line)
{
    size_t n = 0;
    struct str name;

    while (n < line.n && line.p[n] != ' ' && line.p[n] != '\n' && line.p[n] != '\t')
        n++;
    name = str_head(line, n);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (str_eq(name, str_of(commands[i].name))) {
            commands[i].run(s, str_trim(str_skip(line, n)));
            return;
        }
    offline_refuse(s, arena_printf(s->turn->mem, STR_FMT " is not a command, and ",
                                   STR_ARG(utf8_head(name, 32)))
                          .p);
}

static void offline_play(struct post *p)
{
    struct offline_turn *s = CONTAINER_OF(p, struct offline_turn, post);
    const struct model_request *r = s->turn->request;
    const struct message none = { .role = ROLE_USER };
    const struct message *last = r->messages ? &r->message[r->messages - 1] : &none;
    struct str line = command_in(last);
    struct err e;

    if (has_results(last))
        settle_by(s, say_results(s, last, &e), &e);
    else if (line.p)
        offline_obey(s, line);
    else
        offline_refuse(s, "");
}

static void on_cancel(struct op *op)
{
    struct offline_turn *s = CONTAINER_OF(op, struct model_turn, op)->data;

    loop_unpost(op->loop, &s->post);
    timer_clear(op->loop, &s->timer);
    offline_settle(s, &(struct err){ ERR_CANCELED, "cancelled" });
}

const struct op_kind offline_op = { .name = "offline model", .cancel = on_cancel };

void offline_start(struct provider *p, struct model_turn *t)
{
    const struct offline *o = p->state;
    struct offline_turn *s = ARENA_NEW(t->mem, struct offline_turn);

    s->turn = t;
    s->limits = o->limits;
    t->data = s;
    reply_init(&s->reply, t, o->limits, p->name);
    reply_model(&s->reply, STR("offline"));
    s->post.fn = offline_play;
    loop_post(p->loop, &s->post);
}
