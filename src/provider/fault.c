#include "provider/fault.h"

#include "base/auto.h"
#include "wire/http.h"

#include <time.h>

enum { SECRET_LEAST = 6, TOLD_MOST = 150 };

struct verdict {
    enum err_code code;
    bool again, context;
    const char *advice;
};

#define CHECK_KEY "; check the key"
#define CHECK_MODEL "; check base_url and the name of the model"

static const struct {
    const char *word;
    struct verdict v;
} words[] = {
    /* OpenAI and compatible servers */
    { "context_length_exceeded", { ERR_LIMIT, false, true, "" } },
    { "exceed_context_size_error", { ERR_LIMIT, false, true, "" } },
    { "insufficient_quota", { ERR_DENIED, false, false, "" } },
    { "invalid_api_key", { ERR_DENIED, false, false, CHECK_KEY } },
    { "model_not_found", { ERR_NOT_FOUND, false, false, CHECK_MODEL } },
    { "rate_limit_exceeded", { ERR_DENIED, true, false, "" } },
    { "server_error", { ERR_CLOSED, true, false, "" } },
    /* Anthropic */
    { "overloaded_error", { ERR_CLOSED, true, false, "" } },
    { "rate_limit_error", { ERR_DENIED, true, false, "" } },
    { "api_error", { ERR_CLOSED, true, false, "" } },
    { "timeout_error", { ERR_TIMEOUT, true, false, "" } },
    { "authentication_error", { ERR_DENIED, false, false, CHECK_KEY } },
    { "permission_error", { ERR_DENIED, false, false, CHECK_KEY } },
    { "billing_error", { ERR_DENIED, false, false, "" } },
    { "not_found_error", { ERR_NOT_FOUND, false, false, CHECK_MODEL } },
    { "request_too_large", { ERR_LIMIT, false, false, "" } },
    { "invalid_request_error", { ERR_INVALID, false, false, "" } },
    /* Gemini */
    { "RESOURCE_EXHAUSTED", { ERR_DENIED, true, false, "" } },
    { "UNAVAILABLE", { ERR_CLOSED, true, false, "" } },
    { "INTERNAL", { ERR_CLOSED, true, false, "" } },
    { "DEADLINE_EXCEEDED", { ERR_TIMEOUT, true, false, "" } },
    { "UNAUTHENTICATED", { ERR_DENIED, false, false, CHECK_KEY } },
    { "PERMISSION_DENIED", { ERR_DENIED, false, false, CHECK_KEY } },
    { "INVALID_ARGUMENT", { ERR_INVALID, false, false, "" } },
    { "NOT_FOUND", { ERR_NOT_FOUND, false, false, CHECK_MODEL } },
};

static const struct {
    int from, to;
    struct verdict v;
} statuses[] = {
    { 401, 401, { ERR_DENIED, false, false, CHECK_KEY } },
    { 402, 402, { ERR_DENIED, false, false, "" } },
    { 403, 403, { ERR_DENIED, false, false, CHECK_KEY } },
    { 404, 404, { ERR_NOT_FOUND, false, false, CHECK_MODEL } },
    { 408, 408, { ERR_TIMEOUT, true, false, "" } },
    { 413, 413, { ERR_LIMIT, false, false, "" } },
    { 429, 429, { ERR_DENIED, true, false, "" } },
    { 504, 504, { ERR_TIMEOUT, true, false, "" } },
    { 500, 599, { ERR_CLOSED, true, false, "" } },
    { 300, 499, { ERR_INVALID, false, false, "" } },
};

/* Some providers report only in the text that a conversation is too long. */
static const char *const too_long[] = {
    "prompt is too long",
    "input token count",
    "maximum context length",
    "exceeds the available context size",
};

/* ---- texts for people ----------------------------------------------------------------------- */

static void fault_hide(char *text, struct str secret)
{
    char *at = text;

    if (secret.n < SECRET_LEAST)
        return;
    while ((at = memmem(at, strlen(at), secret.p, secret.n)))
        memset(at, '*', secret.n);
}

/* One line of the provider's message, truncated and without secrets. */
static const char *shown(struct arena *mem, const struct provider_spec *s, struct str words_in)
{
    char *text = arena_cstr(mem, words_in);

    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    fault_hide(text, s->key);
    for (size_t i = 0; i < s->headers; i++)
        fault_hide(text, s->header[i].value);
    if (strlen(text) > TOLD_MOST) {
        size_t n = TOLD_MOST;

        while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* not inside a character */
            n--;
        memcpy(text + n, "...", 4);
    }
    return text;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static const struct verdict *by_word(struct str word)
{
    for (size_t i = 0; word.n && i < ARRAY_LEN(words); i++)
        if (str_eq(word, str_of(words[i].word)))
            return &words[i].v;
    return NULL;
}

static const struct verdict *by_status(int64_t status)
{
    for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
        if (status >= statuses[i].from && status <= statuses[i].to)
            return &statuses[i].v;
    return NULL;
}

static bool says_too_long(struct str message)
{
    for (size_t i = 0; i < ARRAY_LEN(too_long); i++)
        if (str_find(message, str_of(too_long[i])) >= 0)
            return true;
    return false;
}

/* {"error":{...}}, {"error":"..."}, or one in an array. */
static struct json error_in(struct json root)
{
    if (json_type(root) == JSON_ARRAY)
        root = json_first(root);
    return json_get(root, STR("error"));
}

static struct str message_in(struct arena *mem, struct json error)
{
    struct str text = json_str(mem, json_get(error, STR("message")));

    return text.p ? text : json_str(mem, error);
}

/* Gemini says in a detail how long to wait: "retryDelay": "12s". */
static int64_t delay_in(struct arena *mem, struct json error)
{
    JSON_EACH(d, json_get(error, STR("details")))
    {
        struct str text = json_str(mem, json_get(d, STR("retryDelay")));
        struct str whole = text.p ? str_cut(&text, 's') : STR_NONE;
        uint64_t s;

        if (str_uint(whole.p ? str_cut(&whole, '.') : whole, 0, INT32_MAX, &s))
            return (int64_t)s * 1000;
    }
    return -1;
}

static const struct verdict *judge(struct arena *mem, struct json error, int status)
{
    static const struct verdict unknown = { ERR_CLOSED, false, false, "" };
    static const char *const where[] = { "code", "type", "status" };
    const struct verdict *v = NULL;
    int64_t code = 0;

    for (size_t i = 0; i < ARRAY_LEN(where) && !v; i++)
        v = by_word(json_str(mem, json_get(error, str_of(where[i]))));
    if (!v && !status && json_int(json_get(error, STR("code")), &code))
        v = by_status(code);
    if (!v)
        v = by_status(status);
    return v ? v : &unknown;
}

static void fault_describe(struct fault *f, const struct provider_spec *s, int status,
                           const char *said, const char *advice)
{
    const char *name = status ? http_status_text(status) : "";

    if (status)
        fail(&f->err, f->err.code, "%s answered %d%s%s%s%s%s", s->name, status,
             strcmp(name, "Unknown") ? " " : "", strcmp(name, "Unknown") ? name : "",
             *said ? ": " : "", said, advice);
    else
        fail(&f->err, f->err.code, "%s ended the answer early: %s%s", s->name,
             *said ? said : "an error", advice);
}

static void judged(struct fault *f, const struct provider_spec *s, struct arena *mem, int status,
                   struct json error, struct str message)
{
    const struct verdict *v = judge(mem, error, status);

    f->err.code = v->code;
    f->again = v->again;
    f->context = v->context || (v->code == ERR_INVALID && says_too_long(message));
    f->after_ms = delay_in(mem, error);
    fault_describe(f, s, status, shown(mem, s, message), v->advice);
}

void fault_status(struct fault *f, const struct provider_spec *s, int status, struct str body)
{
    const struct json_opts opts = { .max_depth = 32, .max_values = 10000 };
    struct json root = { 0 };
    AUTO_ARENA mem = { 0 };
    struct str text = str_trim(body);
    struct err e;

    if (json_read(&mem, text, &opts, &root, &e))
        text = message_in(&mem, error_in(root));
    else if (str_starts(text, STR("<"))) /* an HTML page */
        text = STR_NONE;
    judged(f, s, &mem, status, error_in(root), text.p ? text : STR(""));
}

bool fault_event(struct fault *f, const struct provider_spec *s, struct arena *mem,
                 struct json data)
{
    struct json error = error_in(data);
    enum json_type t = json_type(error);

    if (json_is(json_get(data, STR("type")), STR("response.failed")))
        error = json_get(json_get(data, STR("response")), STR("error"));
    else if (json_is(json_get(data, STR("type")), STR("error")) && t == JSON_MISSING)
        error = data; /* the form of the Responses API */
    else if (t != JSON_OBJECT && t != JSON_STRING)
        return false;
    judged(f, s, mem, 0, error, message_in(mem, error));
    return true;
}

void fault_transport(struct fault *f, const struct provider_spec *s, const struct err *e)
{
    *f = (struct fault){ .err = *e, .after_ms = -1 };
    f->again = e->code == ERR_CLOSED || e->code == ERR_TIMEOUT;
    fail_in(&f->err, "%s", s->name);
}

/* ---- when to retry -------------------------------------------------------------------------- */

static int64_t until_date(struct str text, int64_t wall_ms)
{
    struct tm tm = { 0 };
    char z[HTTP_DATE];
    int64_t at;

    if (!str_to_c(text, z, sizeof(z)) || !strptime(z, "%a, %d %b %Y %H:%M:%S GMT", &tm))
        return -1;
    at = (int64_t)timegm(&tm) * 1000;
    return at > wall_ms ? at - wall_ms : 0;
}

int64_t fault_retry_after(struct str after, struct str after_ms, int64_t wall_ms)
{
    uint64_t n;

    if (after_ms.p && str_uint(str_trim(after_ms), 0, INT32_MAX, &n))
        return (int64_t)n;
    if (!after.p)
        return -1;
    if (str_uint(str_trim(after), 0, INT32_MAX, &n))
        return (int64_t)n * 1000;
    return until_date(str_trim(after), wall_ms);
}
