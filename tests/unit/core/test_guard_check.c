/* Each check of the guard: a call it lets pass, and one it does not. */
#include "core/guard/guard_check.h"
#include "tap.h"

static const struct tool reader = { .name = "file_read", .kind = TOOL_READ, .read_only = true };
static const struct tool writer = { .name = "file_write", .kind = TOOL_EDIT };
static struct tool_sandbox no_wish(const struct host *host, struct json args)
{
    (void)host;
    (void)args;
    return (struct tool_sandbox){ .what = TOOL_SANDBOX_DEFAULT };
}

/* A command that another agent runs, and one that we run. */
static const struct tool shell = { .name = "shell_exec", .kind = TOOL_EXECUTE };
static const struct tool command = { .name = "shell_exec",
                                     .kind = TOOL_EXECUTE,
                                     .sandbox = no_wish };
static const struct tool fetch = {
    .name = "web_fetch", .kind = TOOL_FETCH, .read_only = true, .open_world = true
};
static const struct tool poller = { .name = "poll", .kind = TOOL_READ, .polls = true };
static const struct tool mover = { .name = "file_move", .kind = TOOL_MOVE };
static const struct tool remover = { .name = "file_delete", .kind = TOOL_DELETE };
static const struct tool thinker = { .name = "plan_update", .kind = TOOL_THINK };
static const struct tool messenger = { .name = "agent_send", .kind = TOOL_THINK, .messages = true };
static const struct tool theirs = { .name = "gh_push", .alias = "gh:push", .kind = TOOL_EXECUTE };
static const struct tool their_reader = {
    .name = "gh_list", .alias = "gh:list", .kind = TOOL_EXECUTE, .read_only = true
};

#define LIST(...)                                                                                  \
    {                                                                                              \
        .v = (struct str[]){ __VA_ARGS__ },                                                        \
        .n = sizeof((struct str[]){ __VA_ARGS__ }) / sizeof(struct str), .set = true               \
    }

static struct guard_verdict v;

static void judge(const struct guard_facts *given)
{
    struct guard_facts f = *given;
    struct limits limits;

    limits_preset(&limits);
    if (!f.limits)
        f.limits = &limits;
    guard_judge(&f, &v);
}

struct row {
    const char *claim;
    enum guard_row row;
    enum guard_says says;
    struct guard_facts f;
};

static struct guard_scope everything;
static struct guard_scope read_only = {
    .mode = AGENT_READ_ONLY,
    .permission = { [TOOL_FETCH] = PERMISSION_AUTO },
};
static struct guard_scope child_of_read_only = { .name = "child", .parent = &read_only };
static struct guard_scope some = { .allowed = LIST({ "file_read", 9 }, { "gh:*", 4 }) };
static struct guard_scope none = { .allowed = { .set = true } };
static struct guard_scope no_shell = { .disallowed = LIST({ "shell_exec", 10 }) };
static struct guard_scope greedy_child = { .allowed = LIST({ "shell_exec", 10 }),
                                           .parent = &no_shell };
static struct guard_scope ask_edits = { .permission = { [TOOL_EDIT] = PERMISSION_ASK } };
static struct guard_scope deny_fetch = { .permission = { [TOOL_FETCH] = PERMISSION_DENY },
                                         .parent = &ask_edits };
static struct guard_scope auto_own = { .permission = { [TOOL_EXECUTE] = PERMISSION_AUTO,
                                                       [TOOL_DELETE] = PERMISSION_AUTO,
                                                       [TOOL_FETCH] = PERMISSION_AUTO } };
static struct guard_scope strict_child = { .permission = { [TOOL_EXECUTE] = PERMISSION_ASK },
                                           .actor = true,
                                           .parent = &auto_own };
static struct guard_scope yolo = { .permission = { [TOOL_EXECUTE] = PERMISSION_AUTO },
                                   .actor = true,
                                   .parent = &everything };
static struct guard_scope plain_agent = { .actor = true, .parent = &everything };
static struct guard_scope yolo_below = { .permission = { [TOOL_EXECUTE] = PERMISSION_AUTO },
                                         .actor = true,
                                         .parent = &plain_agent };
static struct guard_scope rules = { .rules = LIST({ "shell_exec", 10 }) };
static struct guard_scope asks_but_rules = { .rules = LIST({ "shell_exec", 10 }),
                                             .permission = { [TOOL_EXECUTE] = PERMISSION_ASK } };
static struct guard_scope denies_but_rules = { .rules = LIST({ "shell_exec", 10 }),
                                               .permission = { [TOOL_EXECUTE] = PERMISSION_DENY } };

/* A command of ours, confined by the kernel. */
#define IN(is, usual)                                                                              \
    {                                                                                              \
        .runs = true, .kind = (is), .standard = (usual), .enforced = true                          \
    }
#define INSIDE IN(SANDBOX_WORKSPACE, SANDBOX_WORKSPACE)

static struct guard_scope hides = { .hidden = LIST({ "file_read", 9 }) };
static struct guard_scope lists = { .expose = LIST({ "gh:push", 7 }), .expose_listed = true };
static struct guard_scope taint_asks = { .taint = GUARD_ASK, .parent = &auto_own };
static struct guard_scope secrets_ask = { .secrets = GUARD_ASK, .parent = &auto_own };
static struct guard_scope taint_denies = { .taint = GUARD_DENY };

/* clang-format off */
static const struct row rows[] = {
    { "a named caller on this machine", GUARD_IDENTITY, GUARD_ALLOW, { .caller = "mcp", .origin = ORIGIN_STDIO, .principal = { "user:1", 6 } } },
    { "nobody", GUARD_IDENTITY, GUARD_DENY, { .caller = NULL } },
    { "from a network with a key", GUARD_IDENTITY, GUARD_ALLOW, { .caller = "mcp", .origin = ORIGIN_KEY, .principal = { "key:a", 5 } } },
    { "from a network without", GUARD_IDENTITY, GUARD_DENY, { .caller = "mcp", .origin = ORIGIN_NONE } },
    { "an origin without a principal", GUARD_IDENTITY, GUARD_DENY, { .caller = "mcp", .origin = ORIGIN_STDIO } },
    { "the fifth hop", GUARD_DEPTH, GUARD_ALLOW, { .depth = 5 } },
    { "the sixth hop", GUARD_DEPTH, GUARD_DENY, { .depth = 6 } },
    { "in time", GUARD_RATE, GUARD_ALLOW, { .wait_ms = 0 } },
    { "too often", GUARD_RATE, GUARD_DENY, { .wait_ms = 1 } },
    { "offered to all", GUARD_EXPOSURE, GUARD_ALLOW, { .scope = &everything } },
    { "private", GUARD_EXPOSURE, GUARD_DENY, { .scope = &hides } },
    { "not among the exposed", GUARD_EXPOSURE, GUARD_DENY, { .scope = &lists } },
    { "among the exposed", GUARD_EXPOSURE, GUARD_ALLOW, { .scope = &lists, .tool = &theirs } },
    { "no list", GUARD_CAPABILITY, GUARD_ALLOW, { .scope = &auto_own, .tool = &shell } },
    { "an empty list", GUARD_CAPABILITY, GUARD_DENY, { .scope = &none } },
    { "listed", GUARD_CAPABILITY, GUARD_ALLOW, { .scope = &some } },
    { "listed by pattern", GUARD_CAPABILITY, GUARD_ALLOW, { .scope = &some, .tool = &theirs } },
    { "not listed", GUARD_CAPABILITY, GUARD_DENY, { .scope = &some, .tool = &shell } },
    { "disallowed", GUARD_CAPABILITY, GUARD_DENY, { .scope = &no_shell, .tool = &shell } },
    { "others than the disallowed", GUARD_CAPABILITY, GUARD_ALLOW, { .scope = &no_shell } },
    { "a child is not above its parent", GUARD_CAPABILITY, GUARD_DENY, { .scope = &greedy_child, .tool = &shell } },
    { "no definition", GUARD_PROTECTED, GUARD_ALLOW, { .tool = &reader } },
    { "a definition", GUARD_PROTECTED, GUARD_ASK, { .tool = &reader, .protects = GUARD_ASK } },
    { "in .trefoil", GUARD_PROTECTED, GUARD_DENY, { .tool = &reader, .protects = GUARD_DENY } },
    { "read-write: shell", GUARD_MODE, GUARD_ALLOW, { .scope = &auto_own, .tool = &shell } },
    { "read-only: shell", GUARD_MODE, GUARD_DENY, { .scope = &read_only, .tool = &shell } },
    { "read-only: reading", GUARD_MODE, GUARD_ALLOW, { .scope = &read_only, .tool = &reader } },
    { "read-only: fetching", GUARD_MODE, GUARD_ALLOW, { .scope = &read_only, .tool = &fetch } },
    { "read-only: thinking", GUARD_MODE, GUARD_ALLOW, { .scope = &read_only, .tool = &thinker } },
    { "read-only: writing", GUARD_MODE, GUARD_DENY, { .scope = &read_only, .tool = &writer } },
    { "read-only: moving", GUARD_MODE, GUARD_DENY, { .scope = &read_only, .tool = &mover } },
    { "read-only: deleting", GUARD_MODE, GUARD_DENY, { .scope = &read_only, .tool = &remover } },
    { "read-only: writing in the vault", GUARD_MODE, GUARD_ALLOW, { .scope = &read_only, .tool = &writer, .in_vault = true } },
    { "read-only: a server's tool", GUARD_MODE, GUARD_ASK, { .scope = &read_only, .tool = &theirs } },
    { "read-only: a server's that reads", GUARD_MODE, GUARD_ALLOW, { .scope = &read_only, .tool = &their_reader } },
    { "the parent is read-only", GUARD_MODE, GUARD_DENY, { .scope = &child_of_read_only, .tool = &shell } },
    { "auto", GUARD_PERMISSION, GUARD_ALLOW, { .scope = &ask_edits } },
    { "ask", GUARD_PERMISSION, GUARD_ASK, { .scope = &ask_edits, .tool = &writer } },
    { "deny", GUARD_PERMISSION, GUARD_DENY, { .scope = &deny_fetch, .tool = &fetch } },
    { "the parent asks", GUARD_PERMISSION, GUARD_ASK, { .scope = &deny_fetch, .tool = &writer } },
    { "a rule answers the question of a kind", GUARD_PERMISSION, GUARD_ALLOW, { .scope = &asks_but_rules, .tool = &command, .sandbox = INSIDE } },
    { "a rule does not answer a denial", GUARD_PERMISSION, GUARD_DENY, { .scope = &denies_but_rules, .tool = &command, .sandbox = INSIDE } },
    { "a command inside", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &everything, .tool = &command, .sandbox = INSIDE } },
    { "a command with the network of the default", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &everything, .tool = &command, .sandbox = IN(SANDBOX_NETWORK, SANDBOX_NETWORK) } },
    { "a command that wants the network", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &command, .sandbox = IN(SANDBOX_NETWORK, SANDBOX_WORKSPACE) } },
    { "a command that wants no sandbox", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &command, .sandbox = IN(SANDBOX_OFF, SANDBOX_WORKSPACE) } },
    { "the user has switched it off", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &command, .sandbox = IN(SANDBOX_OFF, SANDBOX_OFF) } },
    { "a kernel without it", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &command, .sandbox = { .runs = true, .kind = SANDBOX_WORKSPACE, .standard = SANDBOX_WORKSPACE, .missing = "no Landlock" } } },
    { "a kernel without it, best effort", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &everything, .tool = &command, .sandbox = { .runs = true, .kind = SANDBOX_WORKSPACE, .standard = SANDBOX_WORKSPACE, .missing = "no Landlock", .best_effort = true } } },
    { "best effort is not for leaving", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &command, .sandbox = { .runs = true, .kind = SANDBOX_NETWORK, .standard = SANDBOX_WORKSPACE, .missing = "no Landlock", .best_effort = true } } },
    { "a terminal of the editor", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &command, .sandbox = { .runs = true, .kind = SANDBOX_WORKSPACE, .standard = SANDBOX_WORKSPACE, .enforced = true, .elsewhere = true } } },
    { "a rule of the user lets it leave", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &rules, .tool = &command, .sandbox = IN(SANDBOX_OFF, SANDBOX_WORKSPACE) } },
    { "a command of another agent", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &shell } },
    { "deleting inside", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &everything, .tool = &remover, .sandbox = INSIDE } },
    { "deleting outside", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &remover, .sandbox = { .kind = SANDBOX_WORKSPACE, .standard = SANDBOX_WORKSPACE, .enforced = true, .deletes_outside = true } } },
    { "fetching", GUARD_SANDBOX, GUARD_ASK, { .scope = &everything, .tool = &fetch } },
    { "writing", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &everything, .tool = &writer } },
    { "a server's tool", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &everything, .tool = &theirs } },
    { "auto lets it leave", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &auto_own, .tool = &shell } },
    { "who asks is stricter than auto", GUARD_PERMISSION, GUARD_ASK, { .scope = &strict_child, .tool = &shell } },
    { "an agent may leave", GUARD_SANDBOX, GUARD_ALLOW, { .scope = &yolo, .tool = &shell } },
    { "but not for the agent that calls it", GUARD_SANDBOX, GUARD_ASK, { .scope = &yolo_below, .tool = &shell } },
    { "call 4", GUARD_LOOP, GUARD_ALLOW, { .repeats = { .same_call = 4 } } },
    { "call 5", GUARD_LOOP, GUARD_DENY, { .repeats = { .same_call = 5 } } },
    { "poll 14", GUARD_LOOP, GUARD_ALLOW, { .repeats = { .same_call = 14 }, .tool = &poller } },
    { "poll 15", GUARD_LOOP, GUARD_DENY, { .repeats = { .same_call = 15 }, .tool = &poller } },
    { "2 equal results", GUARD_LOOP, GUARD_ALLOW, { .repeats = { .same_outcome = 2 } } },
    { "3 equal results", GUARD_LOOP, GUARD_DENY, { .repeats = { .same_outcome = 3 } } },
    { "8 equal polls", GUARD_LOOP, GUARD_ALLOW, { .repeats = { .same_outcome = 8 }, .tool = &poller } },
    { "9 equal polls", GUARD_LOOP, GUARD_DENY, { .repeats = { .same_outcome = 9 }, .tool = &poller } },
    { "2 rounds", GUARD_LOOP, GUARD_ALLOW, { .repeats = { .ping_pong = 2 } } },
    { "3 rounds", GUARD_LOOP, GUARD_DENY, { .repeats = { .ping_pong = 3 } } },
    { "trusted data to a shell", GUARD_TAINT, GUARD_ALLOW, { .scope = &taint_asks, .tool = &shell } },
    { "untrusted data to a shell", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &shell, .taint = { "gh:list", 7 } } },
    { "untrusted data to a command in the sandbox", GUARD_TAINT, GUARD_ALLOW, { .scope = &taint_asks, .tool = &command, .sandbox = INSIDE, .taint = { "gh:list", 7 } } },
    { "suspicious data to a command in the sandbox", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &command, .sandbox = INSIDE, .taint = { "gh:list!override", 16 } } },
    { "suspicious data where taint is auto", GUARD_TAINT, GUARD_ASK, { .scope = &auto_own, .tool = &command, .sandbox = INSIDE, .taint = { "gh:list!override", 16 } } },
    { "suspicious data to a reader", GUARD_TAINT, GUARD_ALLOW, { .scope = &taint_denies, .taint = { "gh:list!override", 16 } } },
    { "untrusted data to a command with network by default", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &command, .sandbox = IN(SANDBOX_NETWORK, SANDBOX_NETWORK), .taint = { "gh:list", 7 } } },
    { "untrusted data written outside", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &writer, .writes_outside = true, .taint = { "gh:list", 7 } } },
    { "untrusted data written inside", GUARD_TAINT, GUARD_ALLOW, { .scope = &taint_asks, .tool = &writer, .taint = { "gh:list", 7 } } },
    { "untrusted data in a message", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &messenger, .taint = { "gh:list", 7 } } },
    { "untrusted data back to its server", GUARD_TAINT, GUARD_ALLOW, { .scope = &taint_asks, .tool = &theirs, .taint = { "gh:list,gh:push", 15 } } },
    { "untrusted data to another server", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &theirs, .taint = { "gh:list,db:query", 16 } } },
    { "untrusted data to another server that only reads", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &their_reader, .taint = { "https://gh:1", 12 } } },
    { "untrusted data of a server with the same beginning", GUARD_TAINT, GUARD_ASK, { .scope = &taint_asks, .tool = &theirs, .taint = { "ghx:list", 8 } } },
    { "untrusted data sent away", GUARD_TAINT, GUARD_DENY, { .scope = &taint_denies, .tool = &fetch, .taint = { "gh:list", 7 } } },
    { "untrusted data to a reader", GUARD_TAINT, GUARD_ALLOW, { .scope = &taint_denies, .taint = { "gh:list", 7 } } },
    { "no secret", GUARD_SECRETS, GUARD_ALLOW, { .scope = &secrets_ask, .tool = &theirs } },
    { "what looks like a secret", GUARD_SECRETS, GUARD_ASK, { .scope = &secrets_ask, .tool = &theirs, .secret = { .kind = "a GitHub token" } } },
    { "the same where secrets is auto", GUARD_SECRETS, GUARD_ALLOW, { .scope = &auto_own, .tool = &theirs, .secret = { .kind = "a GitHub token" } } },
    { "a secret of trefoil", GUARD_SECRETS, GUARD_DENY, { .scope = &auto_own, .tool = &theirs, .secret = { .kind = "a GitHub token", .own = { "KEY", 3 } } } },
    { "taint is auto", GUARD_TAINT, GUARD_ALLOW, { .scope = &auto_own, .tool = &shell, .taint = { "gh:list", 7 } } },
};
/* clang-format on */

TEST(every_check_allows_and_denies)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct guard_facts f = rows[i].f;

        if (rows[i].row != GUARD_IDENTITY) {
            f.caller = "test";
            f.origin = ORIGIN_STDIO;
            f.principal = STR("user:1");
        }
        if (!f.tool)
            f.tool = &reader;
        judge(&f);
        if (v.row[rows[i].row].says != rows[i].says || !v.row[rows[i].row].why[0])
            TAP_NOT("%s: %s", rows[i].claim, v.row[rows[i].row].why);
        for (size_t k = 0; k < GUARD_ROWS; k++) /* and nobody else has a say */
            if (k != (size_t)rows[i].row && v.row[k].says > rows[i].says)
                TAP_NOT("%s: %s: %s", rows[i].claim, guard_row_names[k], v.row[k].why);
    }
}

TEST(every_check_has_a_row_that_denies_and_one_that_allows)
{
    bool denies[GUARD_ROWS] = { 0 }, allows[GUARD_ROWS] = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        denies[rows[i].row] |= rows[i].says == GUARD_DENY;
        allows[rows[i].row] |= rows[i].says == GUARD_ALLOW;
    }
    denies[GUARD_SANDBOX] = true; /* it asks at most */
    for (size_t i = 0; i < GUARD_ROWS; i++)
        OK(denies[i] && allows[i]);
}

TEST(the_strictest_wins_and_the_first_of_them_is_named)
{
    struct guard_scope s = { .permission = { [TOOL_EXECUTE] = PERMISSION_ASK },
                             .mode = AGENT_READ_ONLY };
    judge(&(struct guard_facts){ .caller = "a",
                                 .origin = ORIGIN_STDIO,
                                 .principal = STR("user:1"),
                                 .tool = &shell,
                                 .scope = &s,
                                 .depth = 6 });

    EQ(v.says, GUARD_DENY);
    EQ(v.by, GUARD_DEPTH);
    EQ(v.row[GUARD_MODE].says, GUARD_DENY);
    EQ(v.row[GUARD_PERMISSION].says, GUARD_ASK);
}

TEST(one_ask_names_all_reasons)
{
    char why[1024];
    struct str all;
    struct guard_scope s = { .permission = { [TOOL_EXECUTE] = PERMISSION_ASK },
                             .mode = AGENT_READ_ONLY,
                             .taint = GUARD_ASK };
    judge(&(struct guard_facts){ .caller = "a",
                                 .origin = ORIGIN_STDIO,
                                 .principal = STR("user:1"),
                                 .tool = &theirs,
                                 .scope = &s,
                                 .taint = STR("web_fetch") });
    all = guard_reasons(&v, why, sizeof(why));

    EQ(v.says, GUARD_ASK);
    HAS_S(all, "(mode)");
    HAS_S(all, "(permission)");
    HAS_S(all, "(taint)");
    OK(str_find(all, STR("(loop)")) < 0);
}

TEST(a_warning_is_not_a_refusal)
{
    judge(&(struct guard_facts){ .caller = "a",
                                 .origin = ORIGIN_STDIO,
                                 .principal = STR("user:1"),
                                 .tool = &reader,
                                 .repeats = { .same_call = 3 } });

    EQ(v.says, GUARD_ALLOW);
    EQ(v.by, GUARD_ROWS);
    OK(v.row[GUARD_LOOP].warns);
    HAS_S(str_of(v.row[GUARD_LOOP].why), "call 3 of file_read");
}

TEST(the_limits_of_loops_are_configured)
{
    struct limits l;
    struct guard_facts f = { .caller = "a",
                             .origin = ORIGIN_STDIO,
                             .principal = STR("user:1"),
                             .tool = &poller,
                             .limits = &l };

    limits_preset(&l);
    l.loop_poll_factor = 2;
    l.loop_call_warn = 2;
    l.loop_call_block = 4;
    l.loop_outcome_warn = 1;
    l.loop_outcome_block = 2;
    l.loop_ping_pong = 2;
    f.repeats = (struct guard_repeats){ .same_call = 4 };
    judge(&f);
    OK(v.row[GUARD_LOOP].warns);
    f.repeats = (struct guard_repeats){ .same_call = 8 };
    judge(&f);
    EQ(v.says, GUARD_DENY);
    f.repeats = (struct guard_repeats){ .same_outcome = 2 };
    judge(&f);
    OK(v.row[GUARD_LOOP].warns);
    f.repeats = (struct guard_repeats){ .same_outcome = 4 };
    judge(&f);
    EQ(v.says, GUARD_DENY);
    f.repeats = (struct guard_repeats){ .ping_pong = 3 };
    judge(&f);
    EQ(v.says, GUARD_ALLOW);
    f.repeats = (struct guard_repeats){ .ping_pong = 4 };
    judge(&f);
    EQ(v.says, GUARD_DENY);
}

TEST(an_agent_is_limited_by_its_definition)
{
    const struct agent_def def = { .name = "reviewer",
                                   .allowed = LIST({ "Read", 4 }, { "Write", 5 }),
                                   .approval_mode = STR("default") };
    struct guard_scope s = guard_scope_of_agent(&def, &no_shell);
    struct guard_facts f = { .caller = "reviewer",
                             .origin = ORIGIN_STDIO,
                             .principal = STR("user:1"),
                             .scope = &s,
                             .tool = &reader };

    judge(&f);
    EQ(v.says, GUARD_ALLOW);
    f.tool = &writer;
    judge(&f);
    EQ(v.by, GUARD_PERMISSION);
    EQ(v.says, GUARD_ASK);
    f.tool = &shell;
    judge(&f);
    EQ(v.by, GUARD_CAPABILITY);
    HAS_S(str_of(v.row[GUARD_CAPABILITY].why), "the disallowed_tools of this caller");
}

TEST(a_planning_agent_changes_nothing)
{
    const struct agent_def def = { .name = "planner", .approval_mode = STR("plan") };
    struct guard_scope s = guard_scope_of_agent(&def, NULL);

    judge(&(struct guard_facts){ .caller = "planner",
                                 .origin = ORIGIN_STDIO,
                                 .principal = STR("user:1"),
                                 .scope = &s,
                                 .tool = &shell });
    EQ(v.by, GUARD_MODE);
}

TEST_MAIN()
