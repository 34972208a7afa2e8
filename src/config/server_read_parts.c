#include "config/server_read_parts.h"

#include "base/display.h"
#include "base/utf8.h"
#include "config/config_values.h"
#include "core/tool/tool.h"
#include "wire/address.h"

#include <stdio.h>

enum { SHOWN_MOST = 4096 }; /* of a command line or URL, for people; the rest is cut */

/* Put the place in front of a sentence that has none. */
static bool fail_at(struct json v, struct err *e)
{
    enum err_code code = e->code;
    char what[sizeof(e->text)];

    snprintf(what, sizeof(what), "%s", e->text);
    json_fail(v, e, "%s", what);
    e->code = code;
    return false;
}

/* ---- strings ---------------------------------------------------------------------------- */

static bool plain_string(const struct server_reader *r, struct json v, struct str *out,
                         struct err *e)
{
    struct str s = json_str(r->mem, v);

    if (json_type(v) != JSON_STRING)
        return json_fail(v, e, "expected a string, found %s", json_type_name(json_type(v)));
    if (memchr(s.p, 0, s.n))
        return json_fail(v, e, "the string contains a NUL byte");
    *out = s;
    return true;
}

bool server_text(const struct server_reader *r, struct json v, struct str *out, struct err *e)
{
    struct str s;

    if (!plain_string(r, v, &s, e))
        return false;
    if (r->shape == SHAPE_FOREIGN && !value_expand(r->mem, s, r->root, &s, e))
        return fail_at(v, e);
    *out = s;
    return true;
}

/* The folder of the file that contains this value. */
static const char *folder_of(const struct server_reader *r, struct json v)
{
    const char *file = v.doc->file, *slash = file ? strrchr(file, '/') : NULL;

    return slash ? arena_cstr(r->mem, str_head(str_of(file), (size_t)(slash - file))) : r->root;
}

/* The value that the text of a variable or header refers to: in our own files it may refer to a
 * secret. */
static bool resolve_text(const struct server_reader *r, struct json at, struct str text,
                         struct str *out, struct err *e)
{
    if (r->shape == SHAPE_NATIVE &&
        !value_resolve(r->mem, text, folder_of(r, at), (size_t)r->limits->config_bytes, &text, e))
        return fail_at(at, e);
    if (memchr(text.p, 0, text.n))
        return json_fail(at, e, "the expanded value contains a NUL byte");
    *out = text;
    return true;
}

/* The value of a variable or header: may be a secret, or refer to one. */
static bool secret_text(const struct server_reader *r, struct json v, struct str *out,
                        struct err *e)
{
    struct str s;

    if (r->shape == SHAPE_FOREIGN && json_type(v) != JSON_STRING && json_type(v) <= JSON_NUMBER &&
        json_type(v) >= JSON_BOOL) {
        *out = json_raw(v); /* others write numbers and booleans here, and mean their text */
        return true;
    }
    return server_text(r, v, &s, e) && resolve_text(r, v, s, out, e);
}

/* A secret in the file itself: s is the text of its value. */
static void note_literal(const struct server_reader *r, struct json v, struct str name,
                         struct str s)
{
    if (r->shape == SHAPE_ACP || !s.n || !names_secret(name) ||
        (r->shape == SHAPE_NATIVE ? value_is_reference(s) : str_find(s, STR("${")) >= 0))
        return;
    note(r->mem, r->notes, LOG_INFO, STR_FMT ": the secret " STR_FMT " is stored in the file; %s",
         STR_ARG(json_where(r->mem, v)), STR_ARG(shown_text(r->mem, utf8_head(name, 64))),
         r->shape == SHAPE_NATIVE ? "write env:NAME or file:PATH instead"
                                  : "write ${NAME} instead");
}

bool server_secret(const struct server_reader *r, struct str name, struct json v, struct str *out,
                   struct err *e)
{
    if (!secret_text(r, v, out, e))
        return false;
    note_literal(r, v, name, json_str(r->mem, v));
    return true;
}

/* ---- the command ------------------------------------------------------------------------ */

/* Does a path have a part that is exactly ".."? */
static bool goes_up(struct str path)
{
    while (path.p)
        if (str_eq(str_cut(&path, '/'), STR("..")))
            return true;
    return false;
}

struct argv_build {
    const char **v;
    size_t n;
    struct buf shown;
    bool mask_next; /* the value of an option that names a secret */
};

static bool add_word(const struct server_reader *r, struct argv_build *b, struct json v,
                     struct err *e)
{
    struct str s, written = json_str(r->mem, v);

    if (!server_text(r, v, &s, e))
        return false;
    b->v[b->n++] = arena_cstr(r->mem, s);
    if (b->n > 1)
        buf_putc(&b->shown, ' ');
    if (b->mask_next && !str_starts(written, STR("-")) && !str_starts(written, STR("$")))
        buf_put(&b->shown, STR("***"));
    else
        show_word(&b->shown, written);
    b->mask_next =
        str_starts(written, STR("-")) && str_find_byte(written, '=') < 0 && names_secret(written);
    return true;
}

static bool add_words(const struct server_reader *r, struct argv_build *b, struct json list,
                      struct err *e)
{
    if (json_type(list) != JSON_ARRAY)
        return json_fail(list, e, "expected an array of strings, found %s",
                         json_type_name(json_type(list)));
    JSON_EACH(item, list)
    if (!add_word(r, b, item, e))
        return false;
    return true;
}

static bool check_program(struct json command, const struct argv_build *b, struct err *e)
{
    if (!b->n || !b->v[0][0])
        return json_fail(
            command, e,
            "no program given; expected \"PROGRAM\" or [\"PROGRAM\", \"ARGUMENT\", ...]");
    if (goes_up(str_of(b->v[0])))
        return json_fail(command, e,
                         "the path of a program must not contain ..; use an absolute path, or a "
                         "name that is in PATH");
    return true;
}

bool server_argv(const struct server_reader *r, struct json command, struct json args,
                 struct server_spec *out, struct err *e)
{
    struct argv_build b = { 0 };
    bool one = json_type(command) == JSON_STRING;

    b.v = ARENA_ARRAY(r->mem, const char *, json_count(command) + json_count(args) + 2);
    buf_init_in(&b.shown, r->mem, SHOWN_MOST);
    if (one ? !add_word(r, &b, command, e) : !add_words(r, &b, command, e))
        return false;
    if (!check_program(command, &b, e))
        return false;
    if (json_here(args) && !add_words(r, &b, args, e))
        return false;
    if (b.shown.full)
        buf_put(&b.shown, STR("..."));
    out->argv = b.v;
    out->shown = arena_str(r->mem, buf_str(&b.shown));
    return true;
}

/* ---- env and headers -------------------------------------------------------------------- */

struct pair_build {
    struct server_pair *v;
    size_t n;
    struct str *pass; /* names alone; NULL: these are headers, which have none */
    size_t passes;
};

typedef bool check_pair_fn(struct json at, struct str name, struct str value, struct err *e);

static bool check_variable(struct json at, struct str name, struct str value, struct err *e)
{
    (void)value;
    if (!name.n || str_find_byte(name, '=') >= 0 || memchr(name.p, 0, name.n))
        return json_fail(at, e, "not a variable name; a name must not be empty or contain '='");
    return true;
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
            return false;
    }
    return s.n > 0;
}

static bool check_header(struct json at, struct str name, struct str value, struct err *e)
{
    if (!is_token(name))
        return json_fail(at, e, "not a valid header name");
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7f)
            return json_fail(at, e, "the value contains a line break or another control character");
    return true;
}

static bool add_pair(const struct server_reader *r, struct pair_build *b, struct json at,
                     struct str name, struct json v, check_pair_fn *check, struct err *e)
{
    struct str value;

    if (!server_secret(r, name, v, &value, e) || !check(at, name, value, e))
        return false;
    b->v[b->n++] = (struct server_pair){ name, value };
    return true;
}

static const struct pick pair_fields[] = {
    PICK_FIELD("name", PICK_STR, struct server_pair, name, PICK_MUST),
    PICK_FIELD("value", PICK_STR, struct server_pair, value, PICK_MUST),
};

static bool add_named(const struct server_reader *r, struct pair_build *b, struct json item,
                      check_pair_fn *check, struct err *e)
{
    struct server_pair p = { 0 };
    enum pick_mode mode = r->shape == SHAPE_NATIVE ? PICK_STRICT : PICK_LENIENT;

    return pick(r->mem, item, PICK_TABLE(pair_fields), mode, &p, e) &&
           add_pair(r, b, item, p.name, json_get(item, STR("value")), check, e);
}

/* "NAME" or "NAME=value". */
static bool add_variable_text(const struct server_reader *r, struct pair_build *b, struct json item,
                              struct err *e)
{
    struct str value, name;

    if (!server_text(r, item, &value, e))
        return false;
    name = str_cut(&value, '=');
    if (!check_variable(item, name, value, e))
        return false;
    if (value.p)
        b->v[b->n++] = (struct server_pair){ name, value };
    else
        b->pass[b->passes++] = name;
    return true;
}

/* "Name: value". */
static bool add_header_text(const struct server_reader *r, struct pair_build *b, struct json item,
                            struct err *e)
{
    struct str text, name, value;

    if (!server_text(r, item, &text, e))
        return false;
    name = str_trim(str_cut(&text, ':'));
    if (!text.p)
        return json_fail(item, e, "expected \"Name: value\"");
    text = str_trim(text);
    if (!resolve_text(r, item, text, &value, e) || !check_header(item, name, value, e))
        return false;
    note_literal(r, item, name, text);
    b->v[b->n++] = (struct server_pair){ name, value };
    return true;
}

static bool add_text(const struct server_reader *r, struct pair_build *b, struct json item,
                     struct err *e)
{
    return b->pass ? add_variable_text(r, b, item, e) : add_header_text(r, b, item, e);
}

static bool add_items(const struct server_reader *r, struct pair_build *b, struct json list,
                      check_pair_fn *check, struct err *e)
{
    JSON_EACH(item, list)
    {
        bool ok = json_type(item) == JSON_STRING ? add_text(r, b, item, e)
                                                 : add_named(r, b, item, check, e);

        if (!ok)
            return false;
    }
    return true;
}

static bool add_members(const struct server_reader *r, struct pair_build *b, struct json table,
                        check_pair_fn *check, struct err *e)
{
    if (!pick_check_keys(r->mem, table, e))
        return false;
    JSON_MEMBERS(key, table)
    if (!add_pair(r, b, key, json_str(r->mem, key), json_value(key), check, e))
        return false;
    return true;
}

static bool read_pairs(const struct server_reader *r, struct json v, struct pair_build *b,
                       check_pair_fn *check, struct err *e)
{
    b->v = ARENA_ARRAY(r->mem, struct server_pair, json_count(v));
    if (json_type(v) == JSON_OBJECT)
        return add_members(r, b, v, check, e);
    if (json_type(v) == JSON_ARRAY)
        return add_items(r, b, v, check, e);
    return json_fail(v, e, "expected a table or an array, found %s", json_type_name(json_type(v)));
}

bool server_env(const struct server_reader *r, struct json env, struct server_spec *out,
                struct err *e)
{
    struct pair_build b = { .pass = ARENA_ARRAY(r->mem, struct str, json_count(env) + 1) };

    if (!read_pairs(r, env, &b, check_variable, e))
        return false;
    out->env = b.v;
    out->envs = b.n;
    out->pass = b.pass;
    out->passes = b.passes;
    return true;
}

bool server_headers(const struct server_reader *r, struct json headers, struct server_spec *out,
                    struct err *e)
{
    struct pair_build b = { 0 };

    if (!read_pairs(r, headers, &b, check_header, e))
        return false;
    out->header = b.v;
    out->headers = b.n;
    return true;
}

/* ---- the URL ---------------------------------------------------------------------------- */

/* What stands between :// and the path. */
static bool authority_of(struct str url, struct str *out)
{
    ptrdiff_t colon = str_find(url, STR("://"));
    struct str scheme = str_head(url, colon < 0 ? 0 : (size_t)colon);
    size_t n = 0;

    if (!str_eq_nocase(scheme, STR("http")) && !str_eq_nocase(scheme, STR("https")))
        return false;
    url = str_skip(url, (size_t)colon + 3);
    while (n < url.n && !strchr("/?#", url.p[n]))
        n++;
    *out = str_head(url, n);
    return true;
}

static struct str host_of(struct str authority)
{
    ptrdiff_t end;

    if (!str_starts(authority, STR("[")))
        return str_cut(&authority, ':');
    end = str_find_byte(authority, ']');
    return end < 0 ? STR_NONE : (struct str){ authority.p + 1, (size_t)end - 1 };
}

static bool is_metadata(struct str host)
{
    struct sockaddr_storage sa;

    return !http_host_allowed(host) ||
           (http_host_address(host, &sa) && address_kind_of((void *)&sa) == ADDRESS_METADATA);
}

/* The fetch reads it again with libcurl and looks at every address it resolves to. */
static bool check_url(const struct server_reader *r, struct json v, struct str url, struct err *e)
{
    struct str authority, host;

    if (url.n > (size_t)r->limits->fetch_url_bytes)
        return json_fail(v, e,
                         "%zu bytes; at most %lld are accepted (the constant fetch_url_bytes)",
                         url.n, (long long)r->limits->fetch_url_bytes);
    for (size_t i = 0; i < url.n; i++)
        if ((unsigned char)url.p[i] <= ' ' || url.p[i] == 0x7f || url.p[i] == '\\')
            return json_fail(v, e,
                             "a URL must not contain spaces, control characters or backslashes");
    if (!authority_of(url, &authority))
        return json_fail(v, e, "expected a URL that begins with http:// or https://");
    if (str_find_byte(authority, '@') >= 0)
        return json_fail(v, e, "a URL must not contain a user or password; use a header instead");
    host = host_of(authority);
    if (!host.n || str_find_byte(host, '%') >= 0)
        return json_fail(v, e, "the URL has no host");
    if (is_metadata(host))
        return json_fail(v, e,
                         "this is the address of a cloud metadata service, which is not allowed");
    return true;
}

bool server_url(const struct server_reader *r, struct json url, struct server_spec *out,
                struct err *e)
{
    struct str s, written = json_str(r->mem, url);
    ptrdiff_t query = str_find_byte(written, '?');

    if (!server_text(r, url, &s, e) || !check_url(r, url, s, e))
        return false;
    out->url = arena_cstr(r->mem, s);
    out->shown = arena_printf(
        r->mem, STR_FMT "%s",
        STR_ARG(shown_text(r->mem, query < 0 ? written : str_head(written, (size_t)query))),
        query < 0 ? "" : "?***");
    return true;
}

/* ---- overrides -------------------------------------------------------------------------- */

static const struct pick override_fields[] = {
    PICK_FIELD("hide", PICK_BOOL, struct tool_override, hide, 0),
    PICK_FIELD("rename", PICK_STR, struct tool_override, rename, 0),
    PICK_FIELD("description", PICK_STR, struct tool_override, description, 0),
    PICK_RANGE("timeout_secs", struct tool_override, timeout_secs, 0, 1, 86400),
};

bool server_overrides(const struct server_reader *r, struct json tools, struct server_spec *out,
                      struct err *e)
{
    struct tool_override *o = ARENA_ARRAY(r->mem, struct tool_override, json_count(tools));
    size_t n = 0;

    if (!pick_check_keys(r->mem, tools, e))
        return false;
    JSON_MEMBERS(key, tools)
    {
        struct json v = json_value(key);

        o[n].tool = json_str(r->mem, key);
        if (!pick(r->mem, v, PICK_TABLE(override_fields), PICK_STRICT, &o[n], e))
            return false;
        if (o[n].rename.p && !tool_name_valid(o[n].rename))
            return json_fail(json_get(v, STR("rename")), e,
                             "a name has 1 to %d characters of A-Z a-z 0-9 _ - .", TOOL_NAME_MOST);
        n++;
    }
    out->override = o;
    out->overrides = n;
    return true;
}

/* ---- toolInclude ------------------------------------------------------------------------ */

/* "agent" would leave it to a search for fitting tools: there is none, so it is "always". */
static bool read_include(struct arena *mem, struct json word, bool *manual, struct err *e)
{
    struct str s = json_str(mem, word);

    *manual = str_eq(s, STR("manual"));
    if (*manual || str_eq(s, STR("always")) || str_eq(s, STR("agent")))
        return true;
    return json_fail(word, e, "expected \"always\", \"manual\" or \"agent\"");
}

struct include {
    struct json server_default, tools;
};

static const struct pick include_fields[] = {
    PICK_FIELD("serverDefault", PICK_ANY, struct include, server_default, 0),
    PICK_FIELD("tools", PICK_OBJECT, struct include, tools, 0),
};

bool server_includes(const struct server_reader *r, struct json include, struct server_spec *out,
                     struct err *e)
{
    struct include in = { 0 };
    struct str *v;
    size_t n = 0;
    bool manual;

    if (!pick(r->mem, include, PICK_TABLE(include_fields), PICK_STRICT, &in, e) ||
        (json_here(in.server_default) &&
         !read_include(r->mem, in.server_default, &out->manual, e)) ||
        (json_here(in.tools) && !pick_check_keys(r->mem, in.tools, e)))
        return false;
    v = ARENA_ARRAY(r->mem, struct str, json_here(in.tools) ? json_count(in.tools) : 1);
    JSON_MEMBERS(key, in.tools)
    {
        if (!read_include(r->mem, json_value(key), &manual, e))
            return false;
        if (manual != out->manual)
            v[n++] = json_str(r->mem, key);
    }
    out->otherwise = (struct pick_strs){ .v = v, .n = n, .set = n > 0 };
    return true;
}
