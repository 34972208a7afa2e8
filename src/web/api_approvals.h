/*
 * api_approvals.h - HTTP handlers for the questions of tasks.
 *
 *   GET  /api/approvals[?cursor=]   {"approvals":[...],"next_cursor"?}: open questions
 *                                   (approval_json.h)
 *   POST /api/tasks/ID/answer       {"key"?,"answer":{"action","content"?,"reason"?}}: answer a
 *                                   question; the response is the task, after the question was
 *                                   closed. 404: no such task; 409: the question is not open
 */
#ifndef WEB_API_APPROVALS_H
#define WEB_API_APPROVALS_H

#include "wire/http_server.h"

void approvals_api_list(struct http_req *req);
void approvals_api_answer(struct http_req *req, struct str id);

#endif
