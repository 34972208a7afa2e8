/*
 * servers_add.c - the arguments of `trefoil servers add`.
 *
 *   servers add NAME URL           a server that is reached over HTTP
 *   servers add NAME -- COMMAND    a server that trefoil starts
 *
 * A word with a scheme (http://, ws://) is a URL and never the name of a program, so a URL that is
 * not accepted is an error instead of a command that cannot be found later.
 */
#include "app/servers.h"
#include "config/server_edit.h"

/* ---- the URL ------------------------------------------------------------------------------- */

static bool is_scheme_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("+.-", c));
}

/* Return the scheme of a URL, such as "https"; empty if the word is not a URL. */
static struct str scheme_of(const char *word)
{
    ptrdiff_t end = str_find(str_of(word), STR("://"));
    struct str scheme = str_head(str_of(word), end < 0 ? 0 : (size_t)end);

    for (size_t i = 0; i < scheme.n; i++)
        if (!is_scheme_char(scheme.p[i]))
            return STR("");
    return scheme;
}

/*
 * Does the word look like HOST:PORT or HOST:PORT/PATH, which is most likely a URL without its
 * scheme?
 */
static bool is_address(const char *word)
{
    struct str rest = str_of(word), host = str_cut(&rest, ':'), port = str_cut(&rest, '/');
    uint64_t n;

    for (size_t i = 0; i < host.n; i++)
        if (!is_scheme_char(host.p[i]))
            return false;
    return host.n && port.p && str_uint(port, 1, 65535, &n);
}

static bool check_url(const char *url, struct err *e)
{
    struct str scheme = scheme_of(url);

    if (str_eq_nocase(scheme, STR("http")) || str_eq_nocase(scheme, STR("https")))
        return true;
    if (scheme.n)
        return fail(e, ERR_INVALID,
                    STR_FMT ":// is not supported; use an http:// or https:// URL, or a command",
                    STR_ARG(str_head(scheme, 20)));
    return fail(e, ERR_INVALID, "\"%.60s\" is not a URL; did you mean \"http://%.60s\"?", url, url);
}

/* ---- options ------------------------------------------------------------------------------- */

/* Parse NAME=VALUE, or NAME alone, which passes on the user's variable. */
static bool split_env(const char *text, struct server_pair *out, struct err *e)
{
    struct str rest = str_of(text);

    out->name = str_cut(&rest, '=');
    out->value = rest;
    return out->name.n || fail(e, ERR_INVALID, "--env needs NAME=VALUE or NAME");
}

/* Parse "Name: value". */
static bool split_header(const char *text, struct server_pair *out, struct err *e)
{
    struct str rest = str_of(text);

    out->name = str_trim(str_cut(&rest, ':'));
    out->value = str_trim(rest);
    return (out->name.n && rest.p) || fail(e, ERR_INVALID, "--header needs \"Name: value\"");
}

static bool split_all(struct arena *mem, const struct option_list *list,
                      bool (*split)(const char *, struct server_pair *, struct err *),
                      const struct server_pair **out, struct err *e)
{
    struct server_pair *p = ARENA_ARRAY(mem, struct server_pair, list->n);

    for (size_t i = 0; i < list->n; i++)
        if (!split(list->v[i], &p[i], e))
            return false;
    *out = p;
    return true;
}

/* Get the transport to write into the entry. *out is NULL if trefoil detects the transport. */
static bool read_transport(const char *name, bool url, const char **out, struct err *e)
{
    enum server_transport t;

    *out = NULL;
    if (!name || (url && str_eq(str_of(name), STR("auto"))))
        return true;
    if (!server_transport_named(str_of(name), &t) || url == (t == SERVER_STDIO))
        return fail(e, ERR_INVALID, "--transport %.40s: expected %s", name,
                    url ? "auto, http or sse for a URL" : "stdio for a command");
    *out = url ? server_transport_name(t) : NULL;
    return true;
}

/* ---- words --------------------------------------------------------------------------------- */

static bool check_options(const struct servers_args *a, const struct server_new *n, struct err *e)
{
    if (n->url && a->env.n)
        return fail(e, ERR_INVALID, "--env can be used only with a command, not with a URL");
    if (!n->url && a->header.n)
        return fail(e, ERR_INVALID, "--header can be used only with a URL, not with a command");
    return !n->url || check_url(n->url, e);
}

/* Decide which of the words are the URL or the command. */
static bool read_words(const struct servers_args *a, int words, char **word, struct server_new *n,
                       struct err *e)
{
    bool by_word = words > 1 && scheme_of(word[1]).n;

    n->url = a->url ? a->url : by_word ? word[1] : NULL;
    if (n->url && words > 1 + (n->url != a->url))
        return fail(e, ERR_INVALID, "unexpected argument \"%.40s\" after the URL",
                    word[1 + (n->url != a->url)]);
    if (!n->url && words == 1)
        return fail(e, ERR_INVALID, "the server \"%s\" needs a URL or a command", n->name);
    if (!n->url && words == 2 && is_address(word[1]))
        return check_url(word[1], e);
    if (!n->url)
        n->argv = (const char *const *)(word + 1);
    return true;
}

bool servers_read_new(struct arena *mem, const struct servers_args *a, int words, char **word,
                      struct server_new *out, struct err *e)
{
    struct server_new n = { .name = word[0], .envs = a->env.n, .headers = a->header.n };

    if (!server_name_check(str_of(n.name), e) || !read_words(a, words, word, &n, e) ||
        !check_options(a, &n, e) || !read_transport(a->transport, n.url, &n.transport, e) ||
        !split_all(mem, &a->env, split_env, &n.env, e) ||
        !split_all(mem, &a->header, split_header, &n.header, e))
        return false;
    *out = n;
    return true;
}
