#include "proto/acp/agent/acp_workspace.h"

#include "base/container.h"
#include "base/utf8.h"
#include "proto/acp/acp_names.h"

#include <stdio.h>

struct acp_session *acp_workspace_session(struct workspace *w)
{
    return CONTAINER_OF(w, struct acp_session, workspace);
}

static struct workspace *local_of(const struct acp_session *s)
{
    return s->root->local;
}

/* The op below, on the disk or at the client, settles it. */
static void cancel_file(struct op *op)
{
    (void)op;
}

static const struct op_kind read_kind = { .name = "editor read", .cancel = cancel_file };
static const struct op_kind write_kind = { .name = "editor write", .cancel = cancel_file };

struct str acp_path_of_place(struct arena *mem, const struct place *p)
{
    if (str_eq(str_of(p->path), STR(".")))
        return str_of(p->in.path);
    return arena_printf(mem, "%s/%s", p->in.path, p->path);
}

/* The result of a request to the client. True: it is an answer. */
static bool was_answered(struct rpc_out *out, const struct err *e, const char *what,
                         struct err *why)
{
    struct json message = json_get(out->error, STR("message"));
    struct str text;

    if (e) {
        *why = *e;
        return false;
    }
    if (!json_here(out->error))
        return true;
    text = json_str(&out->mem, message);
    return fail(why, ERR_DENIED, "the editor %s: " STR_FMT, what,
                STR_ARG(utf8_head(text.p ? text : STR("no reason given"), 160)));
}

/* ---- asking for the text of a file ----------------------------------------------------------- */

/* fs/read_text_file for a whole file. In the memory of the reading or writing. */
struct acp_text_request {
    struct rpc_out out;
    struct arena *mem;
    struct str text; /* result; STR_NONE: the editor has not given it */
    void (*done)(struct acp_text_request *r, const struct err *e);
};

static void on_text(struct op *op, const struct err *e, void *ctx)
{
    struct acp_text_request *r = ctx;
    struct json content = json_get(r->out.result, STR("content"));
    struct err why;

    (void)op;
    if (was_answered(&r->out, e, "cannot read the file", &why) && json_type(content) == JSON_STRING)
        r->text = arena_str(r->mem, json_str(&r->out.mem, content));
    rpc_out_fini(&r->out);
    r->done(r, e && e->code == ERR_CANCELED ? e : NULL);
}

static void ask_text(struct acp_session *s, struct acp_text_request *r, struct str path,
                     struct op *parent)
{
    struct buf params;
    struct jw w = jw_to(&params);

    buf_init_in(&params, r->mem, path.n * 6 + 256);
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(s->id));
    jw_kstr(&w, "path", path);
    jw_object_end(&w);
    peer_call(&s->conn->peer, NULL, &r->out, parent, "fs/read_text_file", buf_str(&params),
              s->root->limits->tool_ms, on_text, r);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct acp_read {
    struct file_reading disk; /* the same file on the disk */
    struct acp_text_request request;
    struct acp_session *session;
    struct file_reading *r;
    struct err why; /* why there is no file on the disk; code 0: there is one */
};

/* What the editor does not have is what the disk has. */
static void on_read_text(struct acp_text_request *request, const struct err *e)
{
    struct acp_read *a = CONTAINER_OF(request, struct acp_read, request);
    struct file_reading *r = a->r;

    if (e) {
        op_fail(&r->op, e);
    } else if (!request->text.p && a->why.code) {
        op_fail(&r->op, &a->why);
    } else {
        r->text = request->text.p ? request->text : a->disk.text;
        if (r->from_line > 1 || r->line_count)
            r->text = text_lines(r->text, r->from_line, r->line_count);
        op_ok(&r->op);
    }
}

static void on_read_disk(struct op *op, const struct err *e, void *ctx)
{
    struct acp_read *a = ctx;
    struct file_reading *r = a->r;

    (void)op;
    if (e && e->code != ERR_NOT_FOUND) {
        op_fail(&r->op, e);
        return;
    }
    if (!e && a->disk.image) {
        r->image = a->disk.image;
        r->text = a->disk.text;
        op_ok(&r->op);
        return;
    }
    if (e)
        a->why = *e;
    a->request = (struct acp_text_request){ .mem = r->mem, .done = on_read_text };
    ask_text(a->session, &a->request, acp_path_of_place(r->mem, &r->place), &r->op);
}

static void editor_read(struct workspace *w, struct file_reading *r, struct op *parent,
                        op_done_fn *done, void *ctx)
{
    struct acp_session *s = acp_workspace_session(w);
    struct acp_read *a;

    if (!s->conn->can.read_file) {
        local_of(s)->kind->read(local_of(s), r, parent, done, ctx);
        return;
    }
    a = ARENA_NEW(r->mem, struct acp_read);
    a->session = s;
    a->r = r;
    a->disk = (struct file_reading){
        .host = r->host, .mem = r->mem, .place = r->place, .takes_image = r->takes_image
    };
    op_begin(&r->op, &read_kind, r->host->loop, parent, done, ctx);
    workspace_read(local_of(s), &a->disk, &r->op, on_read_disk, a);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct acp_write {
    struct file_reading disk;  /* the file as it is on the disk */
    struct file_writing fresh; /* creates a new file on the disk */
    struct acp_text_request request;
    struct rpc_out out;
    struct acp_session *session;
    struct file_writing *f;
};

static void on_sent(struct op *op, const struct err *e, void *ctx)
{
    struct acp_write *a = ctx;
    struct err why;
    bool ok = was_answered(&a->out, e, "cannot write the file", &why);

    (void)op;
    rpc_out_fini(&a->out);
    if (ok)
        op_ok(&a->f->op);
    else
        op_fail(&a->f->op, &why);
}

static void send_text(struct acp_write *a)
{
    struct acp_session *s = a->session;
    struct file_writing *f = a->f;
    struct buf params;
    struct jw w = jw_to(&params);
    struct err e;

    buf_init_in(&params, f->mem, (size_t)s->root->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(s->id));
    jw_kstr(&w, "path", acp_path_of_place(f->mem, &f->place));
    jw_kstr(&w, "content", f->text);
    jw_object_end(&w);
    if (params.full) {
        fail(&e, ERR_LIMIT, "the text is too large for a message (limits.message_bytes)");
        op_fail(&f->op, &e);
        return;
    }
    peer_call(&s->conn->peer, NULL, &a->out, &f->op, "fs/write_text_file", buf_str(&params),
              s->root->limits->tool_ms, on_sent, a);
}

/* The text that is replaced must be the one that the agent has read. */
static void on_write_text(struct acp_text_request *request, const struct err *e)
{
    struct acp_write *a = CONTAINER_OF(request, struct acp_write, request);
    struct file_writing *f = a->f;
    struct err why;

    f->was = request->text.p ? request->text : a->disk.text;
    if (e) {
        op_fail(&f->op, e);
    } else if (f->expected.p && !str_eq(f->was, f->expected)) {
        workspace_fail_changed(&f->place, &why);
        op_fail(&f->op, &why);
    } else {
        send_text(a);
    }
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct acp_write *a = ctx;

    (void)op;
    if (e) {
        op_fail(&a->f->op, e);
        return;
    }
    a->f->created = a->fresh.created;
    send_text(a);
}

static void create_file(struct acp_write *a)
{
    const struct file_writing *f = a->f;

    a->fresh = (struct file_writing){ .host = f->host,
                                      .mem = f->mem,
                                      .place = f->place,
                                      .text = f->text,
                                      .parents = f->parents,
                                      .only_new = true };
    workspace_write(local_of(a->session), &a->fresh, &a->f->op, on_created, a);
}

static void on_write_disk(struct op *op, const struct err *e, void *ctx)
{
    struct acp_write *a = ctx;
    struct file_writing *f = a->f;
    struct err why;

    (void)op;
    if (e && e->code != ERR_NOT_FOUND) {
        op_fail(&f->op, e);
    } else if (e && f->expected.p) { /* it was there when the agent read it */
        workspace_fail_changed(&f->place, &why);
        op_fail(&f->op, &why);
    } else if (e) {
        create_file(a);
    } else if (f->only_new) {
        workspace_fail_exists(&f->place, &why);
        op_fail(&f->op, &why);
    } else if (a->session->conn->can.read_file) {
        a->request = (struct acp_text_request){ .mem = f->mem, .done = on_write_text };
        ask_text(a->session, &a->request, acp_path_of_place(f->mem, &f->place), &f->op);
    } else {
        on_write_text(&a->request, NULL);
    }
}

static void editor_write(struct workspace *w, struct file_writing *f, struct op *parent,
                         op_done_fn *done, void *ctx)
{
    struct acp_session *s = acp_workspace_session(w);
    struct acp_write *a;

    if (!s->conn->can.write_file) {
        local_of(s)->kind->write(local_of(s), f, parent, done, ctx);
        return;
    }
    a = ARENA_NEW(f->mem, struct acp_write);
    a->session = s;
    a->f = f;
    a->disk = (struct file_reading){ .host = f->host, .mem = f->mem, .place = f->place };
    op_begin(&f->op, &write_kind, f->host->loop, parent, done, ctx);
    workspace_read(local_of(s), &a->disk, &f->op, on_write_disk, a);
}

/* ---- the kind -------------------------------------------------------------------------------- */

static const struct workspace_kind editor_kind = {
    .name = "editor",
    .confines = true,
    .read = editor_read,
    .write = editor_write,
    .run = acp_terminal_run,
    .input = acp_terminal_input,
    .kill = acp_terminal_kill,
    .release = acp_terminal_release,
};

struct workspace *acp_workspace_of(struct acp_session *s)
{
    const struct acp_client_can *can = &s->conn->can;

    if (!can->read_file && !can->write_file && !can->terminal)
        return NULL;
    s->workspace.kind = &editor_kind;
    return &s->workspace;
}
