/*
 * api_events.h - event streams over HTTP, for dashboards and scripts: of one task, and of all.
 *
 *   GET /api/tasks/ID/events   its events as they happen (task_json.h), until it has ended; from
 *                              behind Last-Event-ID or ?after= on. 204: there is nothing more, and
 *                              never will be
 *   GET /api/events[?kinds=&task=&context=]
 *
 * Of all: {"task","agent","context","seq","time","kind","body"} for
 *
 *   status, ask, answered, artifact   of every task of the root, whichever process works on it
 *
 * with an id that grows in the order they were stored. They are in the store: who comes back with
 * Last-Event-ID (or ?after=) misses nothing, also after a restart; where that is too long ago for
 * limits.task_feed, the stream begins with the event "gap". And {"kind","time",...} without an id for
 *
 *   agents, servers, skills           the list has changed: fetch it again
 *   lock, unlock                      {...,"lock":{...}}: a task of this process has taken, or
 *                                     left, what it locks (task_json.h)
 *
 * which is told to those who are connected, and to nobody later: who comes back reads the lists.
 * `kinds` are some of these words, with commas. With task= only what is about that task is told,
 * with context= only what is about tasks of that context (locks belong to none).
 *
 * Who has the key sees what happens to the tasks of all, as with /api/tasks. Who reads too slowly is
 * dropped and may come again.
 */
#ifndef WEB_API_EVENTS_H
#define WEB_API_EVENTS_H

#include "base/buf.h"
#include "base/id.h"
#include "wire/http_server.h"

struct web;

void events_api_all(struct http_req *req);
void events_api_of_task(struct http_req *req, struct str id);

/* What a service keeps for it. */
struct events_api {
    struct listener *listeners; /* to all */
    char last_task[ID_TEXT];    /* the last event of a task that was told, as text: */
    int64_t last_seq;
    struct buf last;
};

enum events_list { EVENTS_AGENTS, EVENTS_SERVERS, EVENTS_SKILLS };

/* One of the lists is another now. */
void events_api_changed(struct web *w, enum events_list what);

/* The service has its agents: their locks are told of from now on. */
void events_api_agents_opened(struct web *w);

void events_api_fini(struct events_api *a);

#endif
