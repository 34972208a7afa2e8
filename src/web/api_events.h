/*
 * api_events.h - event streams over HTTP, used by dashboards and scripts.
 *
 *   GET /api/tasks/ID/events   the events of a task as they happen (task_json.h), until the task
 *                              has ended; only the events after Last-Event-ID or ?after=, if one is
 *                              given. 204: the task has ended and there are no more events
 *   GET /api/events[?kinds=&task=&context=]   the events of all tasks, and changes of lists
 *
 * /api/events sends {"task","agent","context","seq","time","kind","body"} for these events of every
 * task of the root, in any process:
 *
 *   status, ask, answered, artifact
 *
 * These events are stored, and have ids that grow in the order in which they were stored. A client
 * that resumes with Last-Event-ID (or ?after=) misses no event, even after a restart of trefoil. If
 * the next event was deleted already (limits.task_feed), the stream begins with the event "gap".
 *
 * /api/events also sends {"kind","time",...}, without an id, for
 *
 *   agents, servers, skills           the list has changed: fetch it again
 *   lock, unlock                      {...,"lock":{...}}: a task of this process has taken or
 *                                     released a lock (task_json.h)
 *
 * These are not stored, so a client that reconnects must fetch the lists again. kinds= is a
 * comma-separated list of these words; task= selects the events of one task, and context= selects
 * the events of all tasks of one context. Locks belong to no context.
 *
 * A client sees the events of the same tasks as with /api/tasks. Slow readers are disconnected and
 * can resume.
 */
#ifndef WEB_API_EVENTS_H
#define WEB_API_EVENTS_H

#include "base/buf.h"
#include "base/id.h"
#include "wire/http_server.h"

struct web;

void events_api_all(struct http_req *req);
void events_api_of_task(struct http_req *req, struct str id);

/* The state of the event streams of a service. */
struct events_api {
    struct listener *listeners; /* the clients of /api/events */
    /* the event of a task that was sent last: its task, number and text */
    char last_task[ID_TEXT];
    int64_t last_seq;
    struct buf last;
};

enum events_list { EVENTS_AGENTS, EVENTS_SERVERS, EVENTS_SKILLS };

/* Notify the listeners that a list has changed. */
void events_api_changed(struct web *w, enum events_list what);

/* Call this when the agents of the service are open: changes of locks are sent from now on. */
void events_api_agents_opened(struct web *w);

void events_api_fini(struct events_api *a);

#endif
