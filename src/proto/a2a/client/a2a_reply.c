/* a2a_reply.c - read the answers of remote agents (a2a_request.h). */
#include "base/display.h"
#include "base/utf8.h"
#include "proto/a2a/client/a2a_request.h"

enum { SAID_MOST = 160 };

/* The words of the agent, safe for a terminal. */
static struct str words_of(struct arena *mem, struct json v)
{
    struct str s = json_str(mem, v);

    return s.n ? shown_text(mem, utf8_head(s, SAID_MOST)) : STR_NONE;
}

/* ErrorInfo.reason of google.rpc, in the list of details. */
static bool fault_of_details(struct json details, enum a2a_error *out)
{
    JSON_EACH(item, details)
    {
        for (size_t i = 0; i < A2A_ERRORS; i++) {
            if (!json_is(json_get(item, STR("reason")), str_of(a2a_errors[i].reason)))
                continue;
            *out = (enum a2a_error)i;
            return true;
        }
    }
    return false;
}

static enum a2a_error fault_of_status(int status)
{
    switch (status) {
    case 404: return A2A_TASK_NOT_FOUND;
    case 405: return A2A_METHOD_NOT_FOUND;
    case 400:
    case 422: return A2A_INVALID_PARAMS;
    case 415: return A2A_CONTENT_TYPE_NOT_SUPPORTED;
    case 429:
    case 502:
    case 503:
    case 504: return A2A_BUSY;
    case 500: return A2A_INTERNAL;
    default: return A2A_ERRORS;
    }
}

static enum a2a_error find_fault(struct json error, int status)
{
    enum a2a_error fault = A2A_ERRORS;
    int64_t code;

    if (fault_of_details(json_get(error, STR("details")), &fault) ||
        fault_of_details(json_get(error, STR("data")), &fault))
        return fault;
    if (json_int(json_get(error, STR("code")), &code) && a2a_error_of_code(code, &fault))
        return fault;
    return fault_of_status(status);
}

static enum err_code kind_of(enum a2a_error fault, int status)
{
    if (status == 401 || status == 403)
        return ERR_DENIED;
    return fault == A2A_ERRORS ? ERR_SYSTEM : a2a_error_kind(fault);
}

static void set_error(struct arena *mem, struct json error, int status, struct a2a_reply *out)
{
    struct str said =
        words_of(mem, json_type(error) == JSON_STRING ? error : json_get(error, STR("message")));
    enum err_code kind;

    out->fault = find_fault(error, status);
    kind = kind_of(out->fault, status);
    if (said.n)
        fail(&out->err, kind, "the agent answered: " STR_FMT, STR_ARG(said));
    else if (status >= 300)
        fail(&out->err, kind, "the agent answered with HTTP status %d", status);
    else
        fail(&out->err, kind, "the agent answered with an error");
    if (status == 401 || status == 403)
        fail_in(&out->err, "HTTP status %d; check the `auth` of the agent", status);
}

static bool check_id(struct json root, int64_t id, struct err *e)
{
    struct json got = json_get(root, STR("id"));
    int64_t n;

    if (json_int(got, &n) && n == id)
        return true;
    if (json_type(got) == JSON_NULL || !json_here(got))
        return true; /* an error before the id was read */
    return fail(e, ERR_INVALID, "the answer belongs to another request: its id is " STR_FMT,
                STR_ARG(str_head(json_raw(got), 40)));
}

bool a2a_reply_read(struct arena *mem, const struct limits *limits, int64_t id, int status,
                    struct str text, struct a2a_reply *out, struct err *e)
{
    const struct json_opts opts = limits_json(limits);
    struct json root, error;
    struct err why;

    *out = (struct a2a_reply){ .fault = A2A_ERRORS };
    if (!json_read(mem, text, &opts, &root, &why)) {
        if (status < 300)
            return fail(e, ERR_INVALID, "the answer is not JSON: %s", why.text);
        /* not an answer of an A2A server, so 404 says nothing about a task */
        set_error(mem, (struct json){ 0 }, status, out);
        if (out->fault == A2A_TASK_NOT_FOUND)
            out->fault = A2A_METHOD_NOT_FOUND;
        return true;
    }
    error = json_get(root, STR("error"));
    if (!json_here(error) && status >= 300)
        error = root;
    if (json_here(json_get(root, STR("jsonrpc"))) && !check_id(root, id, e))
        return false;
    if (json_here(error) && json_type(error) != JSON_NULL) {
        set_error(mem, error, status, out);
        return true;
    }
    out->result = json_get(root, STR("result"));
    if (!json_here(out->result) && !json_here(json_get(root, STR("jsonrpc"))))
        out->result = root;
    return true;
}
