#include "runtime/tool_pins.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/version.h"
#include "loop/job.h"
#include "state/pin_file.h"

enum {
    AROUND_TOOLS = 64 << 10, /* bytes of a file in addition to the definitions */
    NAMES_SHOWN = 200,       /* maximum number of bytes of the names in a warning */
};

/*
 * The file contains the approved and the changed definition of each tool, and the pins of tools
 * that the server no longer lists.
 */
size_t tool_pins_most(const struct limits *limits)
{
    return 3 * (size_t)limits->mcp_tools_bytes + AROUND_TOOLS;
}

static struct pin_file file_of(const struct tool_pins *p, const struct upstream *u)
{
    return (struct pin_file){ p->state, u->spec.name, tool_pins_most(p->limits) };
}

static void pins_idle(struct tool_pins *p)
{
    if (!--p->busy && p->on_idle)
        p->on_idle(p);
}

/* ---- writing, on the pool ------------------------------------------------------------------ */

struct noting {
    struct job job; /* first */
    struct tool_pins *pins;
    struct arena mem;
    struct pin_file file;
    struct pin_definition *now;
    size_t n;
};

static bool write_pins(struct job *job, struct err *e)
{
    struct noting *n = CONTAINER_OF(job, struct noting, job);

    return pin_file_note(&n->file, n->now, n->n, e);
}

static void on_written(struct op *op, const struct err *e, void *ctx)
{
    struct noting *n = ctx;
    struct tool_pins *p = n->pins;

    (void)op;
    if (e)
        LOG(LOG_WARN, "mcp", "cannot store the definitions of tools",
            LOG_Z("server", n->file.server), LOG_Z("why", e->text));
    arena_fini(&n->mem);
    mem_free(n);
    pins_idle(p);
}

static void note_definitions(struct tool_pins *p, const struct upstream *u)
{
    struct noting *n = MEM_NEW(struct noting);

    n->pins = p;
    n->file = file_of(p, u);
    n->file.state = arena_cstr(&n->mem, str_of(p->state));
    n->file.server = arena_cstr(&n->mem, str_of(u->spec.name));
    n->now = ARENA_ARRAY(&n->mem, struct pin_definition, u->tools);
    for (size_t i = 0; i < u->tools; i++)
        n->now[n->n++] = (struct pin_definition){ arena_str(&n->mem, u->tool[i].original),
                                                  arena_str(&n->mem, u->tool[i].definition) };
    p->busy++;
    job_start(&n->job, p->loop, NULL, write_pins, on_written, n);
}

/* ---- waiting for an approval --------------------------------------------------------------- */

static void on_files_changed(void *ctx)
{
    struct tool_pins *p = ctx;

    if (p->on_changed)
        p->on_changed(p);
}

static void watch_files(struct tool_pins *p)
{
    if (p->watch)
        return;
    p->watched =
        (struct file_watch_path){ .path = arena_printf(&p->mem, "%s/" PIN_FOLDER, p->state).p,
                                  .depth = 1 };
    p->watch = file_watch_open(&(struct file_watch_opts){ .loop = p->loop,
                                                          .path = &p->watched,
                                                          .paths = 1,
                                                          .most = 1000,
                                                          .look_ms = p->limits->watch_ms,
                                                          .changed = on_files_changed,
                                                          .ctx = p });
    p->busy++;
}

static void on_unwatched(void *ctx)
{
    pins_idle(ctx);
}

void tool_pins_close(struct tool_pins *p)
{
    p->on_changed = NULL;
    if (p->watch)
        file_watch_close(p->watch, on_unwatched, p);
    p->watch = NULL;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* List the names of the changed tools, as many as fit: "add, echo, ...". */
static struct str changed_names(struct arena *mem, const struct upstream *u)
{
    struct buf out;

    buf_init_in(&out, mem, NAMES_SHOWN + 8);
    for (size_t i = 0; i < u->tools; i++) {
        if (!u->tool[i].changed)
            continue;
        if (out.n + u->tool[i].original.n + 2 > NAMES_SHOWN) {
            buf_put(&out, out.n ? STR(", ...") : STR("..."));
            break;
        }
        buf_printf(&out, "%s" STR_FMT, out.n ? ", " : "", STR_ARG(u->tool[i].original));
    }
    return buf_str(&out);
}

static void warn_changed(const struct upstream *u, bool block)
{
    AUTO_ARENA mem = { 0 };

    LOG(LOG_WARN, "mcp",
        block ? "tools have changed since they were approved and are quarantined"
              : "tools have changed since they were approved",
        LOG_Z("server", u->spec.name), LOG_S("tools", changed_names(&mem, u)),
        LOG_S("review", arena_printf(&mem, TREFOIL_NAME " servers approve %s", u->spec.name)));
}

static void withhold(struct upstream *u, struct upstream_tool *t, const char *why)
{
    t->tool.withheld = arena_cstr(&u->tools_mem, str_of(why));
}

/* Compare a tool with its pin. True: the file must be written. */
static bool compare_tool(struct upstream *u, struct upstream_tool *t, const struct pin_list *pins,
                         bool block)
{
    const struct tool_pin *pin = pin_list_find(pins, t->original);
    char why[160];

    if (!pin)
        return true;
    if (str_eq(pin->definition, t->definition))
        return pin->changed.p != NULL;
    t->changed = true;
    u->changed++;
    if (block) {
        snprintf(why, sizeof(why),
                 "its definition has changed since it was approved; review it with: " TREFOIL_NAME
                 " servers approve %s",
                 u->spec.name);
        withhold(u, t, why);
    }
    return !str_eq(pin->changed, t->definition);
}

/*
 * The pins cannot be read, so no tool can be compared. If pinning is "block", withhold all tools.
 */
static void compare_none(struct upstream *u, bool block, const struct err *e)
{
    LOG(LOG_WARN, "mcp",
        block ? "tools are quarantined: their approved definitions cannot be read"
              : "the approved definitions of tools cannot be read",
        LOG_Z("server", u->spec.name), LOG_Z("why", e->text));
    for (size_t i = 0; block && i < u->tools; i++)
        withhold(u, &u->tool[i], "its approved definition cannot be read; the log says why");
}

static void compare(struct tool_pins *p, struct upstream *u, bool block)
{
    struct pin_file file = file_of(p, u);
    AUTO_ARENA mem = { 0 };
    size_t before = u->changed;
    struct pin_list pins;
    bool write = false;
    struct err e;

    u->changed = 0;
    if (!p->state)
        fail(&e, ERR_NOT_FOUND, "there is no state directory");
    if (!p->state || !pin_file_read(&file, &mem, &pins, &e)) {
        compare_none(u, block, &e);
        return;
    }
    for (size_t i = 0; i < u->tools; i++)
        write |= compare_tool(u, &u->tool[i], &pins, block);
    if (u->changed > before)
        warn_changed(u, block);
    if (u->changed)
        watch_files(p);
    if (write)
        note_definitions(p, u);
}

static void tool_pins_check(struct upstream_pins *port, struct upstream *u)
{
    struct tool_pins *p = CONTAINER_OF(port, struct tool_pins, port);
    enum tool_pinning pinning = server_pinning(&u->spec, config_pinning(p->config, p->preset));

    for (size_t i = 0; i < u->tools; i++) {
        u->tool[i].changed = false;
        u->tool[i].tool.withheld = NULL;
    }
    if (u->tools && (pinning == PINNING_BLOCK || (pinning == PINNING_WARN && p->state)))
        compare(p, u, pinning == PINNING_BLOCK);
    else
        u->changed = 0;
}

/* ---- opening and closing ------------------------------------------------------------------- */

void tool_pins_init(struct tool_pins *p, struct loop *loop, const struct limits *limits,
                    struct state_port *state, enum tool_pinning preset)
{
    struct err e;

    *p = (struct tool_pins){
        .port = { tool_pins_check },
        .loop = loop,
        .limits = limits,
        .preset = preset == PINNING_UNSET ? PINNING_WARN : preset,
    };
    p->state = state ? state->open(state, &e) : NULL;
    if (p->state)
        p->state = arena_cstr(&p->mem, str_of(p->state));
}

void tool_pins_fini(struct tool_pins *p)
{
    arena_fini(&p->mem);
}
