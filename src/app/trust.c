#include "app/trust.h"

#include "app/root.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/mac.h"

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
static bool hash_entry(struct arena *mem, const struct server_spec *s, struct str *out,
                       struct err *e)
{
    struct str text =
        arena_printf(mem, "%zu:%s:" STR_FMT, strlen(s->name), s->name, STR_ARG(s->written));
    char hash[MAC_BYTES];

    if (!mac_sha256(STR("trefoil trust"), text, hash, e))
        return false;
    *out = base64_encode(mem, BASE64_URL, (struct str){ hash, sizeof(hash) });
    return true;
}

static bool accepted(struct arena *mem, struct json hashes, const struct server_spec *s,
                     struct notes *notes)
{
    struct str hash;
    struct err e;

    if (!json_here(hashes))
        return false;
    if (!hash_entry(mem, s, &hash, &e)) {
        note(mem, notes, LOG_WARN, "%s; the server %s is not trusted", e.text, s->name);
        return false;
    }
    JSON_EACH(h, hashes)
    if (json_is(h, hash))
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
        l->v[i].trusted = all || !l->v[i].from_project || accepted(mem, hashes, &l->v[i], notes);
}

/* ---- writing ---------------------------------------------------------------------------- */

static bool put_root(struct arena *mem, struct jw *w, const char *root, const struct server_list *l,
                     struct err *e)
{
    struct str hash;

    jw_key(w, str_of(root));
    jw_array(w);
    for (size_t i = 0; i < l->n; i++) {
        if (!l->v[i].from_project || !l->v[i].trusted)
            continue;
        if (!hash_entry(mem, &l->v[i], &hash, e))
            return false;
        jw_str(w, hash);
    }
    jw_array_end(w);
    return true;
}

static bool any_trusted(const struct server_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from_project && l->v[i].trusted)
            return true;
    return false;
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
    if (any_trusted(l) && !put_root(mem, &w, root, l, e))
        return false;
    jw_object_end(&w);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    if (out.full)
        return fail(e, ERR_LIMIT, "%s would have more than %d bytes", path, TRUST_MOST);
    return file_write(path, buf_str(&out), 0600, e);
}
