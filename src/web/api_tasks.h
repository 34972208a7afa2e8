/*
 * api_tasks.h - tasks over HTTP, for dashboards and scripts. Handlers of routes; ctx is the
 * service.
 *
 *   GET  /api/tasks[?agent=&context=&live=true&limit=&cursor=]   {"tasks":[...],"next_cursor"?}
 *   POST /api/tasks                 {"task",...}: 201 and the task, which runs in the background
 *   GET  /api/tasks/ID              the task, with its result
 *   POST /api/tasks/ID/answer       api_approvals.h
 *   POST /api/tasks/ID/cancel       the task, when it has ended; 409: it has ended before
 *   GET  /api/tasks/ID/events       api_events.h
 *   GET  /api/locks                 {"locks":[...]}
 *
 * A client with the key sees the tasks of all principals. Tasks that are dispatched here have
 * the rights of MCP clients ([mcp]).
 */
#ifndef WEB_API_TASKS_H
#define WEB_API_TASKS_H

#include "wire/http_server.h"

void tasks_api_list(struct http_req *req);
void tasks_api_create(struct http_req *req);
void tasks_api_get(struct http_req *req);  /* /api/tasks/ and what is behind it */
void tasks_api_post(struct http_req *req); /* likewise */

/* The same for the operator's `agents dispatch`: with the rights of the command line, not of [mcp]. */
void tasks_api_dispatch(struct http_req *req);
void tasks_api_locks(struct http_req *req);

#endif
