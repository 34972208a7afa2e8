#include "tool/sandbox_hint.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "base/visible.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOUND_MOST = 4, FILES_MOST = 32, PATH_SHOWN = 120 };

/* What a refusal is about. */
enum hint_what { HINT_WRITE, HINT_ACCESS, HINT_MISSING, HINT_NETWORK, HINT_CALL };

static const struct {
    struct str words;
    enum hint_what what;
} hint_words[] = {
    { STR("Read-only file system"), HINT_WRITE },
    { STR("EROFS"), HINT_WRITE },
    { STR("Permission denied"), HINT_ACCESS },
    { STR("EACCES"), HINT_ACCESS },
    { STR("No such file or directory"), HINT_MISSING },
    { STR("ENOENT"), HINT_MISSING },
    { STR("Could not resolve host"), HINT_NETWORK },
    { STR("name resolution"), HINT_NETWORK },
    { STR("EAI_AGAIN"), HINT_NETWORK },
    { STR("ENOTCACHED"), HINT_NETWORK },
    { STR("Network is unreachable"), HINT_NETWORK },
    { STR("ENETUNREACH"), HINT_NETWORK },
    { STR("Failed to connect to"), HINT_NETWORK },
    { STR("Connection refused"), HINT_NETWORK },
    { STR("ECONNREFUSED"), HINT_NETWORK },
    { STR("Operation not permitted"), HINT_CALL },
};

struct hints {
    struct arena *mem;
    const char *folder;
    bool networked;               /* the profile has some network */
    bool network, files, write;   /* what was found */
    struct str found[FOUND_MOST]; /* sentences, each once */
    size_t n;
    int looked; /* files that were looked at */
};

/* ---- the path in a line -------------------------------------------------------------------- */

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

/* GNU programs write these quotes in UTF-8. */
static struct str plain_quotes(struct arena *mem, struct str line)
{
    struct buf out;

    buf_init_in(&out, mem, line.n + 1);
    while (line.n) {
        bool curly = str_starts(line, STR("\xe2\x80\x98")) || str_starts(line, STR("\xe2\x80\x99"));

        buf_putc(&out, curly ? '\'' : line.p[0]);
        line = str_skip(line, curly ? 3 : 1);
    }
    return out.n ? buf_str(&out) : STR("");
}

/* The last text in quotes; STR_NONE: there is none. */
static struct str last_quoted(struct str line)
{
    struct str found = STR_NONE;

    for (size_t i = 0; i < line.n; i++) {
        ptrdiff_t end;

        if (!is_quote(line.p[i]))
            continue;
        end = str_find_byte(str_skip(line, i + 1), line.p[i]);
        if (end < 0)
            break;
        found = str_head(str_skip(line, i + 1), (size_t)end);
        i += (size_t)end + 1;
    }
    return found;
}

/* `sh: 1: cannot create ../x: Read-only file system`: the word before the last colon. */
static struct str word_before(struct str line, size_t at)
{
    struct str head = str_trim(str_head(line, at));

    while (head.n && head.p[head.n - 1] == ':')
        head.n--;
    for (size_t i = head.n; i > 0; i--)
        if (head.p[i - 1] == ' ')
            return str_skip(head, i);
    return head;
}

static struct str path_in(struct str line, size_t at)
{
    struct str path = last_quoted(line);

    if (!path.n)
        path = word_before(line, at);
    return path.n && path.n < PATH_MAX && str_find_byte(path, 0) < 0 ? path : STR_NONE;
}

/* ---- what trefoil itself may do ------------------------------------------------------------ */

static const char *absolute(const struct hints *h, struct str path)
{
    if (path.p[0] == '/')
        return arena_cstr(h->mem, path);
    return arena_printf(h->mem, "%s/" STR_FMT, h->folder, STR_ARG(path)).p;
}

static bool may_look(struct hints *h, struct str path)
{
    return path.p && h->looked++ < FILES_MOST;
}

static bool exists(struct hints *h, struct str path)
{
    struct stat st;

    return may_look(h, path) && lstat(absolute(h, path), &st) == 0;
}

static bool may_use(struct hints *h, struct str path)
{
    const char *at = may_look(h, path) ? absolute(h, path) : NULL;

    return at && (faccessat(AT_FDCWD, at, W_OK, AT_EACCESS) == 0 ||
                  faccessat(AT_FDCWD, at, R_OK, AT_EACCESS) == 0);
}

/* A missing file that trefoil itself could create. */
static bool may_create(const struct hints *h, struct str path)
{
    const char *at = path.p ? absolute(h, path) : NULL, *folder;
    struct stat st;

    if (!at || lstat(at, &st) == 0)
        return false;
    folder = arena_cstr(h->mem, (struct str){ at, (size_t)(strrchr(at, '/') - at) });
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

/* ---- findings ------------------------------------------------------------------------------ */

static void add(struct hints *h, struct str sentence)
{
    for (size_t i = 0; i < h->n; i++)
        if (str_eq(h->found[i], sentence))
            return;
    if (h->n < FOUND_MOST)
        h->found[h->n++] = sentence;
}

static void add_file(struct hints *h, const char *verb, struct str path)
{
    struct buf out;

    buf_init_in(&out, h->mem, 8 * PATH_SHOWN + 64);
    buf_printf(&out, "%s ", verb);
    visible_text(&out, utf8_head(path, PATH_SHOWN));
    h->files = true;
    add(h, buf_str(&out));
}

static void add_network(struct hints *h)
{
    h->network = true;
    add(h, h->networked ? STR("a network connection to a TCP port that is not allowed")
                        : STR("the network"));
}

static bool names_privileged_call(struct str line)
{
    static const struct str names[] = { STR("mount"), STR("unshare"), STR("chroot"),
                                        STR("bpf"),   STR("keyctl"),  STR("namespace") };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_find(line, names[i]) >= 0)
            return true;
    return false;
}

static void judge_line(struct hints *h, struct str line, enum hint_what what, size_t at)
{
    struct str path = path_in(line, at);

    switch (what) {
    case HINT_WRITE:
        if (path.p)
            add_file(h, "write to", path);
        break;
    case HINT_ACCESS:
        if (path.p && may_use(h, path))
            add_file(h, "access to", path);
        else if (may_create(h, path))
            add_file(h, "write to", path);
        else if (h->networked && str_find(line, STR("connect")) >= 0)
            add_network(h);
        break;
    case HINT_MISSING:
        if (path.p && exists(h, path))
            add_file(h, "access to", path);
        break;
    case HINT_NETWORK:
        if (!h->networked || str_find(line, STR("resolve")) < 0)
            add_network(h);
        break;
    case HINT_CALL:
        if (names_privileged_call(line))
            add(h, STR("a privileged system call"));
        break;
    }
}

static void read_line(struct hints *h, struct str line)
{
    if (str_find(line, STR("\xe2\x80\x98")) >= 0)
        line = plain_quotes(h->mem, line);
    for (size_t i = 0; i < ARRAY_LEN(hint_words); i++) {
        ptrdiff_t at = str_find(line, hint_words[i].words);

        if (at >= 0) {
            judge_line(h, line, hint_words[i].what, (size_t)at);
            return;
        }
    }
}

/* ---- the sentence -------------------------------------------------------------------------- */

static const char *advice(const struct hints *h, enum sandbox_kind kind)
{
    if (kind == SANDBOX_READ_ONLY)
        return "mode read-write, if the user allows it";
    if (h->network && !h->files)
        return h->networked ? "[sandbox] connect in the user's config.toml, or the argument "
                              "\"sandbox\": \"off\" (needs the user's approval)"
                            : "the argument \"sandbox\": \"network\" (needs the user's approval)";
    return "the argument \"sandbox\": \"off\" (needs the user's approval)";
}

static struct str sentence(const struct hints *h, enum sandbox_kind kind)
{
    struct buf out;

    buf_init_in(&out, h->mem, FOUND_MOST * (8 * PATH_SHOWN + 64) + 512);
    buf_printf(&out, "blocked by sandbox profile %s: ", sandbox_kind_name(kind));
    for (size_t i = 0; i < h->n; i++) {
        buf_put(&out, i ? STR(", ") : STR(""));
        buf_put(&out, h->found[i]);
    }
    buf_printf(&out, "; to allow it, use %s", advice(h, kind));
    return buf_str(&out);
}

struct str sandbox_hint(struct arena *mem, enum sandbox_kind kind, const char *folder,
                        struct str output)
{
    struct hints h = { .mem = mem, .folder = folder, .networked = kind == SANDBOX_NETWORK };

    if (kind == SANDBOX_OFF)
        return STR_NONE;
    if (output.n > SANDBOX_HINT_BYTES)
        output = str_skip(output, output.n - SANDBOX_HINT_BYTES);
    while (output.p && output.n)
        read_line(&h, str_cut(&output, '\n'));
    return h.n ? sentence(&h, kind) : STR_NONE;
}
