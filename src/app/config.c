#include "app/config.h"

#include "base/file.h"
#include "base/toml.h"

#include <unistd.h>

enum { CONFIG_DEPTH = 32 };

void config_preset(struct config *c)
{
    *c = (struct config){ .listen = STR("127.0.0.1:8733"), .log_level = LOG_WARN };
    limits_preset(&c->limits);
}

/* ---- the tables ------------------------------------------------------------------------- */

struct serve_table {
    struct str listen;
    struct pick_strs hosts;
};

struct log_table {
    struct str level, format;
};

struct file_tables {
    struct serve_table serve;
    struct log_table log;
    struct json limits;
};

static const struct pick serve_fields[] = {
    PICK_FIELD("listen", PICK_STR, struct serve_table, listen, 0),
    PICK_FIELD("hosts", PICK_STRS, struct serve_table, hosts, 0),
};

static const struct pick log_fields[] = {
    PICK_FIELD("level", PICK_STR, struct log_table, level, 0),
    PICK_FIELD("format", PICK_STR, struct log_table, format, 0),
};

static const struct pick file_fields[] = {
    PICK_NESTED("serve", struct file_tables, serve, 0, serve_fields),
    PICK_NESTED("log", struct file_tables, log, 0, log_fields),
    PICK_FIELD("limits", PICK_OBJECT, struct file_tables, limits, 0),
};

/* ---- applying --------------------------------------------------------------------------- */

static bool apply_log(struct json root, const struct log_table *t, struct config *c, struct err *e)
{
    struct json table = json_get(root, STR("log"));

    if (t->level.p && !log_level_named(t->level, &c->log_level))
        return json_fail(json_get(table, STR("level")), e,
                         "unknown level; accepted are error, warn, info, debug, trace");
    if (!t->format.p)
        return true;
    c->log_json = str_eq(t->format, STR("json"));
    if (!c->log_json && !str_eq(t->format, STR("text")))
        return json_fail(json_get(table, STR("format")), e,
                         "unknown format; accepted are text and json");
    return true;
}

static bool apply(struct arena *mem, struct json root, struct config *c, struct err *e)
{
    struct file_tables t = { .serve.listen = c->listen, .serve.hosts = c->hosts };

    if (!pick(mem, root, PICK_TABLE(file_fields), PICK_STRICT, &t, e) ||
        !apply_log(root, &t.log, c, e))
        return false;
    if (json_here(t.limits) && !limits_read(mem, t.limits, &c->limits, e))
        return false;
    c->listen = t.serve.listen;
    c->hosts = t.serve.hosts;
    return true;
}

/* An absent file is fine unless somebody asked for it. */
static bool load_file(struct arena *mem, const char *path, bool must, struct config *c,
                      struct err *e)
{
    struct str text;
    struct json root;

    if (!file_read(mem, path, (size_t)c->limits.config_bytes, &text, e))
        return !must && e->code == ERR_NOT_FOUND;
    if (!toml_read(mem, text, path, CONFIG_DEPTH, &root, e) || !apply(mem, root, c, e))
        return false;
    c->files[c->file_count++] = path;
    return true;
}

bool config_load(struct arena *mem, const struct root *root, const char *chosen, struct config *c,
                 struct err *e)
{
    const char *user = root_user_config(mem);
    struct config fresh;

    config_preset(&fresh);
    if (chosen) {
        if (!load_file(mem, chosen, true, &fresh, e))
            return false;
    } else {
        const char *own = arena_printf(mem, "%s/trefoil.toml", root->path).p;

        if ((user && !load_file(mem, user, false, &fresh, e)) ||
            !load_file(mem, own, false, &fresh, e))
            return false;
    }
    *c = fresh;
    return true;
}
