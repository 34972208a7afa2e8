/*
 * talk.c - run conversations written as text, as TAP.
 *
 *   talk FILE...           each conversation once
 *   talk --faults FILE...  each again with every fault, and with a hang-up after each line
 *
 * A line of a conversation is one of:
 *
 *   # words                    nothing
 *   limit KEY NUMBER           set a limit; before the first wire
 *   fixtures                   offer tools, resources and prompts of fixtures.c too; likewise
 *   key SECRET                 ask for an API key; likewise
 *   file NAME "text"           put a file into the root folder
 *   stdio NAME [auto|line|header]   a client of `trefoil mcp --scope tools`
 *   http NAME                  a connection to `trefoil serve`
 *   clock + 30s                time passes (s or ms)
 *   quiet                      nobody has been told anything more
 *   NAME > text                it sends a line
 *   NAME >> "bytes"            it sends bytes
 *   NAME < pattern             it gets a line
 *   NAME << "pattern"          it gets these bytes
 *   NAME has "bytes"           it gets something with these bytes in it
 *   NAME header Name: value    for its next HTTP request
 *   NAME GET|POST|... PATH [BODY]   it sends a request
 *   NAME < 200 [pattern]       it gets a response with this body
 *   NAME ends                  it sends no more
 *   NAME hangs-up              it is gone
 *   NAME closed                we closed it
 *
 * Patterns: match.h. In quotes \r \n \t \\ \" \xHH stand for bytes.
 */
#include "base/auto.h"
#include "loop/file.h"
#include "world.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct talk {
    struct world world;
    struct arena mem;
    const char *file;
    unsigned line;
    char why[1024]; /* what went wrong; empty while all is well */
};

static bool wrong(struct talk *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool wrong(struct talk *t, const char *fmt, ...)
{
    va_list ap;
    int n = snprintf(t->why, sizeof(t->why), "%s:%u: ", t->file, t->line);

    va_start(ap, fmt);
    vsnprintf(t->why + n, sizeof(t->why) - (size_t)n, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- words and bytes --------------------------------------------------------------------- */

static struct str next_word(struct str *rest)
{
    struct str word;

    *rest = str_trim(*rest);
    word = str_cut(rest, ' ');
    if (!rest->p)
        *rest = STR("");
    return word;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

/* The bytes between quotes. */
static bool unquote(struct talk *t, struct str s, struct str *out)
{
    char *p = arena_alloc(&t->mem, s.n + 1);
    size_t n = 0;

    s = str_trim(s);
    if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"')
        return wrong(t, "expected bytes in quotes");
    for (size_t i = 1; i + 1 < s.n; i++) {
        char c = s.p[i];

        if (c == '\\') {
            c = s.p[++i];
            if (c == 'x') {
                c = (char)(hex_digit(s.p[i + 1]) << 4 | hex_digit(s.p[i + 2]));
                i += 2;
            } else {
                c = c == 'r' ? '\r' : c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
        }
        p[n++] = c;
    }
    *out = (struct str){ p, n };
    return true;
}

/* ---- what a client does ------------------------------------------------------------------ */

static bool send_bytes(struct talk *t, struct wire *w, struct str bytes)
{
    fake_stream_send(&w->fake, bytes);
    world_settle(&t->world);
    return true;
}

/* With the values of $names in it. */
static struct str filled(struct talk *t, struct str text)
{
    char *out = arena_alloc(&t->mem, 1 << 16);

    match_fill(text, &t->world.names, out, (1 << 16) - 1);
    return str_of(out);
}

static bool send_line(struct talk *t, struct wire *w, struct str text)
{
    return send_bytes(t, w, arena_printf(&t->mem, "%s\n", filled(t, text).p));
}

static bool send_request(struct talk *t, struct wire *w, struct str method, struct str rest)
{
    struct str path = filled(t, next_word(&rest)), body = filled(t, str_trim(rest));
    char length[96] = "";

    if (body.n)
        snprintf(length, sizeof(length),
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n", body.n);
    send_bytes(t, w,
               arena_printf(&t->mem,
                            STR_FMT " " STR_FMT " HTTP/1.1\r\nHost: localhost\r\n%s%s"
                                    "\r\n" STR_FMT,
                            STR_ARG(method), STR_ARG(path), length, w->headers, STR_ARG(body)));
    w->headers[0] = 0;
    return true;
}

static bool add_header(struct talk *t, struct wire *w, struct str text)
{
    size_t n = strlen(w->headers);

    snprintf(w->headers + n, sizeof(w->headers) - n, "%s\r\n", filled(t, text).p);
    return true;
}

/* ---- what a client gets ------------------------------------------------------------------ */

struct awaited {
    struct talk *t;
    struct wire *w;
    struct str bytes; /* has: these; else anything up to here */
    struct str found; /* what was waited for */
    struct str body;  /* of a response */
};

static bool line_came(void *ctx)
{
    struct awaited *a = ctx;
    struct str unseen = wire_unseen(a->w);
    ptrdiff_t nl = str_find_byte(unseen, '\n');

    if (nl < 0)
        return false;
    a->found = str_head(unseen, (size_t)nl + 1);
    return true;
}

static bool bytes_came(void *ctx)
{
    struct awaited *a = ctx;
    struct match_names names = a->t->world.names;
    size_t used;

    if (!match(a->bytes, wire_unseen(a->w), &names, &used))
        return false;
    a->t->world.names = names;
    a->found = str_head(wire_unseen(a->w), used);
    return true;
}

static bool part_came(void *ctx)
{
    struct awaited *a = ctx;
    struct str unseen = wire_unseen(a->w);
    ptrdiff_t at = str_find(unseen, a->bytes);

    if (at < 0)
        return false;
    a->found = str_head(unseen, (size_t)at + a->bytes.n);
    return true;
}

static bool response_came(void *ctx)
{
    struct awaited *a = ctx;
    struct str unseen = wire_unseen(a->w), head, rest;
    ptrdiff_t end = str_find(unseen, STR("\r\n\r\n")), at;
    uint64_t length = 0;

    if (end < 0)
        return false;
    head = str_head(unseen, (size_t)end + 2);
    at = str_find(head, STR("Content-Length: "));
    if (at >= 0) {
        rest = str_skip(head, (size_t)at + 16);
        str_uint(str_cut(&rest, '\r'), 0, 1 << 30, &length);
    }
    if (unseen.n < (size_t)end + 4 + length)
        return false;
    a->found = str_head(unseen, (size_t)end + 4 + length);
    a->body = str_skip(a->found, (size_t)end + 4);
    return true;
}

static bool wait_for(struct awaited *a, bool (*came)(void *ctx), const char *what)
{
    if (!world_wait(&a->t->world, came, a))
        return wrong(a->t, "%s did not come; unseen is: " STR_FMT, what,
                     STR_ARG(wire_unseen(a->w)));
    a->w->seen += a->found.n;
    return true;
}

static bool expect_text(struct talk *t, struct str pattern, struct str got)
{
    size_t used;

    if (match(pattern, got, &t->world.names, &used) && used == got.n)
        return true;
    return wrong(t, "got  " STR_FMT "\n#   want " STR_FMT, STR_ARG(got), STR_ARG(pattern));
}

static bool expect_line(struct talk *t, struct wire *w, struct str pattern)
{
    struct awaited a = { .t = t, .w = w };

    if (!wait_for(&a, line_came, "a line"))
        return false;
    a.found.n--;
    return expect_text(t, pattern, a.found);
}

static bool expect_response(struct talk *t, struct wire *w, struct str rest)
{
    struct awaited a = { .t = t, .w = w };
    struct str status = next_word(&rest), pattern = str_trim(rest);

    if (!wait_for(&a, response_came, "a response"))
        return false;
    if (!str_eq(str_head(str_skip(a.found, 9), 3), status))
        return wrong(t, "status is " STR_FMT ": " STR_FMT,
                     STR_ARG(str_head(str_skip(a.found, 9), 3)), STR_ARG(a.body));
    return !pattern.n || expect_text(t, pattern, a.body);
}

static bool expect_bytes(struct talk *t, struct wire *w, struct str quoted, bool (*came)(void *ctx))
{
    struct awaited a = { .t = t, .w = w };

    return unquote(t, quoted, &a.bytes) && wait_for(&a, came, "these bytes");
}

static bool is_closed(void *ctx)
{
    struct awaited *a = ctx;

    return a->w->fake.closed || a->w->fake.shut;
}

static bool expect_closed(struct talk *t, struct wire *w)
{
    struct awaited a = { .t = t, .w = w };

    if (!world_wait(&t->world, is_closed, &a))
        return wrong(t, "%s is still open", w->name);
    return true;
}

static bool expect_quiet(struct talk *t)
{
    world_settle(&t->world);
    for (size_t i = 0; i < t->world.wires; i++) {
        struct str unseen = wire_unseen(&t->world.wire[i]);

        if (unseen.n)
            return wrong(t, "%s was told: " STR_FMT, t->world.wire[i].name, STR_ARG(unseen));
    }
    return true;
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool pass_time(struct talk *t, struct str rest)
{
    struct str amount;
    uint64_t n, unit = 1;

    next_word(&rest); /* + */
    amount = next_word(&rest);
    if (str_ends(amount, STR("ms"))) {
        amount.n -= 2;
    } else if (str_ends(amount, STR("s"))) {
        amount.n -= 1;
        unit = 1000;
    }
    if (!str_uint(amount, 0, 1 << 30, &n))
        return wrong(t, "expected clock + 30s");
    loop_advance(t->world.loop, (int64_t)(n * unit));
    world_settle(&t->world);
    return true;
}

/* Any limit, also one that is no configuration key. */
static bool set_limit(struct talk *t, struct str rest)
{
    struct {
        const char *name;
        int64_t *value;
    } all[] = {
#define LIMIT(name, preset, least, most, unit, what) { #name, &t->world.limits.name },
#define FIXED(name, preset, unit, what) { #name, &t->world.limits.name },
#include "base/limits.def"
    };
    struct str name = next_word(&rest), text = next_word(&rest);
    uint64_t n;

    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (!str_eq(name, str_of(all[i].name)) || !str_uint(text, 0, 1 << 30, &n))
            continue;
        *all[i].value = (int64_t)n;
        return true;
    }
    return wrong(t, "no such limit");
}

static bool make_file(struct talk *t, struct str rest)
{
    struct str name = next_word(&rest), text;
    struct str path = arena_printf(&t->mem, "%s/" STR_FMT, t->world.root, STR_ARG(name));
    AUTO_FD fd = open(path.p, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (!unquote(t, rest, &text))
        return false;
    return (fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n) || wrong(t, "cannot write");
}

static bool add_wire(struct talk *t, struct str rest, bool http)
{
    struct str name = next_word(&rest), how = next_word(&rest);
    enum framing framing = FRAMING_AUTO;

    if (how.n && !framing_named(how, &framing))
        return wrong(t, "unknown framing");
    if (!world_add_wire(&t->world, name, http, framing))
        return wrong(t, "too many wires");
    world_settle(&t->world);
    return true;
}

static bool client_line(struct talk *t, struct wire *w, struct str rest)
{
    struct str verb = next_word(&rest);

    if (str_eq(verb, STR(">")))
        return send_line(t, w, str_trim(rest));
    if (str_eq(verb, STR(">>"))) {
        struct str bytes;

        return unquote(t, rest, &bytes) && send_bytes(t, w, bytes);
    }
    if (str_eq(verb, STR("<")))
        return w->http ? expect_response(t, w, rest) : expect_line(t, w, str_trim(rest));
    if (str_eq(verb, STR("<<")))
        return expect_bytes(t, w, rest, bytes_came);
    if (str_eq(verb, STR("has")))
        return expect_bytes(t, w, rest, part_came);
    if (str_eq(verb, STR("header")))
        return add_header(t, w, str_trim(rest));
    if (str_eq(verb, STR("closed")))
        return expect_closed(t, w);
    if (str_eq(verb, STR("ends")))
        fake_stream_end(&w->fake);
    else if (str_eq(verb, STR("hangs-up")))
        fake_stream_hang_up(&w->fake);
    else
        return w->http ? send_request(t, w, verb, rest) : wrong(t, "what does it do?");
    world_settle(&t->world);
    return true;
}

static bool run_line(struct talk *t, struct str line)
{
    struct str rest = str_trim(line), word;
    struct wire *w;

    if (!rest.n || rest.p[0] == '#')
        return true;
    word = next_word(&rest);
    if (str_eq(word, STR("limit")))
        return set_limit(t, rest);
    if (str_eq(word, STR("fixtures")))
        return t->world.with_fixtures = true;
    if (str_eq(word, STR("key")))
        return str_to_c(next_word(&rest), t->world.key, sizeof(t->world.key));
    if (str_eq(word, STR("file")))
        return make_file(t, rest);
    if (str_eq(word, STR("stdio")) || str_eq(word, STR("http")))
        return add_wire(t, rest, str_eq(word, STR("http")));
    if (str_eq(word, STR("clock")))
        return pass_time(t, rest);
    if (str_eq(word, STR("quiet")))
        return expect_quiet(t);
    w = world_find_wire(&t->world, word);
    return w ? client_line(t, w, rest) : wrong(t, "who is " STR_FMT "?", STR_ARG(word));
}

/* ---- conversations ----------------------------------------------------------------------- */

/* Run a conversation up to line `last` (0: to its end). Returns how many lines it has. */
static unsigned run(struct talk *t, const char *path, struct str text, enum fault fault,
                    unsigned last)
{
    char left[256] = "";

    memset(t, 0, sizeof(*t));
    t->file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    world_init(&t->world, fault);
    while (text.p && text.n && (!last || t->line < last)) {
        struct str line = str_cut(&text, '\n');

        t->line++;
        if (!run_line(t, line))
            break;
    }
    if (!world_fini(&t->world, left, sizeof(left)) && !t->why[0])
        wrong(t, "%s", left);
    arena_fini(&t->mem);
    return t->line;
}

static int count;
static int failed;

static void report(const struct talk *t, const char *path, const char *how)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    if (t->why[0]) {
        printf("# %s\n", t->why);
        failed++;
    }
    printf("%sok %d - %s%s\n", t->why[0] ? "not " : "", ++count, name, how);
    fflush(stdout);
}

static void run_faults(const char *path, struct str text)
{
    static const char *const names[] = {
        [FAULT_ONE_BYTE_READS] = ", one byte per read",
        [FAULT_SHORT_WRITES] = ", one byte per write",
        [FAULT_EAGAIN] = ", EAGAIN again and again",
    };
    static struct talk t;
    unsigned lines = run(&t, path, text, FAULT_NONE, 0);

    for (int f = FAULT_NONE + 1; f < FAULT_COUNT; f++) {
        run(&t, path, text, (enum fault)f, 0);
        report(&t, path, names[f]);
    }
    for (unsigned n = 1; n <= lines; n++) {
        run(&t, path, text, FAULT_NONE, n);
        if (t.why[0])
            break;
    }
    report(&t, path, ", hung up after each line");
}

int main(int argc, char **argv)
{
    bool faults = argc > 1 && !strcmp(argv[1], "--faults");
    static struct talk t;

    for (int i = 1 + faults; i < argc; i++) {
        struct arena mem = { 0 };
        struct str text;
        struct err e;

        if (!file_read(&mem, argv[i], 1 << 20, &text, &e)) {
            printf("Bail out! %s\n", e.text);
            return 1;
        }
        if (faults) {
            run_faults(argv[i], text);
        } else {
            run(&t, argv[i], text, FAULT_NONE, 0);
            report(&t, argv[i], "");
        }
        arena_fini(&mem);
    }
    printf("1..%d\n", count);
    return failed != 0 || count == 0;
}
