/*
 * api_request.h - the shared part of all requests to /api that use the task engine.
 *
 * A visit (struct api_visit) is the first member of the handler's struct, in the arena of the
 * request. If the agents are not open yet, the visit waits for them. Sending the response frees the
 * visit, so the handler must not use it afterwards.
 */
#ifndef WEB_API_REQUEST_H
#define WEB_API_REQUEST_H

#include "core/task/task.h"
#include "proto/http_principal.h"
#include "web/web.h"

struct api_visit {
    struct http_req *req;
    struct web *web;
    struct principal principal; /* the principal that sent the request */
    struct readiness_wait opening_agents;
    void (*then)(struct api_visit *v);
};

void api_visit_init(struct api_visit *v, struct http_req *req);

/*
 * Return the owner whose tasks the sender may see (principal_sees). The text is valid as long as
 * the visit.
 */
struct str api_sees(const struct api_visit *v);

/*
 * Call `then` when the task engine is ready. If this process will never have an engine, send an
 * error response.
 */
void api_visit_begin(struct api_visit *v, void (*then)(struct api_visit *v));

static inline struct task_engine *api_engine(const struct api_visit *v)
{
    return v->web->agents.tasks;
}

/* ---- answers --------------------------------------------------------------------------------- */

void api_refuse(struct http_req *req, const struct err *e);

/* Send a JSON response. If `body` has overflowed, the status is 507. */
void api_reply(struct http_req *req, int status, struct buf *body);

/* Send the task of `ask` or, if `e` is not NULL, the error *e. The function calls task_ask_fini. */
void api_reply_task(struct api_visit *v, struct task_ask *ask, int status, const struct err *e);

/*
 * Does the request have the content type of JSON? If not, the function sends an error response.
 * Without this check, a page of another web site could send requests to trefoil, because browsers
 * let any page send requests with certain content types other than JSON.
 */
bool api_takes_json(struct http_req *req);

/* ---- the query ------------------------------------------------------------------------------- */

/* Get a parameter of the query. *out is STR_NONE if it is absent. */
bool api_query(struct api_visit *v, const char *name, struct str *out, struct err *e);

/* Get a parameter that is a number. If it is absent, *out does not change. */
bool api_query_number(struct api_visit *v, const char *name, uint64_t least, uint64_t most,
                      int64_t *out, struct err *e);

/*
 * Get the number of the event after which to resume: Last-Event-ID, else ?after=. If both are
 * absent, *out does not change.
 */
bool api_query_after(struct api_visit *v, int64_t *out, struct err *e);

#endif
