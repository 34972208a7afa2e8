/*
 * local_tools.c - runs the calls of one answer.
 *
 *   look    read the files that the calls would change
 *   begin   store that the calls start, together with those files
 *   run     run all calls in parallel
 *   keep    store each result when it arrives; after the last one, call local_ask
 *
 * A call that cannot run (unknown tool, invalid arguments) goes through the same steps, but its
 * result is an error that is set at the beginning.
 */
#include "core/agent/local_parts.h"

#include "base/container.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/artifact.h"
#include "core/guard/guard.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_untrusted_text.h"
#include "core/tool/path_below.h"

#include <ctype.h>
#include <string.h>

/* ---- results --------------------------------------------------------------------------------- */

void local_tools_free(struct local_turn *w)
{
    for (size_t i = 0; i < w->calls; i++)
        arena_fini(&w->call[i].mem);
    mem_free(w->call);
    w->call = NULL;
    w->calls = 0;
}

static void tell_artifact(struct local_call *tc, struct json a)
{
    struct event ev = { .kind = EVENT_ARTIFACT };

    if (!artifact_piece_told(&tc->mem, a, &ev.artifact))
        return;
    if (!ev.artifact.id.p)
        ev.artifact.id = tc->block->id;
    turn_tell(tc->w->turn, &ev);
}

/* The structured result of some tools is also reported as a plan or artifact. */
static void tell_more(struct local_call *tc)
{
    struct json_opts opts = limits_json(tc->w->session->world->limits);
    struct event ev = { .kind = EVENT_PLAN };
    struct json v;
    struct err e;

    if (!tc->tells.n || !json_read(&tc->mem, tc->tells, &opts, &v, &e))
        return;
    if (tc->as == TOOL_TELLS_ARTIFACT) {
        tell_artifact(tc, v);
    } else {
        ev.plan = json_raw(json_get(v, STR("entries")));
        turn_tell(tc->w->turn, &ev);
    }
}

static void on_kept(struct turn_save *s)
{
    struct local_call *tc = CONTAINER_OF(s, struct local_call, save);
    struct local_turn *w = tc->w;
    struct event ev = { .kind = EVENT_TOOL, .tool = tc->event };

    tell_more(tc);
    turn_tell(w->turn, &ev);
    w->moved |= !tc->refusal.p && tc->call.pass.says != GUARD_DENY;
    if (--w->left)
        return;
    w->stuck = w->moved ? 0 : w->stuck + 1;
    local_tools_free(w);
    local_ask(w);
}

static void keep_result(struct local_call *tc, struct str text, enum called_status status)
{
    static const char *const kinds[] = {
        [TOOL_TELLS_PLAN] = "plan",
        [TOOL_TELLS_ARTIFACT] = "artifact",
    };

    tc->result = (struct block){ .kind = BLOCK_RESULT,
                                 .id = tc->block->id,
                                 .name = tc->block->name,
                                 .text = text,
                                 .media = tc->result.media,
                                 .medias = tc->result.medias,
                                 .is_error = status != CALLED_DONE };
    tc->event.status = status;
    tc->event.text = text;
    save_begin(&tc->save, tc->w->turn, &tc->mem, 0);
    save_record(&tc->save, "result", record_result(&tc->mem, &tc->result, &tc->event));
    if (tc->tells.n)
        save_record(&tc->save, kinds[tc->as], tc->tells);
    save_run(&tc->save, on_kept);
}

/* ---- results of calls ------------------------------------------------------------------------ */

static struct json read_content(struct local_call *tc)
{
    struct json_opts opts = limits_json(tc->call.host->limits);
    const struct call *call = &tc->call;
    struct json v = { 0 };
    struct err e;

    if (call->raw_result.p) {
        json_read(&tc->mem, call->raw_result, &opts, &v, &e);
        v = json_get(v, STR("content"));
    } else {
        json_read(&tc->mem,
                  arena_printf(&tc->mem, "[" STR_FMT "]", STR_ARG(buf_str(&call->content))), &opts,
                  &v, &e);
    }
    return v;
}

static bool is_media(struct json block)
{
    struct json type = json_get(block, STR("type"));

    return json_is(type, STR("image")) || json_is(type, STR("audio"));
}

/*
 * A valid media type is returned unchanged. Servers may send anything else, which becomes
 * application/octet-stream.
 */
static struct str media_type(struct str type)
{
    static const char more[] = "!#$&-^_.+/";
    bool ok = type.n > 0 && type.n <= 127 && str_find_byte(type, '/') > 0;

    for (size_t i = 0; i < type.n && ok; i++)
        ok = isalnum((unsigned char)type.p[i]) || (type.p[i] && strchr(more, type.p[i]));
    return ok ? type : STR("application/octet-stream");
}

/* Images and audio go to the model in addition to the text. */
static void take_content(struct local_call *tc)
{
    struct json content = read_content(tc);
    size_t n = json_count(content);
    struct block *media = ARENA_ARRAY(&tc->mem, struct block, n ? n : 1);
    struct str raw = json_here(content) ? json_raw(content) : STR_NONE;

    JSON_EACH(b, content)
    {
        if (is_media(b))
            media[tc->result.medias++] = (struct block){
                .kind = BLOCK_MEDIA,
                .type = media_type(json_str(&tc->mem, json_get(b, STR("mimeType")))),
                .data = json_str(&tc->mem, json_get(b, STR("data"))),
            };
    }
    tc->result.media = media;
    if (raw.n > 2)
        tc->event.content = (struct str){ raw.p + 1, raw.n - 2 };
}

static bool says_error(struct local_call *tc)
{
    struct json_opts opts = limits_json(tc->call.host->limits);
    struct json v = { 0 };
    struct err e;

    if (tc->call.raw_result.p)
        json_read(&tc->mem, tc->call.raw_result, &opts, &v, &e);
    return tc->call.is_error || tc->call.raw_error.p || json_true(json_get(v, STR("isError")));
}

/* The edited file is the last image; the folders above it come first. */
static void on_looked_again(struct op *op, const struct err *e, void *ctx)
{
    struct local_call *tc = ctx;

    (void)op;
    if (tc->w->prompt->op.settled)
        return;
    if (!e && tc->after.images) {
        tc->event.old_text = file_image_text(&tc->look.image[tc->look.images - 1]);
        tc->event.new_text = file_image_text(&tc->after.image[tc->after.images - 1]);
    }
    keep_result(tc, tc->event.text, CALLED_DONE);
}

/* Read the file again after an edit, so that clients can show the change. */
static void look_again(struct local_call *tc)
{
    struct session *s = tc->w->session;
    struct undo_port *undo = s->world->undo;

    tc->after = tc->look;
    tc->after.tool = session_tool(s, tc->block->name);
    tc->after.image = NULL;
    tc->after.images = 0;
    if (tc->after.tool)
        undo->look(undo, &tc->after, &tc->w->prompt->op, on_looked_again, tc);
    else
        keep_result(tc, tc->event.text, CALLED_DONE);
}

static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct local_call *tc = ctx;
    struct guard_marks marks = guard_marks(&tc->call);
    bool canceled = e && e->code == ERR_CANCELED;

    (void)op;
    if (tc->w->prompt->op.settled)
        return;
    if (canceled) {
        keep_result(tc, str_of(local_parked(tc->w) ? HISTORY_INTERRUPTED : "[cancelled]"),
                    CALLED_CANCELED);
        return;
    }
    if (e) {
        keep_result(tc, arena_str(&tc->mem, str_of(e->text)), CALLED_FAILED);
        return;
    }
    tc->event.trust = marks.trust;
    tc->event.from = marks.from;
    take_content(tc);
    if (!tc->call.is_error)
        tc->tells = tc->as ? buf_str(&tc->call.structured) : STR_NONE;
    tc->event.text = guard_text(&tc->call, &tc->mem);
    tc->event.old_text = tc->call.text_before;
    tc->event.new_text = tc->call.text_after;
    if (says_error(tc))
        keep_result(tc, tc->event.text, CALLED_FAILED);
    else if (tc->event.new_text.p)
        keep_result(tc, tc->event.text, CALLED_DONE);
    else if (tc->event.kind == TOOL_EDIT && tc->look.images)
        look_again(tc);
    else
        keep_result(tc, tc->event.text, CALLED_DONE);
}

/* ---- running --------------------------------------------------------------------------------- */

static void tell_status(struct local_call *tc, enum called_status status)
{
    struct event ev = { .kind = EVENT_TOOL };

    tc->event.status = status;
    ev.tool = tc->event;
    turn_tell(tc->w->turn, &ev);
}

void local_call_runs(struct local_call *tc)
{
    /* once: model_sample, run for this call, is let in with the same caller */
    if (tc->event.status == CALLED_PENDING)
        tell_status(tc, CALLED_RUNNING);
}

static void run_call(struct local_call *tc)
{
    struct session *s = tc->w->session;
    /* the offer may have changed meanwhile */
    const struct tool *tool = session_tool(s, tc->block->name);

    if (tc->refusal.p || !tool) {
        keep_result(tc, tc->refusal.p ? tc->refusal : STR("the tool is no longer available"),
                    CALLED_FAILED);
        return;
    }
    /* reported again with its arguments: the person who approves it must see them */
    tell_status(tc, CALLED_PENDING);
    tool_run(tool, &tc->call, &s->host, &tc->caller, &tc->mem, tc->args, &tc->w->prompt->op,
             on_called, tc);
}

/* The last call may end at once and free w->call: do not use w->call after it has run. */
static void run_all(struct local_turn *w)
{
    struct local_call *call = w->call;
    size_t n = w->calls;

    for (size_t i = 0; i < n && !w->prompt->op.settled; i++)
        run_call(&call[i]);
}

static void on_begun(struct turn_save *s)
{
    local_of(s->turn)->session->calls_started = true;
    run_all(local_of(s->turn));
}

static void save_images(struct local_turn *w, const struct local_call *tc)
{
    const struct session *s = w->session;

    for (size_t i = 0; i < tc->look.images; i++) {
        const struct file_image *f = &tc->look.image[i];

        if (!f->too_large)
            save_step(&w->save, (struct store_step){
                                    .what = STORE_IMAGE_PUT,
                                    .image = { .session = str_of(s->id),
                                               .turn = str_of(w->turn->id),
                                               .fence = s->fence,
                                               .path = f->path,
                                               .mode = f->mode,
                                               .content = f->content,
                                               .absent = f->absent },
                                });
    }
}

static void begin_all(struct local_turn *w)
{
    size_t images = 0;

    for (size_t i = 0; i < w->calls; i++)
        images += w->call[i].look.images;
    save_begin(&w->save, w->turn, &w->ask_mem, images);
    save_state(&w->save, str_of(w->turn->id), "tools");
    for (size_t i = 0; i < w->calls; i++)
        save_images(w, &w->call[i]);
    save_run(&w->save, on_begun);
}

/* ---- looking --------------------------------------------------------------------------------- */

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct local_call *tc = ctx;

    (void)op;
    if (e) /* a file that cannot be read cannot be restored; the tool will report the error */
        tc->look.images = 0;
    if (!--tc->w->looking)
        begin_all(tc->w);
}

/* Could the call change files? A call that the guard would deny cannot. */
static bool changes_files(const struct local_call *tc, const struct tool *tool)
{
    const struct host *host = &tc->w->session->host;
    struct guard_verdict v = { 0 };

    if (tc->refusal.p || tool->alias ||
        (tool->kind != TOOL_EDIT && tool->kind != TOOL_DELETE && tool->kind != TOOL_MOVE))
        return false;
    if (host->guard)
        guard_look(host->guard, host, &tc->caller, tool, tc->args, &v);
    return v.says != GUARD_DENY;
}

static void look_all(struct local_turn *w)
{
    struct session *s = w->session;
    struct undo_port *undo = s->fence ? s->world->undo : NULL;

    w->looking = 1;
    for (size_t i = 0; undo && i < w->calls; i++) {
        struct local_call *tc = &w->call[i];
        const struct tool *tool = session_tool(s, tc->block->name);

        if (!tool || !changes_files(tc, tool))
            continue;
        tc->look = (struct undo_look){ .host = &s->host,
                                       .vault_only = guard_is_read_only(&s->scope),
                                       .mem = &tc->mem,
                                       .tool = tool,
                                       .args = tc->args };
        w->looking++;
        undo->look(undo, &tc->look, &w->prompt->op, on_looked, tc);
    }
    if (!--w->looking)
        begin_all(w);
}

/* ---- preparing ------------------------------------------------------------------------------- */

static struct str no_such_tool(struct local_call *tc)
{
    struct buf names;
    const struct tool *t;

    buf_init_in(&names, &tc->mem, 1024);
    for (size_t i = 0; (t = session_tool_at(tc->w->session, &i)) && !names.full;)
        buf_printf(&names, "%s%s", names.n ? ", " : "", t->name);
    return arena_printf(&tc->mem, "unknown tool " STR_FMT "; available tools: " STR_FMT "%s",
                        STR_ARG(utf8_head(tc->block->name, 80)), STR_ARG(buf_str(&names)),
                        names.full ? ", ..." : "");
}

static void read_args(struct local_call *tc)
{
    struct json_opts opts = limits_json(tc->w->session->world->limits);
    struct str raw = tc->block->args.n ? tc->block->args : STR("{}");
    struct err e;

    if (!json_read(&tc->mem, raw, &opts, &tc->args, &e))
        tc->refusal = arena_printf(&tc->mem, "the arguments are not JSON: %s", e.text);
    else if (json_type(tc->args) != JSON_OBJECT)
        tc->refusal =
            STR("the arguments are not a JSON object; pass an object that matches the schema");
    else
        tc->event.args = raw;
}

/* Fill the event of the call: title, kind, path and line. */
static void describe(struct local_call *tc, const struct tool *tool)
{
    const struct session *s = tc->w->session;
    struct str path = json_str(&tc->mem, json_get(tc->args, STR("path"))), below;

    if (!path.n)
        path = json_str(&tc->mem, json_get(tc->args, STR("from")));
    if (path.n && path_below(&tc->mem, s->host.root, s->cwd, path, &below))
        path = arena_printf(&tc->mem, "%s/" STR_FMT, s->host.root, STR_ARG(below));
    tc->event.id = tc->block->id;
    tc->event.name = tc->block->name;
    tc->event.title = tc->block->name;
    tc->event.kind = TOOL_KINDS;
    if (!tool)
        return;
    if (tool->title)
        tc->event.title = arena_str(&tc->mem, str_of(tool->title));
    tc->event.kind = tool->kind;
    tc->as = tool->alias ? TOOL_TELLS_NOTHING : tool->tells;
    if (path.n && path.p[0] == '/' && !tool->alias)
        tc->event.path = path;
    json_int(json_get(tc->args, STR("line")), &tc->event.line);
}

static void prepare(struct local_call *tc, struct local_turn *w, const struct block *block)
{
    const struct tool *tool = session_tool(w->session, block->name);

    tc->w = w;
    tc->block = block;
    local_caller_init(tc);
    read_args(tc);
    if (!tool)
        tc->refusal = no_such_tool(tc);
    describe(tc, tool);
}

static void prepare_all(struct local_turn *w)
{
    const struct block **open;
    size_t most = (size_t)w->session->world->limits->turn_calls;

    w->moved = false;
    w->calls = w->left = history_open_calls(w->session->history, &w->ask_mem, &open);
    w->call = mem_zero(w->calls * sizeof(*w->call));
    for (size_t i = 0; i < w->calls; i++) {
        prepare(&w->call[i], w, open[i]);
        if (i >= most)
            w->call[i].refusal = arena_printf(&w->call[i].mem,
                                              "not run: one answer may contain at most %zu calls "
                                              "(the constant turn_calls)",
                                              most);
    }
}

void local_tools(struct local_turn *w)
{
    prepare_all(w);
    look_all(w);
}

void local_tools_refuse(struct local_turn *w, const char *why)
{
    prepare_all(w);
    for (size_t i = 0; i < w->calls; i++)
        w->call[i].refusal = str_of(why);
    run_all(w);
}
