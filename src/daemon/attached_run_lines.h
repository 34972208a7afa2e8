/*
 * attached_run_lines.h - what `trefoil run` and the daemon say to each other, behind the door (daemon_address.h): a
 * line of JSON each. The first is the request:
 *
 *   {"run":{"agent","session","model","mode","text","last","no_save","person"}}
 *           as in struct run_want; person: somebody is at a terminal to be asked
 *   {"cancel":true}                        end it soon
 *   {"answer":N,"value":{...}}             to the ask N, as struct ask wants it; or
 *   {"answer":N,"code":"...","text":"..."} there is none, for this reason
 *
 * and what comes back:
 *
 *   {"begins":{"session","agent","model"}}, {"turns":true}, {"note":"..."}   as struct run_job_kind
 *   {"event":{...}}                        as event_write writes it; with "below":"SESSION" it is
 *                                          of an agent that was called
 *   {"ask":N,"kind","params":{...}}
 *   {"taken":N}                            the ask N need not be answered any more
 *   {"done":CODE,"canceled":BOOL}          nothing follows
 */
#ifndef DAEMON_ATTACHED_RUN_LINES_H
#define DAEMON_ATTACHED_RUN_LINES_H

#include "runtime/run_job.h"
#include "wire/stream_link.h"

/* Any of them; what a line does not have is missing, and numbers are -1. */
struct run_line {
    struct json run, begins, event, value, params;
    int64_t answer, ask, taken, done;
    bool cancel, turns, canceled;
    struct str note, below, kind, code, text;
};

/* The frame of a line, decoded. Texts live in mem. */
bool run_line_read(struct arena *mem, const struct frame *frame, const struct limits *limits,
                   struct run_line *out, struct err *e);

bool run_want_read(struct arena *mem, struct json run, struct run_want *out, bool *person,
                   struct err *e);
void run_want_write(struct jw *w, const struct run_want *want, bool person);

/* The code of that name; ERR_DENIED for others. */
enum err_code run_code_named(struct str name);

#endif
