/*
 * fuzz_a2a.c - the codec of A2A, and the view of a task, against JSON from a stranger.
 *
 * The first byte is the dialect, the second one chooses what the rest is: a message, an event of a
 * stream, a push configuration, or events of a task, one per line. What was read must be written as
 * valid JSON in every dialect, and 1.0 must be read again.
 */
#include "base/auto.h"
#include "proto/a2a/server/a2a_question.h"
#include "proto/a2a/server/a2a_view.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 22 };

static struct limits limits;

static void must(bool cond)
{
    if (!cond)
        abort();
}

static bool parse(struct arena *mem, struct str text, struct json *out)
{
    struct json_opts opts = { .max_depth = 64, .max_values = 1 << 16 };
    struct err e;

    return json_read(mem, text, &opts, out, &e);
}

/* Embedded values may be nested deeper by their new frame. */
static struct json parse_own(struct arena *mem, const struct buf *b)
{
    struct json_opts opts = { .max_depth = 128, .max_values = 1 << 20 };
    struct json out = { 0 };
    struct err e;

    must(b->full || json_read(mem, buf_str(b), &opts, &out, &e));
    return out;
}

/* ---- reading and writing --------------------------------------------------------------------- */

static void check_update(const struct a2a_update *u)
{
    for (size_t d = 0; d < A2A_DIALECTS; d++) {
        AUTO_ARENA mem = { 0 };
        AUTO_BUF out;
        struct jw w = jw_to(&out);
        struct a2a_update again;
        struct json v;
        struct err e;

        buf_init(&out, MOST);
        a2a_write_update(&w, (enum a2a_dialect)d, u);
        v = parse_own(&mem, &out);
        if (d == A2A_1_0 && !out.full)
            must(a2a_read_update(&mem, A2A_1_0, &limits, v, &again, &e) && again.kind == u->kind);
    }
}

static void try_message(enum a2a_dialect dialect, struct arena *mem, struct json v)
{
    struct a2a_update u = { .kind = A2A_MESSAGE };
    struct err e;

    if (!a2a_read_message(mem, dialect, &limits, v, &u.message, &e))
        return;
    if (!u.message.id.n)
        u.message.id = STR("m");
    check_update(&u);
}

static void try_update(enum a2a_dialect dialect, struct arena *mem, struct json v)
{
    struct a2a_update u;
    struct err e;

    /* what a peer of another version leaves out, 1.0 may require */
    if (!a2a_read_update(mem, dialect, &limits, v, &u, &e) || dialect != A2A_1_0)
        return;
    check_update(&u);
}

static void try_push(struct arena *mem, struct json v)
{
    struct a2a_push push, again;
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct err e;

    buf_init(&out, MOST);
    if (!a2a_read_push(mem, v, &push, &e))
        return;
    a2a_write_push(&w, A2A_1_0, &push);
    must(a2a_read_push(mem, parse_own(mem, &out), &again, &e));
    must(str_eq(again.url, push.url));
}

/* ---- the view of a task ---------------------------------------------------------------------- */

static const char *const kinds[] = { "status", "text", "answered", "ask", "artifact", "tool" };

static void check_view(const struct a2a_view *v)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_update u = { .kind = A2A_TASK };

    u.task = a2a_view_task(v, &mem, A2A_HISTORY_ALL, true);
    check_update(&u);
}

/* Each line: a digit for the kind, and the body. */
static void try_events(struct str text)
{
    const struct task_info info = { .id = STR("t"),
                                    .context = STR("c"),
                                    .asked = STR("do it"),
                                    .client = STR("{\"a2a\":\"1.0\"}") };
    struct a2a_view view;
    int64_t seq = 0;

    a2a_view_init(&view, &info, &limits);
    while (text.p && seq < 100) {
        AUTO_ARENA scratch = { 0 };
        struct str line = str_cut(&text, '\n');
        struct a2a_update u;
        const char *kind;

        if (!line.n)
            continue;
        kind = kinds[(unsigned char)line.p[0] % ARRAY_LEN(kinds)];
        if (a2a_view_add(&view, &scratch, ++seq, 1, str_of(kind), str_skip(line, 1), &u))
            check_update(&u);
    }
    check_view(&view);
    a2a_view_fini(&view);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The first line is the open questions of a task, the second one the message. */
static void try_answer(struct arena *mem, struct str text)
{
    struct str asks = str_cut(&text, '\n'), key;
    struct task_info info = { .asks = asks };
    struct a2a_message m;
    struct json v, answer;
    struct err e;

    if (text.p && parse(mem, text, &v) && a2a_read_message(mem, A2A_1_0, &limits, v, &m, &e) &&
        a2a_question_answer(mem, &limits, &info, &m, STR("{}"), &key, &answer))
        must(json_type(answer) == JSON_OBJECT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    enum a2a_dialect dialect;
    struct str text;
    struct json v;

    limits_preset(&limits);
    if (size < 2)
        return 0;
    dialect = (enum a2a_dialect)(data[0] % A2A_DIALECTS);
    text = (struct str){ (const char *)data + 2, size - 2 };
    switch (data[1] % 5) {
    case 0: try_events(text); break;
    case 1: try_answer(&mem, text); break;
    case 2:
        if (parse(&mem, text, &v))
            try_message(dialect, &mem, v);
        break;
    case 3:
        if (parse(&mem, text, &v))
            try_update(dialect, &mem, v);
        break;
    default:
        if (parse(&mem, text, &v))
            try_push(&mem, v);
    }
    return 0;
}
