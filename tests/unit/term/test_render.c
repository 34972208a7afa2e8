/* test_render.c - events in, lines out: what stands on stdout and on stderr, byte for byte. */
#include "base/container.h"
#include "tap.h"
#include "term/render.h"

#include <stdlib.h>

enum { MOST = 1 << 20 };

struct scene {
    struct render_sink sink;
    struct render render;
    struct loop *loop;
    struct limits limits;
    struct buf side[2]; /* what each side got; all on [0] when they are together */
    bool together;
};

static void put(struct render_sink *sink, enum render_side side, struct str bytes)
{
    struct scene *s = CONTAINER_OF(sink, struct scene, sink);

    buf_put(&s->side[s->together ? 0 : side], bytes);
}

static void begin(struct scene *s, struct render_opts opts)
{
    *s = (struct scene){ .sink = { put }, .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&s->limits);
    buf_init(&s->side[0], MOST);
    buf_init(&s->side[1], MOST);
    s->together = opts.together;
    opts.loop = s->loop;
    opts.limits = &s->limits;
    opts.sink = &s->sink;
    opts.root = "/home/me";
    render_init(&s->render, &opts);
}

static void finish(struct scene *s)
{
    render_fini(&s->render);
    buf_fini(&s->side[0]);
    buf_fini(&s->side[1]);
    loop_free(s->loop);
}

static void tell(struct scene *s, struct event ev)
{
    s->render.client.kind->event(&s->render.client, &ev);
}

static struct str out(struct scene *s)
{
    return buf_str(&s->side[0]);
}

static struct str aside(struct scene *s)
{
    return buf_str(&s->side[1]);
}

#define TEXT(id, words) ((struct event){ EVENT_TEXT, .message = STR(id), .text = STR(words) })
#define TOOL(...) ((struct event){ EVENT_TOOL, .tool = { __VA_ARGS__ } })
#define NOTE(k, words) ((struct event){ EVENT_NOTICE, .notice = { k, STR(words) } })
#define END(s, words) ((struct event){ EVENT_END, .end = { .stop = s, .text = STR(words) } })

/* An answer with a call in between. */
static void play(struct scene *s)
{
    render_wait(&s->render);
    tell(s, TEXT("m1", "I look "));
    tell(s, TEXT("m1", "at it."));
    tell(s, TOOL(.id = STR("c1"), .name = STR("file_edit"), .status = CALLED_PENDING));
    tell(s, TOOL(.id = STR("c1"), .name = STR("file_edit"), .status = CALLED_RUNNING,
                 .path = STR("/home/me/src/a.c"), .args = STR("{\"path\":\"src/a.c\"}")));
    loop_advance(s->loop, 12);
    tell(s, TOOL(.id = STR("c1"), .name = STR("file_edit"), .status = CALLED_DONE,
                 .text = STR("edited")));
    tell(s, TEXT("m2", "Done."));
    tell(s, END(TURN_END, ""));
}

TEST(a_pipe_gets_the_answer_alone)
{
    struct scene s;

    begin(&s, (struct render_opts){ 0 });
    play(&s);
    EQ_S(out(&s), "I look at it.\nDone.\n");
    EQ_S(aside(&s), "* file_edit src/a.c ... done 12 ms\n");
    finish(&s);
}

TEST(on_one_terminal_each_has_lines_of_its_own)
{
    struct scene s;

    begin(&s, (struct render_opts){ .together = true, .answer_shown = true });
    play(&s);
    EQ_S(out(&s), "I look at it.\n* file_edit src/a.c ... done 12 ms\nDone.\n");
    finish(&s);
}

TEST(colours_end_with_their_line)
{
    struct scene s;

    begin(&s, (struct render_opts){ .together = true, .answer_shown = true, .colour = true });
    tell(&s, TOOL(.id = STR("c"), .name = STR("grep"), .status = CALLED_FAILED,
                  .args = STR("{\"pattern\":\"x\"}"), .text = STR("bad\nmore")));
    tell(&s, NOTE(NOTICE_WARNING, "careful"));
    EQ_S(out(&s), "\x1b[31m* \x1b[0mgrep x\x1b[31m ... failed: bad\x1b[0m\n"
                  "\x1b[33m! careful\x1b[0m\n");
    finish(&s);
}

TEST(a_terminal_gets_no_control_sequence_of_a_model_or_tool)
{
    struct scene s;

    begin(&s, (struct render_opts){ .together = true, .answer_shown = true });
    tell(&s, TEXT("m", "a\x1b[2Jb\n"));
    tell(&s, TOOL(.id = STR("c"), .name = STR("x\x1bz"), .status = CALLED_FAILED,
                  .text = STR("\x1b[31mred")));
    EQ_S(out(&s), "a\\u{1b}[2Jb\n* x\\u{1b}z ... failed: \\u{1b}[31mred\n");
    finish(&s);
}

TEST(a_pipe_gets_the_bytes_as_they_are)
{
    struct scene s;

    begin(&s, (struct render_opts){ 0 });
    tell(&s, TEXT("m", "a\x1b[2Jb\r\n"));
    tell(&s, END(TURN_END, ""));
    EQ_S(out(&s), "a\x1b[2Jb\r\n");
    finish(&s);
}

TEST(thoughts_are_shown_when_asked_for)
{
    struct scene s;
    struct event think = { EVENT_THOUGHT, .message = STR("m"), .text = STR("hmm") };

    begin(&s, (struct render_opts){ 0 });
    tell(&s, think);
    EQ_S(aside(&s), "");
    finish(&s);

    begin(&s, (struct render_opts){
                  .together = true, .answer_shown = true, .colour = true, .thoughts = true });
    tell(&s, think);
    tell(&s, TEXT("m", "yes"));
    tell(&s, END(TURN_END, ""));
    EQ_S(out(&s), "\x1b[2mhmm\x1b[0m\nyes\n");
    finish(&s);
}

TEST(a_plan_is_a_short_list)
{
    struct scene s;

    begin(&s, (struct render_opts){ 0 });
    tell(&s, (struct event){ EVENT_PLAN,
                             .plan = STR("[{\"content\":\"read\",\"status\":\"completed\"},"
                                         "{\"content\":\"write\",\"status\":\"in_progress\"},"
                                         "{\"content\":\"test\",\"status\":\"pending\"}]") });
    EQ_S(aside(&s), "plan:\n  [x] read\n  [>] write\n  [ ] test\n");
    finish(&s);
}

static const struct {
    enum turn_stop stop;
    const char *text, *want;
} ends[] = {
    { TURN_END, "", "" },
    { TURN_LENGTH, "the answer was cut", "= length: the answer was cut\n" },
    { TURN_REFUSED, "it will not", "= refused: it will not\n" },
    { TURN_NO_MODEL, "none is there", "= no_model: none is there\n" },
    { TURN_CANCELED, "", "= canceled\n" },
    { TURN_FAILED, "no route\nto host", "= failed: no route\nto host\n" },
};

TEST(why_it_stopped_is_told_unless_it_was_done)
{
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct scene s;

        begin(&s, (struct render_opts){ 0 });
        tell(&s, (struct event){ EVENT_END,
                                 .end = { .stop = ends[i].stop, .text = str_of(ends[i].text) } });
        EQ_S(aside(&s), ends[i].want);
        EQ_S(out(&s), "");
        finish(&s);
    }
}

TEST(notices_are_a_line_each)
{
    struct scene s;

    begin(&s, (struct render_opts){ 0 });
    tell(&s, NOTE(NOTICE_RETRY, "busy, again in 2 s"));
    tell(&s, NOTE(NOTICE_COMPACTED, "a long summary"));
    tell(&s, NOTE(NOTICE_COMPACT_FAILED, "no room"));
    render_note(&s.render, STR("mind this"));
    EQ_S(aside(&s), "- busy, again in 2 s\n- the conversation so far was summarized\n"
                    "! no room\n! mind this\n");
    finish(&s);
}

/* ---- the spinner --------------------------------------------------------------------------- */

TEST(waiting_is_shown_after_a_moment_and_erased_before_output)
{
    struct scene s;

    begin(&s, (struct render_opts){ .together = true, .answer_shown = true, .spin = true });
    loop_advance(s.loop, 1000);
    EQ_S(out(&s), ""); /* no turn is under way */
    render_wait(&s.render);
    loop_advance(s.loop, 299);
    EQ_S(out(&s), "");
    loop_advance(s.loop, 1);
    EQ_S(out(&s), "\r\x1b[K- 0 s");
    loop_advance(s.loop, 800);
    HAS_S(out(&s), "\r\x1b[K/ 1 s");
    buf_clear(&s.side[0]);
    tell(&s, TEXT("m", "hi"));
    EQ_S(out(&s), "\r\x1b[Khi");
    loop_advance(s.loop, 5000); /* in the middle of a line nothing turns */
    EQ_S(out(&s), "\r\x1b[Khi");
    tell(&s, END(TURN_END, ""));
    loop_advance(s.loop, 5000);
    EQ_S(out(&s), "\r\x1b[Khi\n");
    finish(&s);
}

TEST(the_spinner_names_what_runs_and_fits_the_line)
{
    struct scene s;

    begin(&s, (struct render_opts){ .spin = true, .columns = 24 });
    render_wait(&s.render);
    tell(&s, TOOL(.id = STR("c"), .name = STR("shell_exec"), .status = CALLED_RUNNING,
                  .args = STR("{\"command\":\"make a very long thing\"}")));
    loop_advance(s.loop, 300);
    EQ_S(aside(&s), "\r\x1b[K- 0 s  shell_exec make");
    finish(&s);
}

TEST(nothing_turns_while_somebody_is_asked)
{
    struct scene s;

    begin(&s, (struct render_opts){ .together = true, .answer_shown = true, .spin = true });
    render_wait(&s.render);
    tell(&s, TEXT("m", "so"));
    render_hold(&s.render);
    EQ_S(out(&s), "so\n");
    loop_advance(s.loop, 10000);
    EQ_S(out(&s), "so\n");
    render_release(&s.render);
    loop_advance(s.loop, 300);
    EQ_S(out(&s), "so\n\r\x1b[K- 0 s");
    finish(&s);
}

/* ---- others -------------------------------------------------------------------------------- */

TEST(json_is_one_event_per_line_and_nothing_aside)
{
    struct scene s;

    begin(&s, (struct render_opts){ .json = true, .spin = true });
    play(&s);
    loop_advance(s.loop, 1000);
    HAS_S(out(&s), "{\"type\":\"text\",\"message\":\"m1\",\"text\":\"I look \"}\n");
    HAS_S(out(&s), "{\"type\":\"end\",\"stop\":\"end\"");
    EQ_S(aside(&s), "");
    finish(&s);
}

TEST(calls_of_an_agent_that_was_called_are_indented)
{
    struct scene s;
    struct event ev = TOOL(.id = STR("c"), .name = STR("grep"), .status = CALLED_DONE);

    begin(&s, (struct render_opts){ 0 });
    s.render.client.kind->below(&s.render.client, STR("s1"), &ev);
    EQ_S(aside(&s), "  * grep ... done\n");
    finish(&s);
}

TEST(what_was_asked_stands_behind_a_mark)
{
    struct scene s;
    struct block b = { .kind = BLOCK_TEXT, .text = STR("do this\nand that\n") };

    begin(&s, (struct render_opts){ .together = true });
    tell(&s, (struct event){ EVENT_PROMPT, .message = STR("p"), .block = &b });
    tell(&s, TEXT("m", "done"));
    tell(&s, END(TURN_END, ""));
    EQ_S(out(&s), "> do this\n> and that\ndone\n");
    finish(&s);
}

static const struct {
    const char *name, *path, *args, *want;
} labels[] = {
    { "file_read", "/home/me/a/b.c", NULL, "file_read a/b.c" },
    { "file_read", "/elsewhere/b.c", NULL, "file_read /elsewhere/b.c" },
    { "file_list", "/home/me", NULL, "file_list /home/me" },
    { "shell_exec", NULL, "{\"timeout_ms\":5,\"command\":\"ls -l\"}", "shell_exec ls -l" },
    { "shell_exec", NULL, "{\"argv\":[\"ls\",\"-l\"]}", "shell_exec ls -l" },
    { "shell_exec", NULL, "{\"command\":\"a\\nb\"}", "shell_exec a..." },
    { "login", NULL, "{\"api_key\":\"hunter2\"}", "login ***" },
    { "system_time", NULL, "{}", "system_time" },
    { "broken", NULL, "{", "broken" },
    { "odd", NULL, "\"no object\"", "odd" },
};

TEST(a_call_is_labelled_by_what_it_is_about)
{
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        struct buf b;

        buf_init(&b, 1000);
        render_tool_label(&b, str_of(labels[i].name), str_of(labels[i].path),
                          str_of(labels[i].args), "/home/me");
        EQ_S(buf_str(&b), labels[i].want);
        buf_fini(&b);
    }
}

TEST(no_color_and_a_dumb_terminal_are_respected)
{
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    OK(render_colours());
    setenv("TERM", "dumb", 1);
    OK(!render_colours());
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    OK(!render_colours());
    unsetenv("NO_COLOR");
    unsetenv("TERM");
    OK(!render_colours());
}

TEST_MAIN()
