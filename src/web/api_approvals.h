/*
 * api_approvals.h - questions of tasks, over HTTP. Handlers of routes; ctx is the service.
 *
 *   GET  /api/approvals[?cursor=]   {"approvals":[...],"next_cursor"?}: open questions
 *                                   (approval_json.h)
 *   POST /api/tasks/ID/answer       {"key"?,"answer":{"action","content"?,"reason"?}}: the task, when
 *                                   its question is closed. 404: there is no such task; 409: that
 *                                   question is not open, or not any more
 *
 * A client with the key may answer for all principals, and cancel for all: it owns this program.
 */
#ifndef WEB_API_APPROVALS_H
#define WEB_API_APPROVALS_H

#include "wire/http_server.h"

void approvals_api_list(struct http_req *req);
void approvals_api_answer(struct http_req *req, struct str id);

#endif
