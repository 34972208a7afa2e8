/*
 * api_tasks.h - HTTP handlers for tasks, used by dashboards and scripts.
 *
 *   GET  /api/tasks[?agent=&context=&live=true&limit=&cursor=]   {"tasks":[...],"next_cursor"?}
 *   POST /api/tasks                 {"task",...}: 201 and the task, which runs in the background
 *   GET  /api/tasks/ID              the task, with its result
 *   POST /api/tasks/ID/answer       api_approvals.h
 *   POST /api/tasks/ID/cancel       the task, after it was cancelled; 409: it had ended before
 *   GET  /api/tasks/ID/events       api_events.h
 *   GET  /api/locks                 {"locks":[...]}
 *
 * The principal of a client determines which tasks the client sees (principal_sees). Tasks that
 * clients create with these routes have the rights of MCP clients ([mcp]).
 */
#ifndef WEB_API_TASKS_H
#define WEB_API_TASKS_H

#include "wire/http_server.h"

void tasks_api_list(struct http_req *req);
void tasks_api_create(struct http_req *req);
void tasks_api_get(struct http_req *req);  /* handles GET of paths that begin with /api/tasks/ */
void tasks_api_post(struct http_req *req); /* handles POST to paths that begin with /api/tasks/ */

/* Create a task for `agents dispatch`, with the rights of the command line instead of [mcp]. */
void tasks_api_dispatch(struct http_req *req);
void tasks_api_locks(struct http_req *req);

#endif
