#include "runtime/tool_cache.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/tool/server_diff.h"
#include "loop/file.h"
#include "loop/job.h"
#include "state/root.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES_MOST = 100,
    AROUND_TOOLS = 4096, /* bytes of a file in addition to the definitions */
};

#define FOLDER "tool-definitions"

/* ---- names of files ------------------------------------------------------------------------ */

/*
 * Compute a name from a text. The keys of the hash are fixed, so that the next run finds the file.
 * Two hashes are combined, so that a collision is practically impossible.
 */
static struct str fingerprint(struct arena *mem, struct str text)
{
    return arena_printf(mem, "%016" PRIx64 "%016" PRIx64, hash_str_long(0x746f6f6c63616368u, text),
                        hash_str_long(0x6465666973757031u, text));
}

static const char *file_of(struct arena *mem, const struct server_spec *spec)
{
    struct str name = fingerprint(mem, server_spec_canonical(mem, spec));

    return arena_printf(mem, STR_FMT ".json", STR_ARG(name)).p;
}

void tool_cache_fini(struct tool_cache *c)
{
    arena_fini(&c->mem);
}

/* ---- reading ------------------------------------------------------------------------------- */

static size_t file_most(const struct tool_cache *c)
{
    return (size_t)c->limits->mcp_tools_bytes + AROUND_TOOLS;
}

static size_t take_tools(struct arena *mem, struct json list, struct mcp_remote_tool *to)
{
    size_t n = 0;

    JSON_EACH(tool, list)
    {
        struct str name = json_str(mem, json_get(tool, STR("name")));

        if (name.n)
            to[n++] = (struct mcp_remote_tool){ name, tool };
    }
    return n;
}

/*
 * Load the cached tools of a server. The file is small and is read only before a server is started,
 * so it is read on the loop.
 */
static bool tool_cache_load(struct upstream_cache *port, const struct server_spec *spec,
                            struct arena *mem, struct mcp_client_facts *out)
{
    struct tool_cache *c = CONTAINER_OF(port, struct tool_cache, port);
    struct json_opts opts = limits_json(c->limits);
    struct mcp_remote_tool *tool;
    struct json all, list;
    struct str text;
    struct err e;

    if (!c->folder ||
        !file_read_beneath(mem, c->folder, file_of(mem, spec), file_most(c), &text, NULL, &e))
        return false;
    if (!json_read(mem, text, &opts, &all, &e)) {
        LOG(LOG_DEBUG, "mcp", "cannot read the stored tool definitions",
            LOG_Z("server", spec->name), LOG_Z("why", e.text));
        return false;
    }
    list = json_get(all, STR("tools"));
    tool = ARENA_ARRAY(mem, struct mcp_remote_tool, json_count(list));
    *out = (struct mcp_client_facts){
        .server_name = json_str(mem, json_get(all, STR("server_name"))),
        .tools = take_tools(mem, list, tool),
        .tool = tool,
    };
    return true;
}

/* ---- writing, on the pool ------------------------------------------------------------------ */

struct saving {
    struct job job; /* first */
    struct tool_cache *cache;
    struct arena mem;
    const char *folder, *file;
    struct str text;
};

/* Find the least recently written file, if there are more than FILES_MOST files. */
static bool find_oldest(DIR *dir, char *name, size_t room)
{
    struct timespec oldest = { 0 };
    const struct dirent *d;
    size_t n = 0;

    rewinddir(dir);
    while ((d = readdir(dir))) {
        struct stat st;

        if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n++ && (st.st_mtim.tv_sec > oldest.tv_sec ||
                    (st.st_mtim.tv_sec == oldest.tv_sec && st.st_mtim.tv_nsec >= oldest.tv_nsec)))
            continue;
        oldest = st.st_mtim;
        if (!str_to_c(str_of(d->d_name), name, room))
            return false;
    }
    return n > FILES_MOST;
}

static void remove_oldest(const char *folder)
{
    DIR *dir = opendir(folder);
    char name[256];

    if (!dir)
        return;
    while (find_oldest(dir, name, sizeof(name)) && unlinkat(dirfd(dir), name, 0) == 0)
        continue;
    closedir(dir);
}

static bool write_file(struct job *job, struct err *e)
{
    struct saving *s = CONTAINER_OF(job, struct saving, job);
    const char *path = arena_printf(&s->mem, "%s/%s", s->folder, s->file).p;

    if (!file_make_parent(&s->mem, path, e) ||
        !file_write_beneath(s->folder, s->file, s->text, 0600, e))
        return false;
    remove_oldest(s->folder);
    return true;
}

static void on_written(struct op *op, const struct err *e, void *ctx)
{
    struct saving *s = ctx;
    struct tool_cache *c = s->cache;

    (void)op;
    if (e)
        LOG(LOG_DEBUG, "mcp", "cannot store tool definitions", LOG_Z("why", e->text));
    arena_fini(&s->mem);
    mem_free(s);
    if (!--c->saving && c->on_saved)
        c->on_saved(c);
}

static bool write_tools(struct buf *out, const struct server_spec *spec,
                        const struct mcp_client_facts *facts)
{
    struct jw w = jw_to(out);

    jw_object(&w);
    jw_kstr(&w, "server", str_of(spec->name));
    jw_kstr(&w, "server_name", facts->server_name);
    jw_plain_key(&w, STR("tools"));
    jw_array(&w);
    for (size_t i = 0; i < facts->tools; i++)
        jw_raw(&w, json_raw(facts->tool[i].tool));
    jw_array_end(&w);
    jw_object_end(&w);
    return !out->full;
}

static void tool_cache_save(struct upstream_cache *port, const struct server_spec *spec,
                            const struct mcp_client_facts *facts)
{
    struct tool_cache *c = CONTAINER_OF(port, struct tool_cache, port);
    struct saving *s;
    struct buf out;

    if (!c->folder)
        return;
    s = MEM_NEW(struct saving);
    s->cache = c;
    s->folder = c->folder;
    s->file = file_of(&s->mem, spec);
    buf_init_in(&out, &s->mem, file_most(c));
    if (!write_tools(&out, spec, facts)) {
        arena_fini(&s->mem);
        mem_free(s);
        return;
    }
    s->text = buf_str(&out);
    c->saving++;
    job_start(&s->job, c->loop, NULL, write_file, on_written, s);
}

/* ---- the cache ----------------------------------------------------------------------------- */

void tool_cache_init(struct tool_cache *c, struct loop *loop, const struct limits *limits,
                     struct state_port *state)
{
    const char *path;
    struct err e;

    *c = (struct tool_cache){ .port = { tool_cache_load, tool_cache_save },
                              .loop = loop,
                              .limits = limits };
    path = state ? state->open(state, &e) : NULL;
    if (path)
        c->folder = arena_printf(&c->mem, "%s/" FOLDER, path).p;
}
