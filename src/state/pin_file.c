#include "state/pin_file.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/json.h"
#include "loop/file.h"
#include "state/file_lock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIN_DEPTH = 512, PIN_VALUES = 4 << 20 };

static const char *pin_path(const struct pin_file *f, struct arena *mem)
{
    return arena_printf(mem, "%s/" PIN_FOLDER "/%s.json", f->state, f->server).p;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct tool_pin *x = a, *y = b;

    return str_order(x->name, y->name);
}

static struct str raw_object(struct json v)
{
    return json_type(v) == JSON_OBJECT ? json_raw(v) : STR_NONE;
}

static bool pin_entry_read(struct arena *mem, struct json v, struct tool_pin *out)
{
    *out = (struct tool_pin){
        .name = json_str(mem, json_get(v, STR("name"))),
        .definition = raw_object(json_get(v, STR("definition"))),
        .changed = raw_object(json_get(v, STR("changed"))),
    };
    json_int(json_get(v, STR("pinned")), &out->pinned_ms);
    json_int(json_get(v, STR("seen")), &out->seen_ms);
    return out->name.p && out->definition.p;
}

/* A file with an invalid entry is an error: a lost pin would be made again from what is listed. */
bool pin_file_read(const struct pin_file *f, struct arena *mem, struct pin_list *out, struct err *e)
{
    const char *path = pin_path(f, mem);
    const struct json_opts opts = { .file = path,
                                    .max_depth = PIN_DEPTH,
                                    .max_values = PIN_VALUES };
    struct pin_list l = { 0 };
    struct json file, all;
    struct str text;

    *out = l;
    if (!file_read_secret(mem, path, f->most, &text, e))
        return e->code == ERR_NOT_FOUND;
    if (!json_read(mem, text, &opts, &file, e))
        return false;
    all = json_get(file, STR("tools"));
    l.v = ARENA_ARRAY(mem, struct tool_pin, json_count(all));
    JSON_EACH(v, all)
    if (!pin_entry_read(mem, v, &l.v[l.n++]))
        return json_fail(v, e, "expected \"name\" and \"definition\"");
    if (l.n)
        qsort(l.v, l.n, sizeof(*l.v), by_name);
    *out = l;
    return true;
}

struct tool_pin *pin_list_find(const struct pin_list *l, struct str tool)
{
    const struct tool_pin key = { .name = tool };

    return l->n ? bsearch(&key, l->v, l->n, sizeof(*l->v), by_name) : NULL;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void pin_entry_write(struct jw *w, const struct tool_pin *p)
{
    jw_object(w);
    jw_kstr(w, "name", p->name);
    jw_kint(w, "pinned", p->pinned_ms);
    jw_kraw(w, "definition", p->definition);
    if (p->changed.p) {
        jw_kraw(w, "changed", p->changed);
        jw_kint(w, "seen", p->seen_ms);
    }
    jw_object_end(w);
}

static bool put_pins(struct buf *out, const struct pin_list *l, bool only_listed)
{
    struct jw w = jw_to(out);

    buf_clear(out);
    jw_object(&w);
    jw_kint(&w, "version", 1);
    jw_plain_key(&w, STR("tools"));
    jw_array(&w);
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].listed || !only_listed)
            pin_entry_write(&w, &l->v[i]);
    jw_array_end(&w);
    jw_object_end(&w);
    return !out->full;
}

static bool pins_write(const struct pin_file *f, struct arena *mem, const struct pin_list *l,
                       struct err *e)
{
    AUTO_BUF out;

    buf_init(&out, f->most);
    if (!put_pins(&out, l, false) && !put_pins(&out, l, true))
        return fail(e, ERR_LIMIT, "the tool definitions of MCP server %s have more than %zu bytes",
                    f->server, f->most);
    return file_write(pin_path(f, mem), buf_str(&out), 0600, e);
}

static int lock_pins(const struct pin_file *f, struct arena *mem, struct err *e)
{
    const char *path = arena_printf(mem, "%s/" PIN_FOLDER "/lock", f->state).p;

    return file_make_parent(mem, path, e) ? file_lock(path, e) : -1;
}

/* ---- what the server lists -------------------------------------------------------------------- */

/* True: the pin has changed. */
static bool pin_note(struct tool_pin *p, const struct pin_definition *now, int64_t wall_ms)
{
    struct str changed = str_eq(p->definition, now->text) ? STR_NONE : now->text;

    p->listed = true;
    if (str_eq(p->changed, changed) && !p->changed.p == !changed.p)
        return false;
    p->changed = changed;
    p->seen_ms = wall_ms;
    return true;
}

/* Returns whether anything has changed. New pins go to the end, so that the others can be found. */
static bool pins_note(struct pin_list *l, const struct pin_definition *now, size_t n)
{
    const struct pin_list old = *l;
    int64_t wall_ms = clock_wall_ms();
    bool changed = false;

    for (size_t i = 0; i < n; i++) {
        struct tool_pin *p = pin_list_find(&old, now[i].tool);

        if (p) {
            changed |= pin_note(p, &now[i], wall_ms);
            continue;
        }
        l->v[l->n++] = (struct tool_pin){
            .name = now[i].tool, .definition = now[i].text, .pinned_ms = wall_ms, .listed = true
        };
        changed = true;
    }
    return changed;
}

static bool note_locked(const struct pin_file *f, struct arena *mem,
                        const struct pin_definition *now, size_t n, struct err *e)
{
    struct pin_list l;

    if (!pin_file_read(f, mem, &l, e))
        return false;
    l.v = arena_grow(mem, l.v, l.n * sizeof(*l.v), (l.n + n) * sizeof(*l.v));
    return !pins_note(&l, now, n) || pins_write(f, mem, &l, e);
}

bool pin_file_note(const struct pin_file *f, const struct pin_definition *now, size_t n,
                   struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_FD lock = lock_pins(f, &mem, e);

    return lock >= 0 && note_locked(f, &mem, now, n, e);
}

/* ---- what the user says ----------------------------------------------------------------------- */

static bool approve_locked(const struct pin_file *f, struct arena *mem,
                           const struct pin_definition *shown, size_t n, size_t *out_n,
                           struct err *e)
{
    struct pin_list l;
    size_t approved = 0;

    if (!pin_file_read(f, mem, &l, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct tool_pin *p = pin_list_find(&l, shown[i].tool);

        if (!p || !p->changed.p || !str_eq(p->changed, shown[i].text))
            continue;
        p->definition = p->changed;
        p->changed = STR_NONE;
        p->pinned_ms = clock_wall_ms();
        approved++;
    }
    if (approved && !pins_write(f, mem, &l, e))
        return false;
    *out_n = approved;
    return true;
}

bool pin_file_approve(const struct pin_file *f, const struct pin_definition *shown, size_t n,
                      size_t *out_n, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_FD lock = lock_pins(f, &mem, e);

    return lock >= 0 && approve_locked(f, &mem, shown, n, out_n, e);
}

bool pin_file_forget(const struct pin_file *f, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    const char *path = pin_path(f, &mem);

    return unlink(path) == 0 || errno == ENOENT || fail_sys(e, "delete %.150s", path);
}
