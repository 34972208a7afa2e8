/* glob.c - finds files and folders whose path matches a pattern. */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/file/walk.h"
#include "tool/file/wildcard.h"
#include "tool/tools.h"

struct glob {
    struct tool_job job; /* first */
    struct walk walk;
    struct place place;
    struct str pattern;
    struct wild_list list;
    struct buf out;
    int64_t found;
    bool cut;
};

static bool visit(struct walk *w, const struct walk_item *item)
{
    struct glob *g = w->ctx;

    if (!wild_match_any(&g->list, item->path))
        return true;
    if (g->found >= w->job->host->limits->glob_results) {
        g->cut = true;
        return false;
    }
    g->found++;
    buf_put(&g->out, walk_full_path(&w->job->mem, &g->place, item->path));
    buf_put(&g->out, S_ISDIR(item->st.st_mode) ? STR("/\n") : STR("\n"));
    return true;
}

static bool run(struct tool_job *w, struct err *e)
{
    struct glob *g = CONTAINER_OF(w, struct glob, job);

    if (!wild_expand(&w->mem, g->pattern, &g->list, e))
        return false;
    buf_init_in(&g->out, &w->mem, (size_t)w->host->limits->message_bytes);
    if (!walk_run(&g->walk, &g->place, e))
        return false;
    if (!g->found)
        buf_printf(&g->out, "Nothing matches " STR_FMT ".\n", STR_ARG(utf8_head(g->pattern, 200)));
    if (g->cut)
        buf_printf(&g->out, "[truncated after %lld results (the constant glob_results)]\n",
                   (long long)g->found);
    g->out.n--; /* the last line end */
    buf_put(&g->out, walk_remarks(&g->walk, &w->mem));
    w->answer = buf_str(&g->out);
    return true;
}

struct glob_args {
    struct str pattern, path;
    bool ignored;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("pattern", PICK_STR, struct glob_args, pattern, PICK_MUST),
    PICK_FIELD("path", PICK_STR, struct glob_args, path, 0),
    PICK_FIELD("ignored", PICK_BOOL, struct glob_args, ignored, 0),
};

static void start(struct call *call)
{
    struct glob_args args = { .path = STR(".") };
    int64_t most = call->host->limits->pattern_bytes;
    struct place place;
    struct glob *g;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !tool_place(call, args.path, &place))
        return;
    if (!args.pattern.n || (int64_t)args.pattern.n > most) {
        call_failed(call, "pattern: expected 1 to %lld bytes (the constant pattern_bytes)",
                    (long long)most);
        return;
    }
    g = TOOL_JOB_NEW(call, struct glob);
    g->place = place;
    g->pattern = args.pattern;
    g->walk = (struct walk){ .job = &g->job, .everything = args.ignored, .visit = visit, .ctx = g };
    tool_job_start(&g->job, run, NULL);
}

const struct tool tool_glob = {
    .name = "glob",
    .title = "Find files by name",
    .description =
        "Find files and folders by a path pattern with *, ?, [a-z] and {a,b}. ** matches any "
        "folders: **/*.c finds all C files. Skip files ignored by .gitignore unless `ignored` is "
        "true.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"pattern\":{\"type\":\"string\","
                    "\"description\":\"Pattern, relative to `path`.\"},"
                    "\"path\":{\"type\":\"string\",\"default\":\".\","
                    "\"description\":\"Folder to search.\"},"
                    "\"ignored\":{\"type\":\"boolean\"}},"
                    "\"required\":[\"pattern\"]}",
    .kind = TOOL_SEARCH,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
