/* test_asking.c - questions as lines: what is shown, what is wanted, what is answered. */
#include "base/auto.h"
#include "base/container.h"
#include "core/tool/tool.h"
#include "tap.h"
#include "term/question.h"

struct scene {
    struct asking asking;
    struct loop *loop;
    struct limits limits;
    struct host host;
    struct caller caller;
    struct arena mem;
    struct call call;
    struct ask ask[2];
    struct buf shown;
    struct str prompt; /* of the line that is wanted; STR_NONE: none is */
    char prompt_text[500];
    bool call_done;
    struct str answer[2]; /* raw, or the sentence of a refusal */
};

static struct scene *of_asking(struct asking *a)
{
    return CONTAINER_OF(a, struct scene, asking);
}

static void show(struct asking *a, struct str lines)
{
    buf_put(&of_asking(a)->shown, lines);
}

static void want(struct asking *a, struct str prompt)
{
    struct scene *s = of_asking(a);

    str_to_c(prompt, s->prompt_text, sizeof(s->prompt_text));
    s->prompt = str_of(s->prompt_text);
}

static void unwant(struct asking *a)
{
    of_asking(a)->prompt = STR_NONE;
}

static const struct asking_kind kind = { show, want, unwant };

/* ---- a call that asks ------------------------------------------------------------------------ */

static bool can(const struct caller *c, enum ask_kind k)
{
    (void)c;
    return asking_can(k);
}

static void pass_on(struct caller *c, struct ask *ask)
{
    asking_put(&CONTAINER_OF(c, struct scene, caller)->asking, ask);
}

static const struct caller_kind caller_kind = { .can = can, .ask = pass_on };

static void start(struct call *call)
{
    (void)call;
}

static void on_call(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    ((struct scene *)ctx)->call_done = true;
}

static void begin(struct scene *s)
{
    *s = (struct scene){ .asking = { .kind = &kind }, .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&s->limits);
    buf_init(&s->shown, 1 << 16);
    s->host = (struct host){ .loop = s->loop, .limits = &s->limits };
    s->caller = (struct caller){ .kind = &caller_kind, .name = "test" };
    call_run(&s->call, &s->host, &s->caller, &s->mem, &(struct call_about){ .what = "shell_exec" },
             start, NULL, on_call, s);
}

static void deliver(struct scene *s)
{
    while (loop_run_once(s->loop))
        ;
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct scene *s = ctx;
    struct ask *ask = CONTAINER_OF(op, struct ask, op);

    s->answer[ask - s->ask] = arena_str(&s->mem, e ? str_of(e->text) : json_raw(ask->answer));
}

static void ask(struct scene *s, size_t i, enum ask_kind k, const char *params)
{
    call_ask(&s->call, &s->ask[i], k, STR("k"), str_of(params), on_answer, s);
    deliver(s);
}

static void type(struct scene *s, const char *line)
{
    s->prompt = STR_NONE;
    asking_line(&s->asking, line ? str_of(line) : STR_NONE);
    deliver(s);
}

static void finish(struct scene *s)
{
    call_done(&s->call);
    while (!s->call_done)
        loop_run_once(s->loop);
    deliver(s);
    buf_fini(&s->shown);
    arena_fini(&s->mem);
    loop_free(s->loop);
}

#define ALWAYS                                                                                     \
    "{\"message\":\"May it?\\n  command: rm -r "                                                   \
    "x\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"                                 \
    "{\"always\":{\"type\":\"boolean\"}}}}"
#define ONCE                                                                                       \
    "{\"message\":\"May it?\\n  command: rm -r "                                                   \
    "x\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}"

static const struct {
    const char *params, *line, *want;
} permissions[] = {
    { ALWAYS, "y", "{\"action\":\"accept\"}" },
    { ALWAYS, " Yes ", "{\"action\":\"accept\"}" },
    { ALWAYS, "a", "{\"action\":\"accept\",\"content\":{\"always\":true}}" },
    { ALWAYS, "", "{\"action\":\"decline\"}" },
    { ALWAYS, "n", "{\"action\":\"decline\"}" },
    { ALWAYS, "what?", "{\"action\":\"decline\"}" },
    { ALWAYS, NULL, "{\"action\":\"decline\"}" },
    { ONCE, "a", "{\"action\":\"decline\"}" },
    { ONCE, "y", "{\"action\":\"accept\"}" },
};

TEST(a_permission_is_given_by_y_or_a_and_by_nothing_else)
{
    for (size_t i = 0; i < ARRAY_LEN(permissions); i++) {
        struct scene s;

        begin(&s);
        ask(&s, 0, ASK_PERMISSION, permissions[i].params);
        EQ_S(buf_str(&s.shown), "May it?\n  command: rm -r x\n");
        type(&s, permissions[i].line);
        EQ_S(s.answer[0], permissions[i].want);
        finish(&s);
    }
}

TEST(what_is_asked_for_cannot_command_the_terminal)
{
    struct scene s;

    begin(&s);
    ask(&s, 0, ASK_PERMISSION, "{\"message\":\"a\\u001b[2J\"}");
    EQ_S(buf_str(&s.shown), "a\\u{1b}[2J\n");
    type(&s, "");
    finish(&s);
}

TEST(questions_wait_for_each_other)
{
    struct scene s;

    begin(&s);
    ask(&s, 0, ASK_PERMISSION, ONCE);
    ask(&s, 1, ASK_URL, "{\"message\":\"Log in\",\"url\":\"https://example.org/x\"}");
    EQ_S(s.prompt, "Allow it? [y/N] ");
    type(&s, "y");
    HAS_S(buf_str(&s.shown), "Log in\n  https://example.org/x\n");
    EQ_S(s.prompt, "Did you open it? [y/N] ");
    type(&s, "n");
    EQ_S(s.answer[0], "{\"action\":\"accept\"}");
    EQ_S(s.answer[1], "{\"action\":\"decline\"}");
    finish(&s);
}

TEST(a_question_that_is_taken_back_wants_no_line)
{
    struct scene s;

    begin(&s);
    ask(&s, 0, ASK_PERMISSION, ONCE);
    ask(&s, 1, ASK_PERMISSION, ONCE);
    op_cancel(&s.ask[0].op);
    deliver(&s);
    EQ_S(s.answer[0], "cancelled");
    EQ_S(s.prompt, "Allow it? [y/N] "); /* of the next one */
    type(&s, "y");
    EQ_S(s.answer[1], "{\"action\":\"accept\"}");
    asking_line(&s.asking, STR("y")); /* nobody asked */
    finish(&s);
}

#define FORM                                                                                       \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"              \
    "\"name\":{\"type\":\"string\",\"title\":\"Your name\"},"                                      \
    "\"age\":{\"type\":\"integer\"},"                                                              \
    "\"size\":{\"type\":\"string\",\"enum\":[\"S\",\"M\"],\"default\":\"M\"},"                     \
    "\"ok\":{\"type\":\"boolean\"},"                                                               \
    "\"tags\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\"},{\"const\":\"b\"}]}}}"   \
    ",\"required\":[\"name\"]}}"

TEST(a_form_is_a_line_for_each_property)
{
    struct scene s;

    begin(&s);
    ask(&s, 0, ASK_FORM, FORM);
    EQ_S(s.prompt, "Your name: ");
    type(&s, "");
    HAS_S(buf_str(&s.shown), "a value is required");
    type(&s, "Ada \"L\"");
    EQ_S(s.prompt, "age [none]: ");
    type(&s, "12.5");
    HAS_S(buf_str(&s.shown), "invalid value");
    type(&s, "36");
    EQ_S(s.prompt, "size (S, M) [\"M\"]: ");
    type(&s, "XL");
    EQ_S(s.prompt, "size (S, M) [\"M\"]: ");
    type(&s, "");
    EQ_S(s.prompt, "ok (y/n) [none]: ");
    type(&s, "");
    EQ_S(s.prompt, "tags (a, b), several with commas [none]: ");
    type(&s, "a, b");
    EQ_S(s.answer[0], "{\"action\":\"accept\",\"content\":{\"name\":\"Ada \\\"L\\\"\",\"age\":36,"
                      "\"size\":\"M\",\"tags\":[\"a\",\"b\"]}}");
    finish(&s);
}

TEST(a_form_can_be_left)
{
    struct scene s;

    begin(&s);
    ask(&s, 0, ASK_FORM, FORM);
    type(&s, "Ada");
    type(&s, NULL);
    EQ_S(s.answer[0], "{\"action\":\"cancel\"}");
    finish(&s);
}

TEST(a_form_without_properties_is_a_yes_or_no)
{
    struct scene s;

    begin(&s);
    ask(&s, 0, ASK_FORM, ONCE);
    EQ_S(s.prompt, "Accept? [y/N] ");
    type(&s, "y");
    EQ_S(s.answer[0], "{\"action\":\"accept\"}");
    finish(&s);
}

TEST_MAIN()
