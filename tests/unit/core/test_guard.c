/* The guard around calls: letting in, asking, refusing, what is kept of it. */
#include "base/container.h"
#include "core/guard/guard.h"
#include "core/guard/guard_read_only.h"
#include "core/tool/offer.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int runs;
static const char *says = "done";

static void start(struct call *call)
{
    runs++;
    call_text(call, str_of(says));
    call_done(call);
}

static const struct tool reader = { .name = "reader", .kind = TOOL_READ, .start = start };
static const struct tool runner = { .name = "runner", .kind = TOOL_EXECUTE, .start = start };
static const struct tool theirs = {
    .name = "gh_list", .alias = "gh:list", .kind = TOOL_EXECUTE, .read_only = true, .start = start
};

struct agent_registry {
    struct caller caller; /* first */
    struct loop *loop;
    struct limits limits;
    struct guard guard;
    struct guard_scope scope;
    struct guard_history history;
    struct offer offer;
    struct offer_source source;
    const struct tool *list[1];
    struct arena mem;
    struct call call;
    bool able;
    struct ask *asked;
    int asks;
    int done;
    struct err err;
    struct audit_sink audit;
    struct audit_entry entry;
    int entries;
};

static bool can(const struct caller *c, enum ask_kind kind)
{
    return kind == ASK_PERMISSION && ((const struct agent_registry *)(const void *)c)->able;
}

static void ask(struct caller *c, struct ask *a)
{
    struct agent_registry *d = (struct agent_registry *)(void *)c;

    d->asked = a;
    d->asks++;
}

static void progress(struct caller *c, const struct progress *p)
{
    (void)c;
    (void)p;
}

static const struct caller_kind registry_kind = { .can = can, .ask = ask, .progress = progress };

static void record(struct audit_sink *sink, const struct audit_entry *entry)
{
    struct agent_registry *d = CONTAINER_OF(sink, struct agent_registry, audit);

    d->entry = *entry;
    d->entries++;
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct agent_registry *d = ctx;

    (void)op;
    d->done++;
    d->err = e ? *e : (struct err){ 0 };
}

static void turn(struct agent_registry *d)
{
    while (loop_run_once(d->loop))
        ;
}

static void begin(struct agent_registry *d)
{
    *d = (struct agent_registry){ .caller = { .kind = &registry_kind,
                                              .name = "test",
                                              .origin = ORIGIN_STDIO,
                                              .principal = STR("user:1") },
                                  .loop = loop_new(LOOP_FAKE_CLOCK),
                                  .able = true,
                                  .audit = { record } };
    limits_preset(&d->limits);
    guard_init(&d->guard, &d->limits);
    d->guard.own.permission[TOOL_EXECUTE] = PERMISSION_AUTO; /* by default it would ask */
    d->guard.audit = &d->audit;
    d->scope.parent = &d->guard.own;
    d->caller.scope = &d->scope;
    offer_init(
        &d->offer,
        &(struct host){
            .loop = d->loop, .limits = &d->limits, .root_fd = -1, .root = "/", .guard = &d->guard },
        1u << OFFER_TOOLS);
    d->source = (struct offer_source){ .tool = d->list, .tools = 1 };
    offer_join(&d->offer, &d->source);
    runs = 0;
}

static void call_with(struct agent_registry *d, const struct tool *t, struct json args)
{
    d->list[0] = t;
    d->done = 0;
    tool_run(t, &d->call, &d->offer.host, &d->caller, &d->mem, args, NULL, on_done, d);
    turn(d);
}

static void call(struct agent_registry *d, const struct tool *t)
{
    call_with(d, t, (struct json){ 0 });
}

static void end(struct agent_registry *d)
{
    guard_fini(&d->guard);
    offer_fini(&d->offer);
    arena_fini(&d->mem);
    loop_free(d->loop);
}

static struct json object(struct agent_registry *d, const char *text)
{
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct json v = { 0 };
    struct err e;

    OK(json_read(&d->mem, str_of(text), &opts, &v, &e));
    return v;
}

static void answer(struct agent_registry *d, const char *text)
{
    ask_answer(d->asked, object(d, text));
    turn(d);
}

TEST(what_is_allowed_runs_and_is_recorded)
{
    struct agent_registry d;

    begin(&d);
    call(&d, &reader);
    EQ(d.err.code, ERR_NONE);
    EQ(runs, 1);
    EQ(d.entries, 1);
    EQ_STR(d.entry.verdict, "allow");
    EQ_STR(d.entry.outcome, "ok");
    OK(!d.entry.by);
    EQ_STR(guard_marks(&d.call).trust, "trusted");
    end(&d);
}

TEST(what_is_denied_does_not_run_and_says_why)
{
    struct agent_registry d;

    begin(&d);
    d.scope.mode = AGENT_READ_ONLY;
    call(&d, &runner);
    EQ(d.err.code, ERR_DENIED);
    HAS_S(str_of(d.err.text), "the mode is read-only (mode)");
    EQ(runs, 0);
    EQ_STR(d.entry.verdict, "deny");
    EQ_STR(d.entry.by, "mode");
    EQ_STR(d.entry.outcome, err_code_name(ERR_DENIED));
    end(&d);
}

TEST(an_ask_that_is_accepted_lets_it_run)
{
    struct agent_registry d;

    begin(&d);
    d.guard.own.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    call(&d, &runner);
    EQ(d.asks, 1);
    EQ(runs, 0);
    HAS_S(d.asked->params, "permission for tools of kind execute is ask");
    loop_advance(d.loop, d.limits.tool_ms * 2); /* people are slow; the deadline stands still */
    EQ(d.done, 0);
    answer(&d, "{\"action\":\"accept\",\"content\":{}}");
    EQ(d.done, 1);
    EQ(d.err.code, ERR_NONE);
    EQ(runs, 1);
    EQ_STR(d.entry.verdict, "ask");
    end(&d);
}

TEST(what_is_asked_is_JSON_whatever_has_to_be_escaped_in_it)
{
    struct agent_registry d;
    char name[1001];

    begin(&d);
    memset(name, 1, sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    d.caller.name = name;
    d.guard.own.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    call(&d, &runner);
    EQ(d.asks, 1);
    OK(json_here(
        json_get(object(&d, arena_cstr(&d.mem, d.asked->params)), STR("requestedSchema"))));
    answer(&d, "{\"action\":\"accept\",\"content\":{}}");
    EQ(runs, 1);
    end(&d);
}

TEST(an_ask_that_is_declined_does_not)
{
    static const char *const answers[] = { "{\"action\":\"decline\"}", "{\"action\":\"cancel\"}",
                                           "{}" };

    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        struct agent_registry d;

        begin(&d);
        d.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
        call(&d, &runner);
        answer(&d, answers[i]);
        EQ(d.err.code, ERR_DENIED);
        HAS_S(str_of(d.err.text), "declined");
        EQ(runs, 0);
        EQ_STR(d.entry.verdict, "deny");
        end(&d);
    }
}

TEST(who_cannot_be_asked_is_refused)
{
    struct agent_registry d;

    begin(&d);
    d.able = false;
    d.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    call(&d, &runner);
    EQ(d.err.code, ERR_DENIED);
    HAS_S(str_of(d.err.text), "no one is available");
    EQ(runs, 0);
    OK(!d.call.lacking); /* the client needs no other abilities: a denial is an answer */
    end(&d);
}

TEST(a_call_that_is_cancelled_while_somebody_thinks_ends)
{
    struct agent_registry d;

    begin(&d);
    d.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    call(&d, &runner);
    op_cancel(&d.call.op);
    turn(&d);
    EQ(d.done, 1);
    EQ(d.err.code, ERR_CANCELED);
    EQ(runs, 0);
    end(&d);
}

TEST(a_tool_that_is_gone_when_the_answer_comes_is_not_touched)
{
    struct tool *fleeting = malloc(sizeof(*fleeting));
    struct agent_registry d;

    *fleeting = runner;
    begin(&d);
    d.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    call(&d, fleeting);
    d.source.tools = 0;
    free(fleeting);
    answer(&d, "{\"action\":\"accept\"}");
    EQ(d.err.code, ERR_DENIED);
    HAS_S(str_of(d.err.text), "no longer available");
    end(&d);
}

TEST(what_a_server_says_is_untrusted_data_with_its_source)
{
    struct agent_registry d;
    struct guard_marks marks;

    begin(&d);
    call(&d, &theirs);
    marks = guard_marks(&d.call);
    EQ_STR(marks.trust, "untrusted");
    EQ_STR(marks.type, "data");
    EQ_S(marks.from, "gh:list");
    EQ_S(d.entry.from, "gh:list");
    end(&d);
}

TEST(untrusted_data_reaches_no_shell_unasked)
{
    struct agent_registry d;

    begin(&d);
    d.caller.taint = STR("gh:list");
    call(&d, &reader);
    EQ(runs, 1);
    call(&d, &runner);
    EQ(d.asks, 1);
    HAS_S(d.asked->params, "data from gh:list is not trusted");
    answer(&d, "{\"action\":\"decline\"}");
    EQ(runs, 1);
    end(&d);
}

TEST(a_model_that_repeats_itself_is_warned_then_stopped)
{
    static const char *const texts[] = { "1", "2", "3", "4", "5" };
    struct agent_registry d;

    begin(&d);
    d.caller.history = &d.history;
    for (size_t i = 0; i < 5; i++) {
        says = texts[i];
        call(&d, &reader);
        EQ(d.err.code, i < 4 ? ERR_NONE : ERR_DENIED);
        EQ(d.call.warning.p != NULL, i == 2 || i == 3);
    }
    EQ_STR(d.entry.by, "loop");
    call_with(&d, &reader, object(&d, "{\"other\":1}"));
    EQ(d.err.code, ERR_NONE);
    says = "done";
    end(&d);
}

TEST(equal_results_stop_it_earlier)
{
    struct agent_registry d;

    begin(&d);
    d.caller.history = &d.history;
    for (int i = 0; i < 4; i++) {
        call(&d, &reader);
        EQ(d.err.code, i < 3 ? ERR_NONE : ERR_DENIED);
    }
    HAS_S(str_of(d.err.text), "the same result 3 times");
    end(&d);
}

TEST(who_has_no_history_may_repeat_itself)
{
    struct agent_registry d;

    begin(&d);
    for (int i = 0; i < 20; i++)
        call(&d, &reader);
    EQ(runs, 20);
    end(&d);
}

TEST(a_remote_caller_pays_by_the_kind_of_tool)
{
    struct agent_registry d;

    begin(&d);
    d.limits.rate_per_min = 10;
    d.caller.remote = true;
    d.caller.principal = STR("key");
    call(&d, &runner);
    call(&d, &runner);
    EQ(d.err.code, ERR_NONE);
    call(&d, &runner); /* 5 each */
    EQ(d.err.code, ERR_DENIED);
    HAS_S(str_of(d.err.text), "try again in 30 s");
    loop_advance(d.loop, 30000);
    call(&d, &runner);
    EQ(d.err.code, ERR_NONE);
    d.caller.remote = false; /* limits.rate_local_per_min: none */
    for (int i = 0; i < 50; i++)
        call(&d, &runner);
    EQ(d.err.code, ERR_NONE);
    d.limits.rate_local_per_min = 5;
    call(&d, &runner);
    OK(d.err.code == ERR_DENIED); /* and it has the same purse */
    end(&d);
}

TEST(looking_says_the_same_and_changes_nothing)
{
    struct guard_verdict v;
    struct agent_registry d;

    begin(&d);
    d.limits.rate_local_per_min = 5;
    d.caller.history = &d.history;
    d.scope.mode = AGENT_READ_ONLY;
    for (int i = 0; i < 9; i++)
        guard_look(&d.guard, &d.offer.host, &d.caller, &runner, (struct json){ 0 }, &v);
    EQ(v.says, GUARD_DENY);
    EQ(v.by, GUARD_MODE);
    EQ(v.row[GUARD_RATE].says, GUARD_ALLOW);
    EQ(d.history.calls, 0);
    call(&d, &runner);
    EQ(d.err.code, ERR_DENIED);
    HAS_S(str_of(d.err.text), v.row[GUARD_MODE].why);
    end(&d);
}

/* ---- the vault ----------------------------------------------------------------------------- */

static const struct {
    const char *args;
    bool inside;
} paths[] = {
    { "{\"path\":\".vault/a\"}", true },
    { "{\"path\":\"./.vault/new/deep/a\"}", true },
    { "{\"path\":\".vault/../a\"}", false },
    { "{\"path\":\".vault/x/../../a\"}", false },
    { "{\"path\":\".vault\"}", false },
    { "{\"path\":\".vault/\"}", false },
    { "{\"path\":\".vaultier/a\"}", false },
    { "{\"path\":\"src/.vault/a\"}", false },
    { "{\"path\":\"/etc/passwd\"}", false },
    { "{\"path\":\".vault/out/a\"}", false }, /* a link to the root */
    { "{\"path\":\".vault/link\"}", false },  /* a link to a file */
    { "{\"path\":7}", false },
    { "{}", false },
    { "{\"from\":\".vault/a\",\"to\":\".vault/b\"}", true },
    { "{\"from\":\".vault/a\",\"to\":\"b\"}", false },
    { "{\"from\":\"a\",\"to\":\".vault/b\"}", false },
    { "{\"file_path\":\".vault/a\"}", true },
    { "{\"path\":\".vault/a\\u0000b\"}", false },
};

static const struct {
    const char *cwd, *args;
    bool inside;
} from[] = {
    { "/.vault", "{\"path\":\"a\"}", true },
    { "/.vault", "{\"path\":\"../a\"}", false },
    { "/.vault", "{\"path\":\".\"}", false },
    { "/.vault", "{\"path\":\".vault/a\"}", true },
    { "/.vault", "{\"path\":\"link\"}", false },
    { "/.vault/out", "{\"path\":\"a\"}", false },
    { "/.vault/out", "{\"path\":\".vault/a\"}", false },
    { "/src", "{\"path\":\".vault/a\"}", false },
    { "/src", "{\"path\":\"../.vault/a\"}", true },
    { "/src", "{\"path\":\"../../.vault/a\"}", false },
    { "2/.vault", "{\"path\":\"a\"}", false },
    { "/..", "{\"path\":\".vault/a\"}", false },
};

TEST(only_what_lies_inside_the_vault_is_inside)
{
    char root[] = "/tmp/trefoil-vault-XXXXXX";
    struct host host = { .root = mkdtemp(root) };
    struct agent_registry d;
    char text[128];

    host.root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    OK(mkdirat(host.root_fd, ".vault", 0700) == 0);
    OK(symlinkat("..", host.root_fd, ".vault/out") == 0);
    OK(symlinkat("../x", host.root_fd, ".vault/link") == 0);
    begin(&d);
    for (size_t i = 0; i < ARRAY_LEN(paths); i++)
        if (guard_in_vault(&host, object(&d, paths[i].args)) != paths[i].inside)
            TAP_NOT("%s", paths[i].args);
    snprintf(text, sizeof(text), "{\"path\":\"%s/.vault/a\"}", root);
    OK(guard_in_vault(&host, object(&d, text)));
    snprintf(text, sizeof(text), "{\"path\":\"%s2/.vault/a\"}", root);
    OK(!guard_in_vault(&host, object(&d, text)));
    for (size_t i = 0; i < ARRAY_LEN(from); i++) {
        snprintf(text, sizeof(text), "%s%s", root, from[i].cwd);
        host.cwd = text;
        if (guard_in_vault(&host, object(&d, from[i].args)) != from[i].inside)
            TAP_NOT("%s from %s", from[i].args, from[i].cwd);
    }
    end(&d);
    unlinkat(host.root_fd, ".vault/out", 0);
    unlinkat(host.root_fd, ".vault/link", 0);
    unlinkat(host.root_fd, ".vault", AT_REMOVEDIR);
    close(host.root_fd);
    rmdir(root);
}

TEST_MAIN()
