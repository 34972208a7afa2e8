/*
 * api_approvals.h - what tasks ask, over HTTP. Handlers of routes; who is the service.
 *
 *   GET  /api/approvals[?cursor=]   {"approvals":[...],"next_cursor"?}: what is open (approval_json.h)
 *   POST /api/tasks/ID/answer       {"key"?,"answer":{"action","content"?,"reason"?}}: the task, when
 *                                   its question is closed. 404: there is no such task; 409: that
 *                                   question is not open, or not any more
 *
 * Who has the key answers for all, as it cancels for all: it is the owner of this program.
 */
#ifndef WEB_API_APPROVALS_H
#define WEB_API_APPROVALS_H

#include "wire/http_server.h"

void approvals_api_list(struct http_req *req);
void approvals_api_answer(struct http_req *req, struct str id);

#endif
