/* task_result.c - writes the result of a task as JSON; struct task_info describes it. */
#include "core/task/task_result.h"

#include "base/utf8.h"
#include "core/guard/taint_label.h"
#include "core/session/history_record.h"
#include "core/task/task_engine.h"
#include "core/tool/path_below.h"

enum { SUMMARY_CHARS = 500 };

static struct str summary(struct str text)
{
    size_t at = 0;

    for (size_t chars = 0; chars < SUMMARY_CHARS && at < text.n; chars++) {
        size_t n = utf8_len(text.p + at, text.n - at);

        at += n ? n : 1;
    }
    return str_head(text, at);
}

/* How much of the result is written. */
enum result_size { RESULT_WHOLE, RESULT_SUMMARY, RESULT_LEAST };

static void write_artifacts(struct jw *w, const struct task_run *r, enum result_size size)
{
    jw_plain_key(w, STR("artifacts"));
    jw_array(w);
    for (size_t i = 0; size != RESULT_LEAST && i < r->made.n; i++)
        jw_str(w, r->made.v[i]);
    jw_array_end(w);
}

/*
 * By wall clock time, since the task may have begun in another process. The clock may have been set
 * back.
 */
static double duration(const struct task_run *r)
{
    int64_t ms = loop_wall(r->op.loop) - r->created;

    return ms > 0 ? (double)ms / 1000 : 0;
}

/* The result is marked like a tool result: untrusted if untrusted data was read for it. */
static void write_trust(struct jw *w, struct str taint)
{
    struct str source;

    jw_plain_key(w, STR("trust"));
    jw_object(w);
    jw_kstr(w, "level", taint.n ? STR("untrusted") : STR("trusted"));
    jw_plain_key(w, STR("from"));
    jw_array(w);
    while (taint_next(&taint, &source))
        jw_str(w, source);
    jw_array_end(w);
    jw_object_end(w);
}

static void write_parts(struct jw *w, struct task_run *r, enum result_size size)
{
    struct str answer = r->answer.p && size != RESULT_LEAST ? r->answer : STR("");

    jw_object(w);
    if (r->interrupted) /* must be first: task_interrupted relies on it */
        jw_kint(w, "interrupted", (int64_t)r->interrupted);
    jw_kstr(w, "summary", summary(answer));
    jw_kstr(w, "response", size == RESULT_WHOLE ? task_format_answer(r, answer) : summary(answer));
    write_artifacts(w, r, size);
    jw_plain_key(w, STR("usage"));
    usage_write(w, &r->usage);
    jw_kstr(w, "stop", str_of(turn_stop_names[r->stop]));
    jw_plain_key(w, STR("duration_seconds"));
    jw_double(w, duration(r));
    write_trust(w, r->taint);
    if (size != RESULT_WHOLE)
        jw_kbool(w, "cut", true);
    else if (r->call)
        jw_kraw(w, "call", task_call_words(r));
    jw_object_end(w);
}

/*
 * A result that is too large for the store is written again with less content, always as valid
 * JSON.
 */
struct str task_result_write(struct task_run *r)
{
    struct buf out;

    for (size_t i = 0; i < r->files.named.n; i++)
        task_artifacts_add(&r->made, r->files.named.v[i]);
    task_artifacts_sort(&r->made);
    buf_init_in(&out, &r->mem, (size_t)r->engine->limits->store_value_bytes);
    for (enum result_size size = RESULT_WHOLE; size <= RESULT_LEAST; size++) {
        struct jw w = jw_to(&out);

        buf_clear(&out);
        write_parts(&w, r, size);
        if (!out.full)
            return buf_str(&out);
    }
    return STR("{}");
}

/* ---- artifacts ------------------------------------------------------------------------------- */

static void add_written(struct task_run *r, const struct event_tool *t)
{
    struct str below;

    if (t->status != CALLED_DONE || !t->path.n ||
        (t->kind != TOOL_EDIT && t->kind != TOOL_MOVE && t->kind != TOOL_DELETE))
        return;
    if (path_below(&r->mem, r->session.host.root, NULL, t->path, &below))
        task_artifacts_add(&r->made, below);
}

void task_run_made(struct task_run *r, const struct event *ev)
{
    task_format_event(r, ev);
    if (ev->kind == EVENT_TOOL)
        add_written(r, &ev->tool);
    else if (ev->kind == EVENT_ARTIFACT)
        task_artifacts_add(&r->made, ev->artifact.name);
}

/*
 * Find the paths in the answer that are below the root. The output of a tool call (r->call) is not
 * searched: it does not show which program made a file.
 */
void task_run_find_named(struct task_run *r)
{
    const struct host *host = &r->session.host;
    struct task_artifacts words = { .mem = &r->mem };
    struct str below;

    if (r->call || !r->answer.n || !host->root)
        return;
    task_artifacts_find(&words, r->answer);
    r->files.named.mem = &r->mem;
    r->files.root = arena_cstr(&r->mem, str_of(host->root));
    r->files.since = r->created;
    for (size_t i = 0; i < words.n; i++)
        if (path_below(&r->mem, host->root, host->cwd, words.v[i], &below))
            task_artifacts_add(&r->files.named, below);
}

bool task_run_look_at_files(struct task_run *r, op_done_fn *done)
{
    if (r->files.named.n)
        task_files_check(&r->files, r->op.loop, &r->op, done, r);
    return r->files.named.n > 0;
}
