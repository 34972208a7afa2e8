#include "tool/tool_job.h"

#include "base/container.h"
#include "core/guard/guard.h"
#include "core/principal.h"
#include "tool/local_workspace.h"

static void cancel_tool_job(struct op *op)
{
    struct tool_job *w = CONTAINER_OF(op, struct tool_job, op);

    atomic_store_explicit(&w->stop, true, memory_order_relaxed);
}

static const struct op_kind tool_job_kind = { .name = "tool job", .cancel = cancel_tool_job };

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

void *tool_job_new(struct call *call, size_t size)
{
    struct tool_job *w = memset(arena_alloc(call->mem, size), 0, size);

    w->call = call;
    w->host = call->host;
    arena_defer(call->mem, free_mem, &w->mem);
    return w;
}

static bool on_pool(struct job *job, struct err *e)
{
    struct tool_job *w = CONTAINER_OF(job, struct tool_job, job);

    return w->run(w, e);
}

static void on_job_done(struct op *op, const struct err *e, void *ctx)
{
    struct tool_job *w = ctx;

    (void)op;
    if (e)
        op_fail(&w->op, e);
    else
        op_ok(&w->op);
}

void tool_failed(struct call *call, const struct err *e)
{
    if (e->code == ERR_CANCELED)
        call_done(call); /* the call knows that it was cancelled */
    else
        call_failed(call, "%s", e->text);
}

static void on_tool_job_done(struct op *op, const struct err *e, void *ctx)
{
    struct tool_job *w = CONTAINER_OF(op, struct tool_job, op);

    (void)ctx;
    if (e) {
        tool_failed(w->call, e);
    } else if (w->told) {
        w->told(w);
    } else {
        call_text(w->call, w->answer);
        call_done(w->call);
    }
}

void tool_job_start(struct tool_job *w, tool_job_fn *run, tool_job_told_fn *told)
{
    w->run = run;
    w->told = told;
    op_begin(&w->op, &tool_job_kind, w->host->loop, &w->call->op, on_tool_job_done, NULL);
    job_start(&w->job, w->host->loop, &w->op, on_pool, on_job_done, w);
}

void tool_job_previewed(struct tool_job *w)
{
    guard_previewed(w->call, w->answer);
}

/* ---- arguments --------------------------------------------------------------------------- */

static const char *first_required(const struct pick *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (row[i].flags & PICK_MUST)
            return row[i].name.p;
    return NULL;
}

bool tool_args(struct call *call, const struct pick *row, size_t rows, void *out)
{
    const char *must = first_required(row, rows);
    struct err e;

    if (!json_here(call->args)) {
        if (must)
            call_failed(call, "missing required argument \"%s\"", must);
        return !must;
    }
    if (!pick(call->mem, call->args, row, rows, PICK_STRICT, out, &e)) {
        call_failed(call, "%s", e.text);
        return false;
    }
    return true;
}

/* What the call may do with what it opens. */
void tool_place_rights(const struct call *call, struct place *p)
{
    p->rules = call->path_rules;
    p->may_define = call->may_define;
    p->removes = call->removes;
    p->hides_logs = !principal_is_operator(call->caller->principal);
}

static bool finish_place(struct call *call, bool ok, struct place *p, const struct err *e)
{
    if (ok)
        tool_place_rights(call, p);
    else
        call_failed(call, "%s", e->text);
    return ok;
}

bool tool_place(struct call *call, struct str path, struct place *out)
{
    struct err e;

    return finish_place(call, place_of(call->host, call->mem, path, out, &e), out, &e);
}

bool tool_place_to_write(struct call *call, struct str path, struct place *out)
{
    struct err e;

    return finish_place(
        call, place_to_write(call->host, call->vault_only, call->mem, path, out, &e), out, &e);
}

void tool_wrote(struct call *call, const struct file_writing *f)
{
    if (workspace_of(f->host)->kind->local)
        return;
    call->text_before = arena_maybe(call->mem, f->was);
    call->text_after = arena_str(call->mem, f->text);
}
