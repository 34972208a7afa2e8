#include "config/trust.h"

#include "base/base64.h"
#include "loop/digest.h"
#include "loop/file.h"
#include "state/root.h"

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
        return fail(e, ERR_INVALID, "%s: expected version 1", path);
    return true;
}

static bool hash_text(struct arena *mem, struct str text, struct str *out, struct err *e)
{
    char hash[MAC_BYTES];

    if (!mac_sha256(STR("trefoil trust"), text, hash, e))
        return false;
    *out = base64_encode(mem, BASE64_URL, (struct str){ hash, sizeof(hash) });
    return true;
}

/* The length of the name comes first, so that no other name and text give the same bytes. */
static bool hash_entry(struct arena *mem, const struct server_spec *s, struct str *out,
                       struct err *e)
{
    return hash_text(
        mem, arena_printf(mem, "%zu:%s:" STR_FMT, strlen(s->name), s->name, STR_ARG(s->written)),
        out, e);
}

/* The persona includes the text of the files that it includes. */
bool trust_hash_agent(struct arena *mem, const struct agent_def *def, struct str *out,
                      struct err *e)
{
    return hash_text(mem,
                     arena_printf(mem, "agent:%zu:%s:%zu:" STR_FMT ":" STR_FMT, strlen(def->name),
                                  def->name, def->written.n, STR_ARG(def->written),
                                  STR_ARG(def->persona)),
                     out, e);
}

bool trust_lists(struct json hashes, struct str hash)
{
    JSON_EACH(h, hashes)
    if (json_is(h, hash))
        return true;
    return false;
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
    return trust_lists(hashes, hash);
}

/* The file, or a missing value where there is none that can be read. */
static struct json read_state(struct arena *mem, struct notes *notes)
{
    const char *folder = root_user_state_path(mem);
    struct json file = { 0 };
    struct err e;

    if (!folder || read_file(mem, arena_printf(mem, "%s/trust.json", folder).p, &file, &e))
        return file;
    if (e.code != ERR_NOT_FOUND)
        note(mem, notes, LOG_WARN, "%s; no project is trusted", e.text);
    return (struct json){ 0 };
}

struct json trust_agents(struct arena *mem, const char *root, struct notes *notes)
{
    return json_get(json_get(read_state(mem, notes), STR("agents")), str_of(root));
}

struct json trust_rules(struct arena *mem, const char *root, struct notes *notes)
{
    return json_get(json_get(read_state(mem, notes), STR("rules")), str_of(root));
}

static bool hash_rule(struct arena *mem, struct str rule, struct str *out, struct err *e)
{
    return hash_text(mem, arena_printf(mem, "rule:" STR_FMT, STR_ARG(rule)), out, e);
}

bool trust_lists_rule(struct arena *mem, struct json hashes, struct str rule)
{
    struct str hash;
    struct err e;

    return json_here(hashes) && hash_rule(mem, rule, &hash, &e) && trust_lists(hashes, hash);
}

void trust_mark(struct arena *mem, const char *root, bool all, struct server_list *l,
                struct notes *notes)
{
    struct json hashes = json_get(json_get(read_state(mem, notes), STR("roots")), str_of(root));

    for (size_t i = 0; i < l->n; i++)
        l->v[i].trusted = all || !l->v[i].from_project || accepted(mem, hashes, &l->v[i], notes);
}

/* ---- writing ---------------------------------------------------------------------------- */

/* One of the lists of a root, by the member of the file that holds it. */
struct trust_change {
    const char *section, *root;
    struct pick_strs hashes; /* none: the root has no entry */
};

static void put_section(struct arena *mem, struct jw *w, struct json file, const char *name,
                        const struct trust_change *change)
{
    bool changed = str_eq(str_of(name), str_of(change->section));
    struct json roots = json_get(file, str_of(name));

    jw_plain_key(w, str_of(name));
    jw_object(w);
    JSON_MEMBERS(key, roots)
    {
        if (changed && json_is(key, str_of(change->root)))
            continue;
        jw_key(w, json_str(mem, key));
        jw_raw(w, json_raw(json_value(key)));
    }
    if (changed && change->hashes.n) {
        jw_key(w, str_of(change->root));
        jw_array(w);
        for (size_t i = 0; i < change->hashes.n; i++)
            jw_str(w, change->hashes.v[i]);
        jw_array_end(w);
    }
    jw_object_end(w);
}

static bool write_file(struct arena *mem, const struct trust_change *change, struct err *e)
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
        return fail_in(e, "cannot store what you trust in this project");
    jw_object(&w);
    jw_kint(&w, "version", 1);
    put_section(mem, &w, file, "roots", change);
    put_section(mem, &w, file, "agents", change);
    put_section(mem, &w, file, "rules", change);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    if (out.full)
        return fail(e, ERR_LIMIT, "%s would have more than %d bytes", path, TRUST_MOST);
    return file_write(path, buf_str(&out), 0600, e);
}

bool trust_keep(struct arena *mem, const char *root, const struct server_list *l, struct err *e)
{
    struct trust_change change = { "roots", root, { .v = ARENA_ARRAY(mem, struct str, l->n) } };

    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from_project && l->v[i].trusted &&
            !hash_entry(mem, &l->v[i], &change.hashes.v[change.hashes.n++], e))
            return false;
    return write_file(mem, &change, e);
}

bool trust_keep_agents(struct arena *mem, const char *root, const struct pick_strs *hashes,
                       struct err *e)
{
    return write_file(mem, &(struct trust_change){ "agents", root, *hashes }, e);
}

bool trust_keep_rules(struct arena *mem, const char *root, const struct pick_strs *rules,
                      struct err *e)
{
    struct trust_change change = { "rules", root, { .v = ARENA_ARRAY(mem, struct str, rules->n) } };

    for (size_t i = 0; i < rules->n; i++)
        if (!hash_rule(mem, rules->v[i], &change.hashes.v[change.hashes.n++], e))
            return false;
    return write_file(mem, &change, e);
}
