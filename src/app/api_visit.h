/*
 * api_visit.h - what requests below /api/ share that ask the engine of tasks.
 *
 * A visit lives in the request's arena and is gone with the answer, so the answer comes last.
 */
#ifndef APP_API_VISIT_H
#define APP_API_VISIT_H

#include "app/service.h"

struct api_visit {
    struct http_req *req;
    struct service *service;
    struct gathering_wait hiring;
    void (*then)(struct api_visit *v);
};

/* req and service are set. Waits for the agents where they are still to come; 503 when none do. */
void api_visit_begin(struct api_visit *v, void (*then)(struct api_visit *v));

/* An error as a status and a sentence. */
void api_refuse(struct http_req *req, const struct err *e);

void api_reply(struct http_req *req, int status, struct buf *body);

/* Does it bring JSON? Else it is answered: a page of another site can send all else unasked. */
bool api_takes_json(struct http_req *req);

#endif
