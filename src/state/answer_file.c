#include "state/answer_file.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/pick.h"
#include "loop/file.h"
#include "state/file_lock.h"

#include <unistd.h>

enum { FILE_MOST = 4 << 20, FILE_DEPTH = 32, FILE_VALUES = 200000 };

static const char *answer_path(struct arena *mem, const char *dir, const char *name)
{
    return arena_printf(mem, "%s/%s", dir, name).p;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* An entry that is not as we write it is skipped: its call is asked about again. */
static bool read_entry(struct arena *mem, struct json v, struct answer_entry *out)
{
    struct json args = json_get(v, STR("arguments"));

    *out = (struct answer_entry){
        .allows = json_true(json_get(v, STR("allows"))),
        .principal = json_str(mem, json_get(v, STR("principal"))),
        .agent = json_str(mem, json_get(v, STR("agent"))),
        .tool = json_str(mem, json_get(v, STR("tool"))),
        .args = json_here(args) ? json_raw(args) : STR("{}"),
    };
    json_int(json_get(v, STR("when")), &out->wall_ms);
    return json_type(json_get(v, STR("allows"))) == JSON_BOOL &&
           str_to_c(json_str(mem, json_get(v, STR("id"))), out->id, sizeof(out->id)) &&
           strlen(out->id) == ANSWER_ID - 1;
}

static bool read_answers(struct arena *mem, const char *dir, struct answer_list *out, struct err *e)
{
    const char *path = answer_path(mem, dir, "answers.json");
    const struct json_opts opts = { .file = path,
                                    .max_depth = FILE_DEPTH,
                                    .max_values = FILE_VALUES };
    struct json file, all;
    struct str text;

    *out = (struct answer_list){ 0 };
    if (!file_read_secret(mem, path, FILE_MOST, &text, e))
        return e->code == ERR_NOT_FOUND;
    if (!json_read(mem, text, &opts, &file, e))
        return false;
    all = json_get(file, STR("answers"));
    out->v = ARENA_ARRAY(mem, struct answer_entry, json_count(all) + 1);
    JSON_EACH(v, all)
    if (read_entry(mem, v, &out->v[out->n]))
        out->n++;
    return true;
}

bool answer_file_read(struct answer_file *f, struct arena *mem, struct answer_list *out,
                      struct err *e)
{
    const char *dir = f->state->find(f->state, e);

    *out = (struct answer_list){ 0 };
    if (!dir)
        return e->code == ERR_NOT_FOUND;
    return read_answers(mem, dir, out, e);
}

static enum guard_says answer_find(struct answer_store *port, const char *id)
{
    struct answer_file *f = CONTAINER_OF(port, struct answer_file, port);
    AUTO_ARENA mem = { 0 };
    struct answer_list all;
    struct err e;

    if (!answer_file_read(f, &mem, &all, &e))
        return GUARD_ASK;
    for (size_t i = 0; i < all.n; i++)
        if (str_eq(str_of(all.v[i].id), str_of(id)))
            return all.v[i].allows ? GUARD_ALLOW : GUARD_DENY;
    return GUARD_ASK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void write_entry(struct jw *w, const struct answer_entry *a)
{
    jw_object(w);
    jw_kstr(w, "id", str_of(a->id));
    jw_kbool(w, "allows", a->allows);
    jw_kint(w, "when", a->wall_ms);
    jw_kstr(w, "principal", a->principal);
    jw_kstr(w, "agent", a->agent);
    jw_kstr(w, "tool", a->tool);
    jw_kraw(w, "arguments", a->args);
    jw_object_end(w);
}

/* All but those whose id is `without`, the oldest dropped, and then `last`. Both may be NULL. */
static bool write_answers(struct arena *mem, const char *dir, const struct answer_list *all,
                          const char *without, const struct answer_entry *last, struct err *e)
{
    size_t skip = all->n >= ANSWERS_MOST ? all->n - ANSWERS_MOST + 1 : 0;
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, FILE_MOST);
    jw_object(&w);
    jw_kint(&w, "version", 1);
    jw_plain_key(&w, STR("answers"));
    jw_array(&w);
    for (size_t i = last ? skip : 0; i < all->n; i++)
        if (without && !str_eq(str_of(all->v[i].id), str_of(without)))
            write_entry(&w, &all->v[i]);
    if (last)
        write_entry(&w, last);
    jw_array_end(&w);
    jw_object_end(&w);
    if (out.full)
        return fail(e, ERR_LIMIT, "answers.json would be larger than %d bytes", FILE_MOST);
    return file_write(answer_path(mem, dir, "answers.json"), buf_str(&out), 0600, e);
}

static int lock_answers(struct arena *mem, const char *dir, struct err *e)
{
    return file_lock(answer_path(mem, dir, "answers.lock"), e);
}

static bool answer_keep(struct answer_store *port, const struct answer_entry *entry, struct err *e)
{
    struct answer_file *f = CONTAINER_OF(port, struct answer_file, port);
    const char *dir = f->state->open(f->state, e);
    AUTO_ARENA mem = { 0 };
    struct answer_list all;
    bool ok;
    int fd;

    if (!dir)
        return false;
    fd = lock_answers(&mem, dir, e);
    if (fd < 0)
        return false;
    ok = read_answers(&mem, dir, &all, e) && write_answers(&mem, dir, &all, entry->id, entry, e);
    close(fd);
    return ok;
}

void answer_file_init(struct answer_file *f, struct state_port *state)
{
    *f = (struct answer_file){ { .find = answer_find, .keep = answer_keep }, state };
}

/* ---- revoking --------------------------------------------------------------------------------- */

/* The whole id of the one answer that is meant. */
static bool find_one(const struct answer_list *all, const char *id, const char **out, struct err *e)
{
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++)
        if (str_starts(str_of(all->v[i].id), str_of(id))) {
            *out = all->v[i].id;
            n++;
        }
    if (n > 1)
        return fail(e, ERR_INVALID, "%zu remembered answers have an ID that begins with %.40s", n,
                    id);
    return n == 1 || fail(e, ERR_NOT_FOUND,
                          "no remembered answer of this project has the ID %.40s; `trefoil trust "
                          "answers` lists them",
                          id);
}

static bool forget_locked(struct arena *mem, const char *dir, const char *id, size_t *out_n,
                          struct err *e)
{
    const char *whole = NULL;
    struct answer_list all;

    if (!read_answers(mem, dir, &all, e) || (id && !find_one(&all, id, &whole, e)) ||
        !write_answers(mem, dir, &all, whole, NULL, e))
        return false;
    *out_n = id ? 1 : all.n;
    return true;
}

bool answer_file_forget(struct answer_file *f, const char *id, size_t *out_n, struct err *e)
{
    const char *dir = f->state->find(f->state, e);
    AUTO_ARENA mem = { 0 };
    bool ok;
    int fd;

    *out_n = 0;
    if (!dir)
        return (!id && e->code == ERR_NOT_FOUND) ||
               (e->code == ERR_NOT_FOUND ? find_one(&(struct answer_list){ 0 }, id, &id, e)
                                         : false);
    fd = lock_answers(&mem, dir, e);
    if (fd < 0)
        return false;
    ok = forget_locked(&mem, dir, id, out_n, e);
    close(fd);
    return ok;
}
