#include "app/trust.h"

#include "app/root.h"
#include "base/file.h"
#include "base/sha256.h"

enum { TRUST_MOST = 16 << 20, TRUST_DEPTH = 8, TRUST_VALUES = 1000000 };

/* ---- reading ---------------------------------------------------------------------------- */

static bool read_file(struct arena *mem, const char *path, struct json *out, struct err *e)
{
    const struct json_opts opts = { .file = path,
                                    .max_depth = TRUST_DEPTH,
                                    .max_values = TRUST_VALUES };
    struct str text;
    int64_t version;

    if (!file_read_secret(mem, path, TRUST_MOST, &text, e) || !json_read(mem, text, &opts, out, e))
        return false;
    if (!json_int(json_get(*out, STR("version")), &version) || version != 1)
        return fail(e, ERR_INVALID, "%s: version 1 is expected", path);
    return true;
}

/* The length of the name stands in front, so that no other name and text give the same bytes. */
static void hash_entry(struct arena *mem, const struct server_spec *s, char out[SHA256_TEXT])
{
    sha256_text(arena_printf(mem, "%zu:%s:" STR_FMT, strlen(s->name), s->name, STR_ARG(s->written)),
                out);
}

static bool accepted(struct arena *mem, struct json hashes, const struct server_spec *s)
{
    char hash[SHA256_TEXT];

    hash_entry(mem, s, hash);
    JSON_EACH(h, hashes)
    if (json_is(h, str_of(hash)))
        return true;
    return false;
}

void trust_mark(struct arena *mem, const char *root, bool all, struct server_list *l,
                struct notes *notes)
{
    const char *folder = root_user_state_path(mem);
    struct json file = { 0 }, hashes;
    struct err e;

    if (folder && !read_file(mem, arena_printf(mem, "%s/trust.json", folder).p, &file, &e)) {
        file = (struct json){ 0 };
        if (e.code != ERR_NOT_FOUND)
            note(mem, notes, LOG_WARN, "%s; no server of a project is trusted", e.text);
    }
    hashes = json_get(json_get(file, STR("roots")), str_of(root));
    for (size_t i = 0; i < l->n; i++)
        l->v[i].trusted = all || !l->v[i].from_project || accepted(mem, hashes, &l->v[i]);
}

/* ---- writing ---------------------------------------------------------------------------- */

static void put_root(struct arena *mem, struct jw *w, const char *root, const struct server_list *l)
{
    bool any = false;

    for (size_t i = 0; i < l->n; i++) {
        char hash[SHA256_TEXT];

        if (!l->v[i].from_project || !l->v[i].trusted)
            continue;
        if (!any) {
            jw_key(w, str_of(root));
            jw_array(w);
            any = true;
        }
        hash_entry(mem, &l->v[i], hash);
        jw_str(w, str_of(hash));
    }
    if (any)
        jw_array_end(w);
}

static void put_others(struct arena *mem, struct jw *w, struct json roots, const char *root)
{
    JSON_MEMBERS(key, roots)
    {
        if (json_is(key, str_of(root)))
            continue;
        jw_key(w, json_str(mem, key));
        jw_raw(w, json_raw(json_value(key)));
    }
}

bool trust_keep(struct arena *mem, const char *root, const struct server_list *l, struct err *e)
{
    const char *folder, *path;
    struct json file = { 0 };
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, TRUST_MOST);
    if (!root_user_state(mem, &folder, e))
        return false;
    path = arena_printf(mem, "%s/trust.json", folder).p;
    if (!read_file(mem, path, &file, e) && e->code != ERR_NOT_FOUND)
        return fail_in(e, "trust cannot be changed");
    jw_object(&w);
    jw_kint(&w, "version", 1);
    jw_plain_key(&w, STR("roots"));
    jw_object(&w);
    put_others(mem, &w, json_get(file, STR("roots")), root);
    put_root(mem, &w, root, l);
    jw_object_end(&w);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    if (out.full)
        return fail(e, ERR_LIMIT, "%s would have more than %d bytes", path, TRUST_MOST);
    return file_write(path, buf_str(&out), 0600, e);
}
