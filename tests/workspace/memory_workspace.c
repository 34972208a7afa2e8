#include "workspace/memory_workspace.h"

#include "base/container.h"
#include "base/mem.h"

#include <stdio.h>

enum { FILES = 8, NAME = 64, CONTENT = 4096 };

static struct memory_file {
    char name[NAME], text[CONTENT];
    size_t n;
} files[FILES] = {
    { "buffer.txt", MEMORY_BUFFER, sizeof(MEMORY_BUFFER) - 1 },
    { "moving.txt", "here\n", 5 },
};

static struct memory_file *find_file(const char *path)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(files[i].name, path) == 0)
            return &files[i];
    return NULL;
}

struct str memory_file(const char *path)
{
    struct memory_file *f = find_file(path);

    return f ? (struct str){ f->text, f->n } : STR("");
}

/* Without a cancel function an op settles as soon as it is cancelled. */
static const struct op_kind memory_op_kind = { .name = "memory file" };

/* True: the op has settled, or never will by itself. */
static bool memory_misbehaves(struct op *op, const char *path)
{
    struct err e;

    if (strncmp(path, "broken", 6) == 0) {
        fail(&e, ERR_SYSTEM, "the editor has closed the connection");
        op_fail(op, &e);
        return true;
    }
    return strncmp(path, "slow", 4) == 0;
}

static void memory_read(struct workspace *w, struct file_reading *r, struct op *parent,
                        op_done_fn *done, void *ctx)
{
    struct memory_file *f = find_file(r->place.path);
    struct err e;

    (void)w;
    op_begin(&r->op, &memory_op_kind, r->host->loop, parent, done, ctx);
    if (memory_misbehaves(&r->op, r->place.path))
        return;
    if (strcmp(r->place.path, "huge.txt") == 0) {
        r->text =
            (struct str){ memset(arena_alloc(r->mem, MEMORY_HUGE), 'x', MEMORY_HUGE), MEMORY_HUGE };
        op_ok(&r->op);
        return;
    }
    if (!f) {
        fail(&e, ERR_NOT_FOUND, "the editor has no file %s", r->place.path);
        op_fail(&r->op, &e);
        return;
    }
    r->text = arena_str(r->mem, memory_file(f->name));
    if (r->from_line > 1 || r->line_count)
        r->text = text_lines(r->text, r->from_line, r->line_count);
    if (strncmp(f->name, "moving", 6) == 0)
        f->n = (size_t)snprintf(f->text, CONTENT, "there\n");
    op_ok(&r->op);
}

static bool memory_put(struct file_writing *w, struct err *e)
{
    struct memory_file *f = find_file(w->place.path);

    w->created = !f;
    if (f && w->only_new)
        return workspace_fail_exists(&w->place, e);
    if (w->expected.p && !str_eq(memory_file(w->place.path), w->expected))
        return workspace_fail_changed(&w->place, e);
    if (!f)
        f = find_file("");
    if (!f || w->text.n >= CONTENT || strlen(w->place.path) >= NAME)
        return fail(e, ERR_LIMIT, "the editor has no room for %s", w->place.path);
    snprintf(f->name, NAME, "%s", w->place.path);
    memcpy(f->text, w->text.p, w->text.n);
    f->n = w->text.n;
    return true;
}

static void memory_write(struct workspace *w, struct file_writing *f, struct op *parent,
                         op_done_fn *done, void *ctx)
{
    struct err e;

    (void)w;
    op_begin(&f->op, &memory_op_kind, f->host->loop, parent, done, ctx);
    if (memory_misbehaves(&f->op, f->place.path))
        return;
    if (memory_put(f, &e))
        op_ok(&f->op);
    else
        op_fail(&f->op, &e);
}

/* ---- terminals --------------------------------------------------------------------------- */

int memory_terminals;

struct memory_terminal {
    struct terminal *t;
    struct loop *loop;
    struct post post; /* what happens next */
    char text[256];
    struct proc_exit exit;
    bool slow, flood, exited;
};

static void on_memory_closed(struct post *p)
{
    struct memory_terminal *m = CONTAINER_OF(p, struct memory_terminal, post);
    struct terminal *t = m->t;

    mem_free(m);
    memory_terminals--;
    t->events->on_closed(t);
}

static void on_memory_exit(struct post *p)
{
    struct memory_terminal *m = CONTAINER_OF(p, struct memory_terminal, post);

    m->exited = true;
    m->t->events->on_exit(m->t, &m->exit);
    m->post.fn = on_memory_closed;
    loop_post(m->loop, &m->post);
}

static void flood(struct terminal *t)
{
    static char text[2 * MEMORY_FLOOD];

    for (size_t i = 0; i < sizeof(text); i += 2)
        memcpy(text + i, "\u00e9", 2);
    t->events->on_output(t, (struct str){ text, sizeof(text) });
}

static void on_memory_output(struct post *p)
{
    struct memory_terminal *m = CONTAINER_OF(p, struct memory_terminal, post);

    m->post.fn = on_memory_exit;
    if (!m->slow)
        loop_post(m->loop, &m->post);
    if (m->flood)
        flood(m->t);
    else
        m->t->events->on_output(m->t, str_of(m->text));
}

static void memory_run(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                       void *ctx)
{
    const char *name = t->argv[0];
    struct memory_terminal *m;
    struct err e;

    (void)w;
    op_begin(&t->op, &memory_op_kind, t->host->loop, parent, done, ctx);
    if (strcmp(name, "late") == 0)
        return;
    if (strcmp(name, "broken") == 0) {
        fail(&e, ERR_SYSTEM, "the editor has no terminals left");
        op_fail(&t->op, &e);
        return;
    }
    m = MEM_NEW(struct memory_terminal);
    memory_terminals++;
    m->t = t;
    m->loop = t->host->loop;
    m->slow = strcmp(name, "slow") == 0;
    m->flood = strcmp(name, "flood") == 0;
    m->exit = (struct proc_exit){ .how = PROC_EXITED, .code = m->flood ? 0 : 3 };
    snprintf(m->text, sizeof(m->text), "%s", m->slow ? "begun" : t->argv[1] ? t->argv[1] : "");
    m->post.fn = on_memory_output;
    t->own = m;
    op_ok(&t->op);
    loop_post(m->loop, &m->post);
}

static struct stream *memory_input(struct terminal *t)
{
    (void)t;
    return NULL;
}

static void memory_kill(struct terminal *t)
{
    struct memory_terminal *m = t->own;

    if (!m->slow)
        return;
    m->slow = false;
    m->exit = (struct proc_exit){ .how = PROC_SIGNALED, .code = 9 };
    if (m->post.fn == on_memory_exit)
        loop_post(m->loop, &m->post);
}

static void memory_release(struct terminal *t)
{
    memory_kill(t);
}

const struct workspace_kind memory_kind = {
    .name = "memory",
    .read = memory_read,
    .write = memory_write,
    .run = memory_run,
    .input = memory_input,
    .kill = memory_kill,
    .release = memory_release,
};
