/*
 * grep.c - finds lines of files that contain a text or match an expression.
 *
 * Files are read whole, one after the other, into one buffer. Files with a NUL near the beginning
 * are binary. Binary files and files that are too large are skipped; the result reports that. It
 * also names the lines for which the pattern was too expensive (tool/file/matcher.h).
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/utf8.h"
#include "tool/file/matcher.h"
#include "tool/file/walk.h"
#include "tool/file/wildcard.h"
#include "tool/tools.h"

#include <fcntl.h>

enum { BINARY_LOOK = 8192 };

enum show { SHOW_LINES, SHOW_FILES, SHOW_COUNTS };

struct grep {
    struct tool_job job; /* first */
    struct walk walk;
    struct place place;
    struct matcher matcher;
    struct str pattern, files;
    bool literal, ignore_case;
    int64_t context, limit;
    enum show show;

    struct wild_list list; /* of `files` */
    struct arena text_mem; /* of the file that is looked at */
    struct buf out;
    int64_t found, binary, large;
    bool cut;
    struct buf expensive_list; /* a remark for each of these lines */
    int64_t expensive;

    /* The file that is looked at. */
    struct str path, text;
    int64_t hits;
    size_t shown; /* its text is in the answer up to here */
    int64_t line; /* the number of the line that begins at `counted` */
    size_t counted;
};

/* ---- one line ---------------------------------------------------------------------------- */

static size_t line_end(const struct grep *g, size_t at)
{
    const char *nl = memchr(g->text.p + at, '\n', g->text.n - at);

    return nl ? (size_t)(nl - g->text.p) : g->text.n;
}

static size_t line_begin(const struct grep *g, size_t at)
{
    const char *nl = at ? memrchr(g->text.p, '\n', at) : NULL;

    return nl ? (size_t)(nl + 1 - g->text.p) : 0;
}

static int64_t line_number(struct grep *g, size_t at)
{
    for (; g->counted < at; g->counted = line_end(g, g->counted) + 1)
        g->line++;
    return g->line;
}

/* "path:12:text", "path-11-text" for context. */
static void put_line(struct grep *g, size_t from, char mark)
{
    size_t most = (size_t)g->job.host->limits->grep_line_bytes, end = line_end(g, from);
    struct str line = { g->text.p + from, end - from };

    buf_printf(&g->out, STR_FMT "%c%lld%c", STR_ARG(g->path), mark, (long long)line_number(g, from),
               mark);
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    buf_put(&g->out, utf8_head(line, most));
    if (line.n > most)
        buf_put(&g->out, STR(" [line truncated]"));
    buf_putc(&g->out, '\n');
    g->shown = end < g->text.n ? end + 1 : end;
}

static void put_match(struct grep *g, size_t from)
{
    size_t before = from;

    for (int64_t i = 0; i < g->context && before > g->shown; i++)
        before = line_begin(g, before - 1);
    if (before < g->shown)
        before = g->shown;
    if (g->context && g->out.n && (before > g->shown || g->hits == 0))
        buf_put(&g->out, STR("--\n"));
    while (before < from) {
        put_line(g, before, '-');
        before = g->shown;
    }
    put_line(g, from, ':');
}

static void put_after(struct grep *g, size_t until)
{
    for (int64_t i = 0; i < g->context && g->shown < until && g->shown < g->text.n; i++)
        put_line(g, g->shown, '-');
}

/* ---- one file ---------------------------------------------------------------------------- */

static bool too_many_expensive(const struct grep *g)
{
    return g->expensive >= g->job.host->limits->grep_expensive_lines;
}

/* Not by line_number(), which the lines before it still need. */
static void note_expensive(struct grep *g, size_t at)
{
    int64_t line = 1;

    for (size_t from = 0; from < at; from = line_end(g, from) + 1)
        line++;
    buf_printf(&g->expensive_list,
               "[" STR_FMT ":%lld: pattern too expensive (limits.grep_line_ms); "
               "this line was not searched]\n",
               STR_ARG(g->path), (long long)line);
    g->expensive++;
}

/* The beginning of the next line at or after `at` that matches; text.n: none. */
static size_t next_match(struct grep *g, size_t at)
{
    size_t most = (size_t)g->job.host->limits->grep_match_bytes;

    if (g->matcher.text.p) {
        const char *hit =
            memmem(g->text.p + at, g->text.n - at, g->matcher.text.p, g->matcher.text.n);

        return hit ? line_begin(g, (size_t)(hit - g->text.p)) : g->text.n;
    }
    while (at < g->text.n && !tool_job_stopped(&g->job) && !too_many_expensive(g)) {
        size_t end = line_end(g, at);

        switch (
            matcher_match(&g->matcher, str_head((struct str){ g->text.p + at, end - at }, most))) {
        case MATCH_YES: return at;
        case MATCH_NO: break;
        case MATCH_TOO_EXPENSIVE: note_expensive(g, at); break;
        }
        at = end + 1;
    }
    return g->text.n;
}

/* False: enough was found. */
static bool hit(struct grep *g, size_t at)
{
    if (g->found >= g->limit || g->out.full) {
        g->cut = true;
        return false;
    }
    if (g->show == SHOW_LINES)
        put_match(g, at);
    if (g->show == SHOW_LINES || !g->hits)
        g->found++;
    g->hits++;
    return true;
}

static void end_file(struct grep *g)
{
    if (g->hits && g->show == SHOW_FILES)
        buf_printf(&g->out, STR_FMT "\n", STR_ARG(g->path));
    if (g->hits && g->show == SHOW_COUNTS)
        buf_printf(&g->out, STR_FMT ":%lld\n", STR_ARG(g->path), (long long)g->hits);
}

static bool search(struct grep *g)
{
    size_t at, last = 0;
    bool more = true;

    g->hits = 0;
    g->shown = g->counted = 0;
    g->line = 1;
    for (at = next_match(g, 0); at < g->text.n && more; at = next_match(g, last)) {
        if (g->hits && g->show == SHOW_LINES)
            put_after(g, at);
        more = hit(g, at);
        last = line_end(g, at);
        last += last < g->text.n;
        if (last == g->text.n || (g->hits && g->show == SHOW_FILES))
            break;
    }
    if (g->hits && g->show == SHOW_LINES && more)
        put_after(g, g->text.n);
    end_file(g);
    return more && !too_many_expensive(g);
}

/* False: enough was found. What cannot be read is passed over. */
static bool search_file(struct grep *g, const struct dir_entry *n, struct str path)
{
    const struct place p = { .given = path };
    struct err e;

    arena_reset(&g->text_mem);
    if (!entry_read(n, &p, &g->text_mem, g->job.host->limits->file_read_bytes, "file_read_bytes",
                    &g->text, &e)) {
        g->large += e.code == ERR_LIMIT;
        return true;
    }
    if (str_find_byte(str_head(g->text, BINARY_LOOK), 0) >= 0) {
        g->binary++;
        return true;
    }
    g->path = path;
    return search(g);
}

static bool wanted(const struct grep *g, const struct walk_item *item)
{
    if (!g->list.n)
        return true;
    return wild_match_any(&g->list,
                          str_find_byte(g->files, '/') >= 0 ? item->path : str_of(item->name));
}

static bool visit(struct walk *w, const struct walk_item *item)
{
    struct grep *g = w->ctx;
    struct dir_entry n = { .folder = item->folder };

    if (!S_ISREG(item->st.st_mode) || !wanted(g, item) ||
        !str_to_c(str_of(item->name), n.name, sizeof(n.name)))
        return true;
    return search_file(g, &n, walk_full_path(&w->job->mem, &g->place, item->path));
}

/* ---- the whole --------------------------------------------------------------------------- */

static bool search_place(struct grep *g, struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;

    if (!beneath_open(&g->place, O_RDONLY, 0, &fd, e))
        return false;
    if (fstat(fd, &st) < 0)
        return place_fail(&g->place, "stat", e);
    if (S_ISDIR(st.st_mode))
        return walk_run(&g->walk, &g->place, e);
    {
        AUTO_ENTRY n = { .folder = -1 };

        if (!entry_through_links(&g->place, &g->job.mem, &n, e))
            return false;
        if (!S_ISREG(st.st_mode))
            return fail(e, ERR_INVALID, STR_FMT " is not a regular file",
                        STR_ARG(utf8_head(g->place.given, 100)));
        search_file(g, &n, g->place.given);
    }
    return true;
}

static void put_remarks(struct grep *g)
{
    if (!g->found)
        buf_put(&g->out, STR("Nothing found.\n"));
    if (g->cut)
        buf_printf(&g->out, "[truncated after %lld results; there are more]\n",
                   (long long)g->found);
    if (g->binary)
        buf_printf(&g->out, "[" COUNT_FMT " skipped]\n", COUNT_ARG(g->binary, "binary file"));
    if (g->large)
        buf_printf(&g->out, "[" COUNT_FMT " skipped (limits.file_read_bytes)]\n",
                   COUNT_ARG(g->large, "large file"));
    buf_put(&g->out, buf_str(&g->expensive_list));
    if (too_many_expensive(g))
        buf_printf(
            &g->out,
            "[stopped after %lld lines that were too expensive (limits.grep_expensive_lines)]\n",
            (long long)g->expensive);
    g->out.n--; /* the last line end */
    buf_put(&g->out, walk_remarks(&g->walk, &g->job.mem));
}

static bool run(struct tool_job *w, struct err *e)
{
    struct grep *g = CONTAINER_OF(w, struct grep, job);
    const struct matcher_options options = { .literal = g->literal,
                                             .ignore_case = g->ignore_case,
                                             .limits = w->host->limits,
                                             .stop = &w->stop };
    bool ok;

    if (g->files.n && !wild_expand(&w->mem, g->files, &g->list, e))
        return false;
    if (!matcher_open(&g->matcher, g->pattern, &options, e))
        return false;
    buf_init_in(&g->out, &w->mem, (size_t)w->host->limits->message_bytes);
    buf_init_in(&g->expensive_list, &w->mem, (size_t)w->host->limits->message_bytes);
    ok = search_place(g, e);
    matcher_close(&g->matcher);
    arena_fini(&g->text_mem);
    if (!ok)
        return false;
    put_remarks(g);
    w->answer = buf_str(&g->out);
    return true;
}

struct grep_args {
    struct str pattern, path, files, show;
    bool literal, ignore_case, ignored;
    int64_t context, limit;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("pattern", PICK_STR, struct grep_args, pattern, PICK_MUST),
    PICK_FIELD("path", PICK_STR, struct grep_args, path, 0),
    PICK_FIELD("files", PICK_STR, struct grep_args, files, 0),
    PICK_FIELD("show", PICK_STR, struct grep_args, show, 0),
    PICK_FIELD("literal", PICK_BOOL, struct grep_args, literal, 0),
    PICK_FIELD("ignore_case", PICK_BOOL, struct grep_args, ignore_case, 0),
    PICK_FIELD("ignored", PICK_BOOL, struct grep_args, ignored, 0),
    PICK_RANGE("context", struct grep_args, context, 0, 0, 20),
    PICK_RANGE("limit", struct grep_args, limit, 0, 1, INT32_MAX),
};

static const char *const show_names[] = {
    [SHOW_LINES] = "lines", [SHOW_FILES] = "files", [SHOW_COUNTS] = "counts"
};

static bool read_show(struct str name, enum show *out)
{
    for (size_t i = 0; i < ARRAY_LEN(show_names); i++) {
        if (str_eq(name, str_of(show_names[i]))) {
            *out = (enum show)i;
            return true;
        }
    }
    return false;
}

static bool check(struct call *call, const struct grep_args *a, enum show *show)
{
    int64_t most = call->host->limits->pattern_bytes;

    if (!read_show(a->show, show))
        call_failed(call, "show: expected lines, files or counts");
    else if ((int64_t)a->pattern.n > most || (int64_t)a->files.n > most)
        call_failed(call, "a pattern may have at most %lld bytes (the constant pattern_bytes)",
                    (long long)most);
    else
        return true;
    return false;
}

static void start(struct call *call)
{
    int64_t most = call->host->limits->grep_results;
    struct grep_args args = { .path = STR("."), .show = STR("lines"), .limit = most };
    struct place place;
    enum show show;
    struct grep *g;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !check(call, &args, &show) ||
        !tool_place(call, args.path, &place))
        return;
    g = TOOL_JOB_NEW(call, struct grep);
    g->place = place;
    g->pattern = args.pattern;
    g->files = args.files;
    g->literal = args.literal;
    g->ignore_case = args.ignore_case;
    g->context = args.context;
    g->limit = args.limit < most ? args.limit : most;
    g->show = show;
    g->walk = (struct walk){ .job = &g->job, .everything = args.ignored, .visit = visit, .ctx = g };
    tool_job_start(&g->job, run, NULL);
}

const struct tool tool_grep = {
    .name = "grep",
    .title = "Search in files",
    .description = "Find lines that match a regular expression (PCRE2). Return "
                   "path:line:text. Skip binary files. Skip files ignored by .gitignore unless "
                   "`ignored` is true.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{"
        "\"pattern\":{\"type\":\"string\","
        "\"description\":\"Expression or text to find.\"},"
        "\"literal\":{\"type\":\"boolean\","
        "\"description\":\"Treat pattern as plain text.\"},"
        "\"ignore_case\":{\"type\":\"boolean\"},"
        "\"path\":{\"type\":\"string\",\"default\":\".\","
        "\"description\":\"File or folder to search.\"},"
        "\"files\":{\"type\":\"string\","
        "\"description\":\"Glob for file names, e.g. *.{c,h}. A glob with a / matches paths "
        "relative to `path`.\"},"
        "\"context\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":20,"
        "\"description\":\"Lines to show around each match.\"},"
        "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Maximum results.\"},"
        "\"show\":{\"type\":\"string\",\"enum\":[\"lines\",\"files\",\"counts\"],"
        "\"description\":\"Return lines, file names or counts.\"},"
        "\"ignored\":{\"type\":\"boolean\"}},"
        "\"required\":[\"pattern\"]}",
    .kind = TOOL_SEARCH,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
