/*
 * tool_bench.h - a root in a temporary folder, and tools called on it as an endpoint would.
 *
 *   inside/          the root: what tools may reach
 *   outside/         what they must not; outside/secret holds "secret"
 */
#ifndef TESTS_TOOL_BENCH_H
#define TESTS_TOOL_BENCH_H

#include "core/state.h"
#include "core/tool/tool.h"
#include "tap.h"
#include "tool/tools.h"
#include "unit/loop/until.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A state directory that is easy to look into: a folder of the root. */
struct bench_state {
    struct state_port port; /* first */
    char path[96];
};

struct bench {
    char folder[64], root[80], outside[80];
    struct bench_state state;
    struct loop *loop;
    struct limits limits;
    struct host host;
    struct caller caller;
    struct arena mem; /* of the last call */
    struct call call;
    bool done;
    struct err err;
};

static inline const char *bench_open_state(struct state_port *port, struct err *e)
{
    const char *path = ((struct bench_state *)port)->path;

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return path;
    fail_sys(e, "make %s", path);
    return NULL;
}

static inline void bench_open(struct bench *b)
{
    *b = (struct bench){ .folder = "/tmp/trefoil-tool-XXXXXX", .loop = loop_new(LOOP_REAL_CLOCK) };
    OK(mkdtemp(b->folder) != NULL);
    snprintf(b->root, sizeof(b->root), "%s/inside", b->folder);
    snprintf(b->outside, sizeof(b->outside), "%s/outside", b->folder);
    OK(mkdir(b->root, 0755) == 0 && mkdir(b->outside, 0755) == 0);
    limits_preset(&b->limits);
    b->host = (struct host){ .loop = b->loop, .limits = &b->limits, .root = b->root };
    b->state.port.open = bench_open_state;
    snprintf(b->state.path, sizeof(b->state.path), "%s/state", b->root);
    b->host.state = &b->state.port;
    b->host.root_fd = open(b->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    OK(b->host.root_fd >= 0);
    b->caller = (struct caller){
        .kind = &caller_nobody, .name = "test", .origin = ORIGIN_STDIO, .principal = STR("user:1")
    };
}

static inline int bench_remove(const char *path, const struct stat *st, int flag, struct FTW *at)
{
    (void)st, (void)flag, (void)at;
    return remove(path);
}

static inline void bench_close(struct bench *b)
{
    arena_fini(&b->mem);
    close(b->host.root_fd);
    loop_free(b->loop);
    nftw(b->folder, bench_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- files ------------------------------------------------------------------------------- */

/* PATH in the root, in a buffer of a few that take turns. */
static inline const char *at(const struct bench *b, const char *path)
{
    static char text[8][512];
    static int turn;
    char *out = text[turn++ % 8];

    snprintf(out, sizeof(text[0]), "%s/%s", b->root, path);
    return out;
}

static inline void put_bytes(const struct bench *b, const char *path, struct str bytes)
{
    FILE *f = fopen(at(b, path), "w");

    OK(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n);
    if (f)
        fclose(f);
}

static inline void put(const struct bench *b, const char *path, const char *text)
{
    put_bytes(b, path, str_of(text));
}

static inline void folder(const struct bench *b, const char *path)
{
    OK(mkdir(at(b, path), 0755) == 0);
}

/* What a file holds; "(none)" when it cannot be read. */
static inline const char *holds(const struct bench *b, const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(at(b, path), "r");
    size_t n;

    if (!f)
        return "(none)";
    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static inline bool there(const struct bench *b, const char *path)
{
    struct stat st;

    return lstat(at(b, path), &st) == 0;
}

/* ---- calls ------------------------------------------------------------------------------- */

static inline void bench_done(struct op *op, const struct err *e, void *ctx)
{
    struct bench *b = ctx;

    (void)op;
    b->done = true;
    b->err = e ? *e : (struct err){ 0 };
}

/* Start a call; args is JSON. */
static inline void begin(struct bench *b, const struct tool *tool, struct str args)
{
    struct json_opts opts = limits_json(&b->limits);
    struct json parsed = { 0 };
    struct err e;

    arena_fini(&b->mem);
    b->done = false;
    if (!json_read(&b->mem, arena_str(&b->mem, args), &opts, &parsed, &e))
        TAP_NOT("the test's own arguments: %s", e.text);
    tool_run(tool, &b->call, &b->host, &b->caller, &b->mem, parsed, NULL, bench_done, b);
}

static inline void finish(struct bench *b)
{
    OK(until(b->loop, until_true, &b->done));
}

/* The text of the first block of the answer. */
static inline struct str answer(struct bench *b)
{
    struct json_opts opts = limits_json(&b->limits);
    struct json block;
    struct err e;

    if (!b->call.content.n ||
        !json_read(&b->mem, arena_str(&b->mem, buf_str(&b->call.content)), &opts, &block, &e))
        return STR_NONE;
    return json_str(&b->mem, json_get(block, STR("text")));
}

/* Call a tool to its end; the arguments are a format with ' for ". */
static inline struct str call(struct bench *b, const struct tool *tool, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static inline struct str call(struct bench *b, const struct tool *tool, const char *fmt, ...)
{
    static char args[1 << 16];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(args, sizeof(args), fmt, ap);
    va_end(ap);
    for (char *c = args; *c; c++)
        if (*c == '\'')
            *c = '"';
    begin(b, tool, str_of(args));
    finish(b);
    return answer(b);
}

/* The last call went well, or failed in a way the model is told. */
#define WENT_WELL(b) OK((b)->err.code == ERR_NONE && !(b)->call.is_error)
#define WAS_REFUSED(b) OK((b)->err.code == ERR_NONE && (b)->call.is_error)

#endif
