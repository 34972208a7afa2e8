/*
 * task_pieces.h - the artifacts of a task in its events.
 *
 * Each piece of an artifact is an event of kind "artifact", stored when it arrives. A piece that is
 * larger than an event may be is split into several events. Whole artifacts are assembled when they
 * are read.
 */
#ifndef CORE_TASK_TASK_PIECES_H
#define CORE_TASK_TASK_PIECES_H

#include "core/artifact.h"
#include "core/store.h"

/* Call put for an artifact event, or for several smaller events that have the same effect. */
void task_pieces_split(const struct event *ev, size_t most,
                       void (*put)(void *ctx, const struct event *ev), void *ctx);

/* The store step that reads the artifact events of a task after an event number. */
struct store_step task_pieces_step(struct str task, int64_t after);

/*
 * Add the pieces of a page to a set. Returns the number of the last event, or `after` if there is
 * none.
 */
int64_t task_pieces_add(struct artifact_set *s, const struct limits *limits,
                        const struct store_event_page *p, int64_t after);

/* The set as a JSON array in its memory; STR_NONE if it is empty. */
struct str task_pieces_json(const struct artifact_set *s);

#endif
