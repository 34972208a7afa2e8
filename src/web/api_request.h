/*
 * api_request.h - a request to /api that uses the task engine: the shared part of all of them.
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
    struct principal principal; /* of its sender */
    struct readiness_wait opening_agents;
    void (*then)(struct api_visit *v);
};

void api_visit_init(struct api_visit *v, struct http_req *req);

/* Whose tasks its sender is shown: principal_sees. Lives as long as the visit. */
struct str api_sees(const struct api_visit *v);

/* `then` runs when the engine is ready; if there will be none, an error response is sent. */
void api_visit_begin(struct api_visit *v, void (*then)(struct api_visit *v));

static inline struct task_engine *api_engine(const struct api_visit *v)
{
    return v->web->agents.tasks;
}

/* ---- answers --------------------------------------------------------------------------------- */

void api_refuse(struct http_req *req, const struct err *e);

/* JSON; 507 when it did not fit into its buffer. */
void api_reply(struct http_req *req, int status, struct buf *body);

/* The task that was asked for, or why not (e). Ends the ask. */
void api_reply_task(struct api_visit *v, struct task_ask *ask, int status, const struct err *e);

/*
 * Does the request have the content type of JSON? If not, it is answered with an error: a page of
 * another site can send requests of other types without permission.
 */
bool api_takes_json(struct http_req *req);

/* ---- the query ------------------------------------------------------------------------------- */

/* The value of a parameter. STR_NONE: it is absent. */
bool api_query(struct api_visit *v, const char *name, struct str *out, struct err *e);

/* A number. If the parameter is absent, *out does not change. */
bool api_query_number(struct api_visit *v, const char *name, uint64_t least, uint64_t most,
                      int64_t *out, struct err *e);

/* The number of the event to resume after: Last-Event-ID, else ?after=. Absent: *out stays. */
bool api_query_after(struct api_visit *v, int64_t *out, struct err *e);

#endif
