/*
 * work_message.h - the messages between the daemon and a verb while the daemon works for the verb
 * (work_stream.h). The daemon sends each message as the data of an event, JSON:
 *
 *   {"work":"ID"}                          the first message: the ID for the requests below
 *   {"begins":{"session","agent","model"}}, {"turns":true}, {"note":"..."}   as struct run_job_kind
 *   {"event":{...}}                        as event_write writes it; with "below":"SESSION" it is
 *                                          an event of a called agent
 *   {"ask":N,"kind","params":{...}} a question
 *   {"taken":N}                            the question N needs no answer any more
 *   {"progress":{"done","total"?,"message"?}}, {"log":LEVEL,"text"}   reports of a tool call
 *   {"result":{...}}                       the result of a tool call, as in MCP
 *   {"failed":CODE,"text"}                 the call or the work failed
 *   {"done":CODE,"canceled":BOOL}          the work has ended; nothing follows
 *
 * The verb answers with requests:
 *
 *   POST /api/streams/ID/answer  {"answer":N,"value":{...}}   as struct ask requires; or without
 *                                                             value
 *                             {"answer":N,"code":"...","text":"..."}: no answer, for this reason
 *   POST /api/streams/ID/cancel  {}   end it soon
 */
#ifndef DAEMON_WORK_MESSAGE_H
#define DAEMON_WORK_MESSAGE_H

#include "runtime/run_job.h"

/* A message of any kind. Members that the message does not have are empty; numbers are -1. */
struct work_message {
    struct json begins, event, value, params, progress, result;
    int64_t answer, ask, taken, done, log;
    bool turns, canceled;
    struct str work, note, below, kind, code, failed, text;
};

/* Parse a message; texts are in mem. */
bool work_message_read(struct arena *mem, struct str text, const struct limits *limits,
                       struct work_message *out, struct err *e);

/*
 * The body of POST /api/run: {"agent","session","model","mode","text","last","no_save","person"},
 * as in struct run_want. If `person` is true, the client has a terminal, so that it can ask a
 * person.
 */
bool run_want_read(struct arena *mem, struct json run, struct run_want *out, bool *person,
                   struct err *e);
void run_want_write(struct jw *w, const struct run_want *want, bool person);

/* Find an error code by name; ERR_DENIED if the name is unknown. */
enum err_code err_code_named(struct str name);

#endif
