/*
 * task_pieces.h - the artifacts of a task, stored as events.
 *
 * Each piece of an artifact is stored as an event of kind "artifact" when it arrives. A piece that
 * is too large for one event is split into several events. Whole artifacts are assembled when they
 * are read.
 */
#ifndef CORE_TASK_TASK_PIECES_H
#define CORE_TASK_TASK_PIECES_H

#include "core/artifact.h"
#include "core/store.h"

/*
 * Call `put` with the artifact event *ev or, if it is larger than `most`, with several smaller
 * events that have the same effect.
 */
void task_pieces_split(const struct event *ev, size_t most,
                       void (*put)(void *ctx, const struct event *ev), void *ctx);

/* Return a store step that reads the artifact events of a task whose numbers are above `after`. */
struct store_step task_pieces_step(struct str task, int64_t after);

/*
 * Add the artifact pieces in a page of events to a set. Returns the number of the last event in the
 * page; if the page is empty, returns `after`.
 */
int64_t task_pieces_add(struct artifact_set *s, const struct limits *limits,
                        const struct store_event_page *p, int64_t after);

/* Return the artifacts as a JSON array, in s->mem; STR_NONE: the set is empty. */
struct str task_pieces_json(const struct artifact_set *s);

#endif
