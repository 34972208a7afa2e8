/*
 * acp_client_files.c - fs/read_text_file and fs/write_text_file, through the workspace of the session: the
 * files of this machine, or those of an editor. The guard judges them as file_read and file_write.
 */
#include "base/container.h"
#include "base/pick.h"
#include "base/utf8.h"
#include "core/workspace.h"
#include "proto/acp/client/acp_client_call.h"

struct acp_file_read {
    struct acp_agent_call base; /* first */
    struct file_reading reading;
    struct arena mem; /* of the reading, which another thread uses */
};

struct acp_file_write {
    struct acp_agent_call base; /* first */
    struct file_writing writing;
    struct arena mem;
};

struct file_params {
    struct str path, content;
    int64_t line, limit;
};

static const struct acp_tools *tools_of(struct call *call)
{
    return acp_call_of(call)->request.session->program->world->tools;
}

static struct workspace *workspace_of(struct call *call)
{
    return tools_of(call)->workspace(call->host);
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

/* False: the request was answered with an error. */
static bool check_path(struct rpc_in *in, struct str path)
{
    if (path.n && path.p[0] == '/')
        return true;
    rpc_error(in, RPC_INVALID_PARAMS, "path must be absolute");
    return false;
}

static bool pick_params(struct rpc_in *in, const struct pick *row, size_t rows,
                        struct file_params *out)
{
    return rpc_params(in, row, rows, out) && check_path(in, out->path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void on_file_read(struct op *op, const struct err *e, void *ctx)
{
    struct acp_file_read *r = ctx;
    struct err bad;

    (void)op;
    if (!e && utf8_valid(r->reading.text) < r->reading.text.n) {
        fail(&bad, ERR_INVALID, STR_FMT " is not UTF-8 text",
             STR_ARG(utf8_head(r->reading.place.given, 150)));
        e = &bad;
    }
    if (e)
        acp_call_fail(&r->base.call, e);
    else
        call_done(&r->base.call);
}

static void start_read(struct call *call)
{
    struct acp_file_read *r = CONTAINER_OF(acp_call_of(call), struct acp_file_read, base);

    if (!tools_of(call)->place(call, r->base.path, false, &r->reading.place))
        return;
    workspace_read(workspace_of(call), &r->reading, &call->op, on_file_read, r);
}

static const struct tool read_tool = {
    .name = "file_read",
    .title = "Read a file",
    .kind = TOOL_READ,
    .read_only = true,
    .unlisted = true,
    .start = start_read,
};

static void answer_read(struct acp_agent_call *c)
{
    struct acp_file_read *r = CONTAINER_OF(c, struct acp_file_read, base);
    struct jw *w = rpc_result_begin(c->request.in);

    jw_object(w);
    jw_kstr(w, "content", r->reading.text.p ? r->reading.text : STR(""));
    jw_object_end(w);
    rpc_result_end(c->request.in);
}

static const struct pick read_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_params, path, PICK_MUST),
    PICK_RANGE("line", struct file_params, line, 0, 0, INT32_MAX),
    PICK_RANGE("limit", struct file_params, limit, 0, 0, INT32_MAX),
};

/* The arguments as of trefoil's own tool, by which rules match. */
static struct str write_args(struct rpc_in *in, const struct file_params *p)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, in->mem, 6 * (p->path.n + p->content.n) + 256);
    jw_object(&w);
    jw_kstr(&w, "path", p->path);
    if (p->line)
        jw_kint(&w, "line", p->line);
    if (p->limit)
        jw_kint(&w, "lines", p->limit);
    jw_kstr(&w, "content", p->content);
    jw_object_end(&w);
    return buf_str(&out);
}

void acp_on_read_file(struct rpc_in *in)
{
    struct file_params p = { 0 };
    struct acp_file_read *r = acp_call_new(in, sizeof(*r));

    if (!r || !pick_params(in, PICK_TABLE(read_fields), &p))
        return;
    arena_defer(in->mem, free_mem, &r->mem);
    r->base.path = p.path;
    r->base.answer = answer_read;
    r->reading = (struct file_reading){ .host = &r->base.request.session->session->host,
                                        .mem = &r->mem,
                                        .from_line = p.line ? p.line : 1,
                                        .line_count = p.limit };
    acp_call_run(&r->base, &read_tool, write_args(in, &p));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void on_file_written(struct op *op, const struct err *e, void *ctx)
{
    struct acp_file_write *f = ctx;

    (void)op;
    if (e)
        acp_call_fail(&f->base.call, e);
    else
        call_done(&f->base.call);
}

static void start_write(struct call *call)
{
    struct acp_file_write *f = CONTAINER_OF(acp_call_of(call), struct acp_file_write, base);
    int64_t most = call->host->limits->file_write_bytes;

    if ((int64_t)f->writing.text.n > most)
        call_failed(call,
                    "content: %zu bytes; at most %lld are written (the constant file_write_bytes)",
                    f->writing.text.n, (long long)most);
    else if (tools_of(call)->place(call, f->base.path, true, &f->writing.place))
        workspace_write(workspace_of(call), &f->writing, &call->op, on_file_written, f);
}

static const struct tool write_tool = {
    .name = "file_write",
    .title = "Write a file",
    .kind = TOOL_EDIT,
    .idempotent = true,
    .unlisted = true,
    .start = start_write,
};

static void answer_written(struct acp_agent_call *c)
{
    rpc_result_raw(c->request.in, STR("{}"));
}

static const struct pick write_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_params, path, PICK_MUST),
    PICK_FIELD("content", PICK_STR, struct file_params, content, PICK_MUST),
};

void acp_on_write_file(struct rpc_in *in)
{
    struct file_params p = { 0 };
    struct acp_file_write *f = acp_call_new(in, sizeof(*f));

    if (!f || !pick_params(in, PICK_TABLE(write_fields), &p))
        return;
    arena_defer(in->mem, free_mem, &f->mem);
    f->base.path = p.path;
    f->base.answer = answer_written;
    f->base.reports = true; /* so that the file is listed among those that the turn has written */
    f->writing = (struct file_writing){ .host = &f->base.request.session->session->host,
                                        .mem = &f->mem,
                                        .text = p.content,
                                        .parents = true };
    acp_call_run(&f->base, &write_tool, write_args(in, &p));
}
