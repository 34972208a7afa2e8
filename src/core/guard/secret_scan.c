/*
 * secret_scan.c - each byte that may begin a secret leads to the rules for it.
 *
 * A token begins with a prefix of its service, at the beginning of a word. A rule looks at most
 * TOKEN_MOST bytes ahead or NAME_MOST bytes back, so the time is linear.
 */
#include "core/guard/secret_scan.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <string.h>
#include <strings.h>

enum { TOKEN_MOST = 512, VALUE_MOST = 64, NAME_MOST = 40, BODY_LOOK = 200, BODY_RUN = 32 };

/* ---- characters ----------------------------------------------------------------------------- */

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c);
}

static bool is_capital(char c)
{
    return is_upper(c) || is_digit(c);
}

static bool is_word(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

static bool is_dotted(char c)
{
    return is_word(c) || c == '.';
}

static size_t run_of(struct str s, bool (*is)(char c), size_t most)
{
    size_t n = 0;

    while (n < s.n && n < most && is(s.p[n]))
        n++;
    return n;
}

/* Upper case, lower case and digits: words and names rarely have all three in one piece. */
static bool is_mixed(struct str s)
{
    bool lower = false, upper = false, digit = false;

    for (size_t i = 0; i < s.n; i++) {
        lower |= is_lower(s.p[i]);
        upper |= is_upper(s.p[i]);
        digit |= is_digit(s.p[i]);
    }
    return lower && upper && digit;
}

/* ---- tokens with a prefix ------------------------------------------------------------------- */

static const struct token_shape {
    struct str prefix;
    const char *kind;
    bool (*is)(char c);
    size_t least, most; /* characters after the prefix */
    bool mixed;         /* with upper case, lower case and digits */
} shapes[] = {
    { STR("AKIA"), "an AWS access key", is_capital, 16, 16, false },
    { STR("ASIA"), "an AWS access key", is_capital, 16, 16, false },
    { STR("AIza"), "a Google API key", is_word, 35, 35, true },
    { STR("ya29."), "a Google access token", is_word, 30, TOKEN_MOST, true },
    { STR("GOCSPX-"), "a Google client secret", is_word, 20, 40, true },
    { STR("github_pat_"), "a GitHub token", is_word, 50, 100, true },
    { STR("ghp_"), "a GitHub token", is_alnum, 36, 255, true },
    { STR("gho_"), "a GitHub token", is_alnum, 36, 255, true },
    { STR("ghu_"), "a GitHub token", is_alnum, 36, 255, true },
    { STR("ghs_"), "a GitHub token", is_alnum, 36, 255, true },
    { STR("ghr_"), "a GitHub token", is_alnum, 36, 255, true },
    { STR("glpat-"), "a GitLab token", is_word, 20, 64, true },
    { STR("xoxa-"), "a Slack token", is_word, 20, 255, false },
    { STR("xoxb-"), "a Slack token", is_word, 20, 255, false },
    { STR("xoxp-"), "a Slack token", is_word, 20, 255, false },
    { STR("xoxr-"), "a Slack token", is_word, 20, 255, false },
    { STR("xoxs-"), "a Slack token", is_word, 20, 255, false },
    { STR("xapp-"), "a Slack token", is_word, 20, 255, true },
    { STR("sk-ant-"), "an Anthropic API key", is_word, 20, TOKEN_MOST, true },
    { STR("sk-"), "an OpenAI API key", is_word, 20, TOKEN_MOST, true },
    { STR("sk_live_"), "a Stripe key", is_alnum, 24, 255, true },
};

static bool is_example(struct str token)
{
    return str_ends(token, STR("EXAMPLE"));
}

static bool has_digit(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (is_digit(s.p[i]))
            return true;
    return false;
}

static bool fits_shape(const struct token_shape *s, struct str text, struct secret_match *out)
{
    struct str rest, body;
    size_t n;

    if (!str_starts(text, s->prefix))
        return false;
    rest = str_skip(text, s->prefix.n);
    n = run_of(rest, s->is, s->most + 1);
    body = str_head(rest, n);
    if (n < s->least || n > s->most || (s->mixed ? !is_mixed(body) : !has_digit(body)) ||
        is_example(body))
        return false;
    *out = (struct secret_match){ s->kind, 0, s->prefix.n + n };
    return true;
}

/* ---- other shapes --------------------------------------------------------------------------- */

static bool is_jwt(struct str text, struct secret_match *out)
{
    struct str rest = str_head(text, 8 * TOKEN_MOST);
    size_t n = 0;

    for (int part = 0; part < 3; part++) {
        size_t run = run_of(str_skip(rest, n), is_word, rest.n);

        if (run < 10 || (part < 2 && !str_starts(str_skip(rest, n), STR("eyJ"))))
            return false;
        n += run;
        if (part < 2 && (n >= rest.n || rest.p[n++] != '.'))
            return false;
    }
    *out = (struct secret_match){ "a JSON web token", 0, n };
    return true;
}

/* A line of base64 follows soon: a program that handles keys has only the first line. */
static bool has_key_body(struct str text)
{
    size_t run = 0;

    for (size_t i = 0; i < text.n && i < BODY_LOOK && run < BODY_RUN; i++)
        run = is_alnum(text.p[i]) || text.p[i] == '+' || text.p[i] == '/' ? run + 1 : 0;
    return run >= BODY_RUN;
}

static bool is_private_key(struct str text, struct secret_match *out)
{
    static const struct str begin = STR("-----BEGIN "), last = STR("-----END");
    ptrdiff_t name, end;

    if (!str_starts(text, begin))
        return false;
    name = str_find(str_head(text, 80), STR("PRIVATE KEY"));
    if (name < 0 || !has_key_body(str_skip(text, (size_t)name + 11)))
        return false;
    end = str_find(str_head(text, 1 << 14), last);
    *out = (struct secret_match){ "a private key", 0,
                                  end < 0 ? str_head(text, 1 << 14).n : (size_t)end + last.n };
    return true;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Is the value too random for a name or a word? */
static bool is_random(struct str s)
{
    unsigned char seen[256] = { 0 };
    size_t distinct = 0, kinds;
    bool lower = false, upper = false, digit = false, other = false;

    for (size_t i = 0; i < s.n; i++) {
        distinct += !seen[(unsigned char)s.p[i]]++;
        lower |= is_lower(s.p[i]);
        upper |= is_upper(s.p[i]);
        digit |= is_digit(s.p[i]);
        other |= !is_alnum(s.p[i]) && s.p[i] != '.' && s.p[i] != '_';
    }
    kinds = (size_t)lower + upper + digit + other;
    return s.n >= 8 && distinct >= 7 && digit && (lower || upper) &&
           (kinds >= 3 || (s.n >= 20 && distinct >= 10));
}

static bool ends_value(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'`\\<>()[]{},;&", c);
}

/* $NAME, {name}, <name>, env:NAME and calls are no values. */
static bool is_reference(struct str rest, struct str value)
{
    static const struct str begins[] = { STR("$"),      STR("%"),     STR("*"),
                                         STR("env:"),   STR("file:"), STR("http:"),
                                         STR("https:"), STR("/"),     STR("sha") };

    for (size_t i = 0; i < ARRAY_LEN(begins); i++)
        if (str_starts(value, begins[i]))
            return true;
    return rest.n > value.n && strchr("([{<", rest.p[value.n]);
}

/* A path of names, such as request.headers2.Auth: names begin with letters and have few digits. */
static bool is_path(struct str value)
{
    size_t digits = 0;

    if (str_find_byte(value, '.') <= 0 || run_of(value, is_dotted, value.n) != value.n)
        return false;
    for (size_t i = 0; i < value.n; i++)
        digits += is_digit(value.p[i]);
    while (value.n)
        if (run_of(str_cut(&value, '.'), is_digit, 1))
            return false;
    return digits <= 2;
}

static struct str value_at(struct str rest)
{
    size_t n = 0;

    while (n < rest.n && n < VALUE_MOST && !ends_value(rest.p[n]))
        n++;
    return str_head(rest, n);
}

/* ---- assignments ---------------------------------------------------------------------------- */

static const struct str names[] = {
    STR("password"),    STR("passwd"),    STR("passphrase"),  STR("pwd"),
    STR("secret"),      STR("secretkey"), STR("apikey"),      STR("accesskey"),
    STR("privatekey"),  STR("authtoken"), STR("accesstoken"), STR("refreshtoken"),
    STR("bearertoken"), STR("apitoken"),  STR("bottoken"),
};

/* The name in front of position `at`, in lower case and without - and _. */
static struct str name_before(struct str text, size_t at, char out[NAME_MOST])
{
    size_t n = NAME_MOST, seen = 0;

    while (at > 0 && strchr(" \"'\\", text.p[at - 1]) && seen++ < 4)
        at--;
    while (at > 0 && n > 0 && is_word(text.p[at - 1])) {
        char c = text.p[--at];

        if (is_alnum(c))
            out[--n] = is_upper(c) ? (char)(c + 32) : c;
    }
    return (struct str){ out + n, NAME_MOST - n };
}

static bool is_secret_name(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_ends(name, names[i]))
            return true;
    return str_eq(name, STR("token"));
}

/* text.p[at] is = or : */
static bool is_assigned(struct str text, size_t at, struct secret_match *out)
{
    char space[NAME_MOST];
    struct str rest = str_skip(text, at + 1), value;
    size_t skip = 0;

    if (!is_secret_name(name_before(text, at, space)))
        return false;
    while (skip < 4 && skip < rest.n && strchr(" \"'\\=", rest.p[skip]))
        skip++;
    value = value_at(str_skip(rest, skip));
    if (!is_random(value) || is_reference(str_skip(rest, skip), value) || is_path(value))
        return false;
    *out = (struct secret_match){ "a password or token", at + 1 + skip, value.n };
    return true;
}

/* "Bearer" and a token. */
static bool is_bearer(struct str text, struct secret_match *out)
{
    struct str value;

    if (text.n < 8 || strncasecmp(text.p, "bearer ", 7) != 0)
        return false;
    value = value_at(str_skip(text, 7));
    if (value.n < 20 || !is_random(value) || is_path(value))
        return false;
    *out = (struct secret_match){ "a bearer token", 7, value.n };
    return true;
}

/* text.p[at] is the : of ://USER:PASSWORD@HOST */
static bool is_url_password(struct str text, size_t at, struct secret_match *out)
{
    struct str rest = str_skip(text, at);
    size_t n = 3, colon = 0;

    if (!str_starts(rest, STR("://")))
        return false;
    for (; n < rest.n && n < 3 + 2 * VALUE_MOST && rest.p[n] != '@'; n++) {
        if (rest.p[n] == '/' || ends_value(rest.p[n]))
            return false;
        if (rest.p[n] == ':' && !colon)
            colon = n;
    }
    if (n >= rest.n || rest.p[n] != '@' || !colon ||
        !is_random((struct str){ rest.p + colon + 1, n - colon - 1 }))
        return false;
    *out = (struct secret_match){ "a password in a URL", at + colon + 1, n - colon - 1 };
    return true;
}

/* ---- scanning ------------------------------------------------------------------------------- */

enum trigger { T_NONE, T_SHAPE, T_JWT, T_KEY, T_ASSIGN, T_BEARER };

static const unsigned char triggers[256] = {
    ['A'] = T_SHAPE,  ['y'] = T_SHAPE,  ['G'] = T_SHAPE,  ['g'] = T_SHAPE,
    ['x'] = T_SHAPE,  ['s'] = T_SHAPE,  ['e'] = T_JWT,    ['-'] = T_KEY,
    ['='] = T_ASSIGN, [':'] = T_ASSIGN, ['b'] = T_BEARER, ['B'] = T_BEARER,
};

static bool any_shape(struct str rest, struct secret_match *out)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (rest.p[0] == shapes[i].prefix.p[0] && fits_shape(&shapes[i], rest, out))
            return true;
    return false;
}

/* Does a secret begin here? *out is relative to `at`, except for the two that look back. */
static bool begins_here(struct str text, size_t at, struct secret_match *out)
{
    struct str rest = str_skip(text, at);
    bool word = at == 0 || !is_word(text.p[at - 1]);
    bool found = false;

    switch ((enum trigger)triggers[(unsigned char)text.p[at]]) {
    case T_NONE: return false;
    case T_SHAPE: found = word && any_shape(rest, out); break;
    case T_JWT: found = word && str_starts(rest, STR("eyJ")) && is_jwt(rest, out); break;
    case T_KEY: found = is_private_key(rest, out); break;
    case T_BEARER: found = word && is_bearer(rest, out); break;
    case T_ASSIGN: return is_assigned(text, at, out) || is_url_password(text, at, out);
    }
    out->at += found ? at : 0;
    return found;
}

bool secret_find(struct str text, size_t from, struct secret_match *out)
{
    for (size_t i = from; i < text.n; i++)
        if (triggers[(unsigned char)text.p[i]] && begins_here(text, i, out))
            return true;
    return false;
}

struct str secret_redact(struct arena *mem, struct str text)
{
    struct secret_match m;
    struct buf out;
    size_t at = 0;

    if (!secret_find(text, 0, &m))
        return text;
    buf_init_in(&out, mem, SIZE_MAX / 2);
    do {
        buf_put(&out, str_head(str_skip(text, at), m.at - at));
        buf_printf(&out, "[%s]", m.kind);
        at = m.at + m.n;
    } while (secret_find(text, at, &m));
    buf_put(&out, str_skip(text, at));
    return buf_str(&out);
}

/* ---- escapes -------------------------------------------------------------------------------- */

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits; -1: there are none. */
static int32_t hex4(struct str s)
{
    int32_t value = 0;

    if (s.n < 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_value(s.p[i]);

        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Decode the escape after a backslash into `out`. Returns the number of bytes read. */
static size_t decode_escape(struct str rest, struct buf *out)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    const char *known = strchr(from, rest.p[0]);
    int32_t code = rest.p[0] == 'u' ? hex4(str_skip(rest, 1)) : -1;
    char utf8[4];

    if (code >= 0) {
        bool half = code >= 0xd800 && code < 0xe000; /* such characters are in no secret */

        buf_put(out, (struct str){ utf8, half ? 0 : utf8_encode((uint32_t)code, utf8) });
        return 5;
    }
    buf_putc(out, known && rest.p[0] ? to[known - from] : rest.p[0]);
    return 1;
}

struct str secret_decode(struct arena *mem, struct str json)
{
    struct buf out;

    if (str_find_byte(json, '\\') < 0)
        return json;
    buf_init_in(&out, mem, json.n);
    while (json.n) {
        ptrdiff_t at = str_find_byte(json, '\\');
        size_t n = at < 0 ? json.n : (size_t)at;

        buf_put(&out, str_head(json, n));
        json = str_skip(json, n + (at >= 0));
        if (at >= 0 && json.n)
            json = str_skip(json, decode_escape(json, &out));
    }
    return buf_str(&out);
}
