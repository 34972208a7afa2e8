/*
 * a2a_report.h - report what a remote agent does as events of a turn.
 *
 *   a message                                   its text as EVENT_TEXT, its other parts as an
 *                                               EVENT_ARTIFACT
 *   an artifact of plain text parts, without    EVENT_TEXT: it is a message of the agent
 *   a name or named "answer"
 *   another artifact                            EVENT_ARTIFACT, with all its parts
 *   the message of a status, while it works     EVENT_NOTICE
 *   the message of the last status              EVENT_TEXT, or EVENT_NOTICE if there is other text
 *
 * If the agent sends no message, the text of its artifacts is its answer; if there is none, the
 * text of its last status; if there is none, the text of its other statuses. So every caller gets
 * an answer.
 *
 * A task may be reported again as a whole: when trefoil subscribes again after a break, when it
 * polls, or after a restart. Only what is new in it becomes an event.
 */
#ifndef PROTO_A2A_CLIENT_A2A_REPORT_H
#define PROTO_A2A_CLIENT_A2A_REPORT_H

#include "core/session/turn.h"
#include "proto/a2a/a2a_codec.h"

struct a2a_made;

struct a2a_report {
    struct turn *turn;
    struct arena *mem;     /* memory of the turn */
    struct a2a_made *made; /* the artifacts so far, the newest first */
    size_t count;
    bool said;         /* text was reported */
    bool full;         /* there are more than limits.a2a_artifacts */
    struct str status; /* the id of the last message of a status that was reported */
    struct buf heard;  /* the texts of statuses */
    struct buf shown;  /* the texts of artifacts */
    /* in a resumed turn: the texts of the turn in the history, without those found again */
    const struct str *told;
    size_t tolds;
};

void a2a_report_init(struct a2a_report *r, struct turn *turn, struct arena *mem);
void a2a_report_fini(struct a2a_report *r);

/*
 * The turn began in another process, which has reported a part of what the agent did. Texts are in
 * the history; `made` is what a2a_report_save wrote there.
 */
void a2a_report_resume(struct a2a_report *r, struct json made);

/* Write what is needed to recognise the newest artifacts, as a JSON array. */
void a2a_report_save(const struct a2a_report *r, struct jw *w);

void a2a_report_message(struct a2a_report *r, const struct a2a_message *m);
void a2a_report_artifact(struct a2a_report *r, const struct a2a_artifact *a, bool append,
                         bool last);

/* A task as a whole, without the message of its status. */
void a2a_report_task(struct a2a_report *r, const struct a2a_task *task);

/*
 * The event of another trefoil, which is in the metadata of an update: what the agent thinks, does
 * and plans. Returns whether there was one. Its paths and sessions are those of another machine, so
 * they are not reported.
 */
bool a2a_report_work(struct a2a_report *r, struct str metadata);

/* The message of a status, while the agent works. */
void a2a_report_status(struct a2a_report *r, const struct a2a_status *status);

/* The task was completed with this status. */
void a2a_report_end(struct a2a_report *r, const struct a2a_status *status);

/* Return the text parts of a list, joined by newlines. In mem; "" if there are none. */
struct str a2a_text_of(struct arena *mem, struct blocks parts);

#endif
