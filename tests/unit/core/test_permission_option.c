#include "core/guard/answer_store.h"
#include "core/guard/guard_grants.h"
#include "core/guard/permission_option.h"
#include "tap.h"

#include "base/auto.h"

static struct json read_json(struct arena *mem, const char *text)
{
    const struct json_opts opts = { .max_depth = 16, .max_values = 1000 };
    struct json v;
    struct err e;

    OK(json_read(mem, str_of(text), &opts, &v, &e));
    return v;
}

/* ---- the table -------------------------------------------------------------------------------- */

TEST(every_row_has_its_own_id_and_key_and_a_kind_that_fits)
{
    for (size_t i = 0; i < PERMISSION_OPTIONS; i++) {
        const struct permission_row *r = &permission_options[i];
        enum permission_option found;

        OK(permission_option_named(str_of(r->id), &found) && found == i);
        OK(str_starts(str_of(r->kind), r->allows ? STR("allow_") : STR("reject_")));
        EQ(str_eq(str_of(r->kind), r->allows ? STR("allow_once") : STR("reject_once")),
           r->scope == PERMISSION_ONCE);
        for (size_t j = 0; j < i; j++)
            OK(permission_options[j].key != r->key);
    }
}

static const char ours[] =
    "{\"options\":[{\"id\":\"allow_once\",\"name\":\"A\",\"kind\":\"allow_once\"},"
    "{\"id\":\"allow_session\",\"name\":\"B\",\"kind\":\"allow_always\"},"
    "{\"id\":\"reject_once\",\"name\":\"C\",\"kind\":\"reject_once\"}]}";
static const char foreign[] =
    "{\"options\":[{\"id\":\"go\",\"name\":\"Go\",\"kind\":\"allow_once\"},"
    "{\"id\":\"stop\",\"name\":\"Stop\",\"kind\":\"reject_always\"}]}";

static const struct {
    const char *params, *answer, *id; /* id NULL: refused; "": none */
    bool allows;
} answers[] = {
    { ours, "{\"action\":\"accept\"}", "allow_once", true },
    { ours, "{\"action\":\"accept\",\"content\":{\"always\":true}}", "allow_session", true },
    { ours, "{\"action\":\"decline\"}", "reject_once", false },
    { ours, "{\"action\":\"cancel\"}", "reject_once", false },
    { ours, "{\"option\":\"allow_session\"}", "allow_session", true },
    { ours, "{\"action\":\"accept\",\"content\":{\"option\":\"reject_once\"}}", "reject_once",
      false },
    { ours, "{\"action\":\"decline\",\"option\":\"allow_once\"}", NULL, false },
    { ours, "{\"option\":\"allow_project\"}", NULL, false },
    { ours, "{\"option\":7}", NULL, false },
    { ours, "{}", "reject_once", false },
    { foreign, "{\"option\":\"stop\"}", "stop", false },
    { foreign, "{\"action\":\"accept\"}", "go", true },
    { foreign, "{\"action\":\"accept\",\"content\":{\"always\":true}}", "go", true },
    { foreign, "{\"action\":\"decline\"}", "", false },
};

TEST(an_answer_chooses_an_option_of_its_question)
{
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        AUTO_ARENA mem = { 0 };
        struct permission_choice c;
        struct err e;
        bool ok = permission_chosen(&mem, read_json(&mem, answers[i].params),
                                    read_json(&mem, answers[i].answer), &c, &e);

        EQ(ok, answers[i].id != NULL);
        if (!ok)
            continue;
        OK(str_eq(c.id, str_of(answers[i].id)));
        EQ(c.allows, answers[i].allows);
    }
}

/* ---- sessions --------------------------------------------------------------------------------- */

TEST(a_session_holds_the_last_answer_about_a_call)
{
    struct guard_grants g = { 0 };

    EQ(guard_granted(&g, "a"), GUARD_ASK);
    guard_grant(&g, "a", true);
    EQ(guard_granted(&g, "a"), GUARD_ALLOW);
    guard_grant(&g, "a", false);
    EQ(guard_granted(&g, "a"), GUARD_DENY);
    EQ(g.n, 1);
    guard_grants_fini(&g);
}

/* ---- the key ---------------------------------------------------------------------------------- */

struct answer_call {
    const char *root, *cwd, *principal, *agent;
    struct tool tool;
    const char *args;
};

static void id_of(const struct answer_call *c, char out[ANSWER_ID])
{
    AUTO_ARENA mem = { 0 };
    const struct host host = { .root = c->root, .cwd = c->cwd };
    const struct caller caller = { .name = c->agent, .principal = str_of(c->principal) };
    struct answer_key key = answer_key_of(&mem, &host, &caller, &c->tool, read_json(&mem, c->args));
    struct err e;

    OK(answer_key_id(&mem, &key, out, &e));
}

static bool same_answer(const struct answer_call *a, const struct answer_call *b)
{
    char x[ANSWER_ID], y[ANSWER_ID];

    id_of(a, x);
    id_of(b, y);
    return str_eq(str_of(x), str_of(y));
}

TEST(each_part_of_the_key_counts)
{
    const struct answer_call base = { "/r",
                                      "/r",
                                      "user:1",
                                      "mcp",
                                      { .name = "t", .kind = TOOL_EXECUTE, .description = "d" },
                                      "{\"argv\":[\"a\",\"b c\"]}" };
    struct answer_call c = base;

    c.args = " { \"argv\" : [ \"a\" , \"b c\" ] } ";
    OK(same_answer(&base, &c)); /* spaces do not */
    c.args = "{\"argv\":[\"a\",\"b\",\"c\"]}";
    OK(!same_answer(&base, &c));
#define OTHER(member, value)                                                                       \
    do {                                                                                           \
        c = base;                                                                                  \
        c.member = value;                                                                          \
        OK(!same_answer(&base, &c));                                                               \
    } while (0)
    OTHER(root, "/s");
    OTHER(cwd, "/r/sub");
    OTHER(principal, "user:2");
    OTHER(agent, "helper");
    OTHER(tool.name, "u");
    OTHER(tool.description, "e");
    OTHER(tool.input_schema, "{}");
    OTHER(tool.annotations, "{}");
    OTHER(tool.read_only, true);
}

TEST(an_edit_is_known_by_its_path_and_a_tool_of_a_server_by_all_arguments)
{
    struct answer_call a = { "/r",
                             NULL,
                             "user:1",
                             "mcp",
                             { .name = "t", .kind = TOOL_EDIT },
                             "{\"path\":\"x\",\"content\":\"1\"}" };
    struct answer_call b = a;

    b.args = "{\"path\":\"x\",\"content\":\"2\"}";
    OK(same_answer(&a, &b));
    b.args = "{\"path\":\"y\",\"content\":\"1\"}";
    OK(!same_answer(&a, &b));
    a.tool.alias = b.tool.alias = "far:t";
    b.args = "{\"path\":\"x\",\"content\":\"2\"}";
    OK(!same_answer(&a, &b));
}

TEST_MAIN()
