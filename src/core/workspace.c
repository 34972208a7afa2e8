#include "core/workspace.h"

#include "base/utf8.h"
#include "core/guard/path_rules.h"
#include "core/guard/protected_path.h"

enum { SHOWN = 100 };

#define PLACE_ARG(p) STR_ARG(utf8_head((p)->given, SHOWN))

bool place_check_protected(const struct place *p, struct str below_root, struct err *e)
{
    enum guard_says says = p->writes ? protected_path(below_root, p->removes) : GUARD_ALLOW;

    if (p->hides_logs && protected_log(below_root))
        return fail(e, ERR_DENIED, "only the operator can read session logs");
    if (says == GUARD_DENY)
        return fail(e, ERR_DENIED, STR_FMT " is in .trefoil/, where tools cannot write",
                    PLACE_ARG(p));
    if (says == GUARD_ASK && !p->may_define)
        return fail(e, ERR_DENIED,
                    STR_FMT " controls trefoil or other programs, and the change was not approved; "
                            "to request approval, call the tool with the path of the file itself",
                    PLACE_ARG(p));
    return true;
}

/* Check all rules of a place by its path alone, without opening it. ERR_DENIED. */
static bool place_check_by_path(const struct place *p, struct err *e)
{
    struct str below = p->elsewhere ? STR_NONE : str_of(p->path);

    return (p->elsewhere || place_check_protected(p, below, e)) &&
           (!p->rules || path_rules_check(p->rules, below, e));
}

static const struct op_kind rejected_kind = { .name = "rejected request" };

/* True: the rules forbid the place, and the op has failed. */
static bool workspace_rejects(const struct workspace *w, const struct place *p,
                              const struct host *host, struct op *op, struct op *parent,
                              op_done_fn *done, void *ctx)
{
    struct err e;

    if (w->kind->local || place_check_by_path(p, &e))
        return false;
    op_begin(op, &rejected_kind, host->loop, parent, done, ctx);
    op_fail(op, &e);
    return true;
}

/* An image has a limit of its own. */
static bool reading_fits(const struct file_reading *r, struct err *e)
{
    int64_t most = r->host->limits->file_read_bytes;

    if (r->image || (int64_t)r->text.n <= most)
        return true;
    return fail(e, ERR_LIMIT, STR_FMT " has more than %lld bytes (limits.file_read_bytes)",
                PLACE_ARG(&r->place), (long long)most);
}

/* r->op is the op of the kind; its result is checked before the caller sees it. */
static void on_kind_read(struct op *op, const struct err *e, void *ctx)
{
    struct file_reading *r = ctx;
    struct err too_long;

    if (e || reading_fits(r, &too_long))
        r->done(op, e, r->ctx);
    else
        r->done(op, &too_long, r->ctx);
}

void workspace_read(struct workspace *w, struct file_reading *r, struct op *parent,
                    op_done_fn *done, void *ctx)
{
    r->done = done;
    r->ctx = ctx;
    if (!workspace_rejects(w, &r->place, r->host, &r->op, parent, done, ctx))
        w->kind->read(w, r, parent, on_kind_read, r);
}

void workspace_write(struct workspace *w, struct file_writing *f, struct op *parent,
                     op_done_fn *done, void *ctx)
{
    if (!workspace_rejects(w, &f->place, f->host, &f->op, parent, done, ctx))
        w->kind->write(w, f, parent, done, ctx);
}

void workspace_run(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                   void *ctx)
{
    t->workspace = w;
    if (!workspace_rejects(w, &t->cwd, t->host, &t->op, parent, done, ctx))
        w->kind->run(w, t, parent, done, ctx);
}

struct stream *terminal_input(struct terminal *t)
{
    return t->workspace->kind->input(t);
}

void terminal_kill(struct terminal *t)
{
    t->workspace->kind->kill(t);
}

void terminal_release(struct terminal *t)
{
    t->workspace->kind->release(t);
}

bool workspace_fail_changed(const struct place *p, struct err *e)
{
    return fail(e, ERR_INVALID, STR_FMT " was changed by another program; read it again",
                PLACE_ARG(p));
}

bool workspace_fail_exists(const struct place *p, struct err *e)
{
    return fail(e, ERR_INVALID, STR_FMT " already exists, and only_new is set", PLACE_ARG(p));
}

static const char *skip_lines(const char *from, const char *end, int64_t count)
{
    for (; count > 0 && from < end; count--) {
        const char *nl = memchr(from, '\n', (size_t)(end - from));

        from = nl ? nl + 1 : end;
    }
    return from;
}

struct str text_lines(struct str text, int64_t from, int64_t count)
{
    const char *end = text.p + text.n;
    const char *first = skip_lines(text.p, end, from - 1);

    return (struct str){ first,
                         (size_t)(skip_lines(first, end, count ? count : INT64_MAX) - first) };
}
