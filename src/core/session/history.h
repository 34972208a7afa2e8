/*
 * history.h - a conversation: as messages for a model, as records for the store.
 *
 * A record is one thing that happened, as (kind, JSON body), in the order it happened:
 *
 *   prompt   {"id","turn","blocks":[...],"from"?}     what somebody asked, and from where
 *   answer   {"id","blocks":[...],"stop","model","usage"}  what the model said: text, thoughts, calls
 *   result   {"id","name","text","error"?,"media"?,"from"?} of a call; in the order they came back
 *   compact  {"summary","after"}                       what was before seq `after` is summed up
 *   cut      {"seqs":[...]}                            results that were dropped to make room
 *   end      {"turn","stop","text"?,"usage","cost"?}   a turn is over
 *   undo     {"turn","files"}                          its changes of files were taken back
 *   state    any JSON value                            of the agent, to continue (agent_kind.save)
 *   plan, artifact, notice                             for those who look at it later
 *
 * Adding records, from the store or as they happen, gives the messages a model is sent. They are
 * always well-formed: every call has its result, in the order of the calls, in the message behind
 * it; a call whose result is missing (we were killed, the turn was cancelled) has one that says
 * that nobody knows what it did. A prompt that was refused is not in them. A resource in a prompt
 * (block.uri) stands there as text a model understands: its address, and what it holds if it was
 * given.
 *
 * Pure, but for memory.
 */
#ifndef CORE_SESSION_HISTORY_H
#define CORE_SESSION_HISTORY_H

#include "base/arena.h"
#include "core/event.h"

struct history;

/* What a model is told of a call that was begun and has no result. */
#define HISTORY_INTERRUPTED                                                                        \
    "[interrupted: it is unknown whether this call took effect. Check before you repeat it.]"

/* In `mem`, which outlives it. */
struct history *history_new(const struct limits *limits, struct arena *mem);
void history_free(struct history *h);

/* One more record; seq is its number in the store (0: nothing is stored). ERR_INVALID: damaged. */
bool history_add(struct history *h, int64_t seq, struct str kind, struct str body, struct err *e);

/* The messages; they live until the history changes. */
const struct message *history_messages(struct history *h, size_t *n);

/* The calls of the last answer that have no result yet, in order; blocks of the history. */
size_t history_open_calls(const struct history *h, struct arena *mem, const struct block ***out);

/* A call since the last prompt that has no result yet, by its id; NULL: none. */
const struct block *history_open_call(const struct history *h, struct str id);

/* The seq of the last record. */
int64_t history_last(const struct history *h);

/* The turn that has not ended, by its id; STR_NONE: all have. */
struct str history_turn(const struct history *h);

/* From where untrusted data got into it; STR_NONE: from nowhere. */
struct str history_taint(const struct history *h);

/* The last state that the agent stored, as raw JSON; STR_NONE: none. */
struct str history_state(const struct history *h);

/* The text of the last answer. */
struct str history_answer(const struct history *h);

/* The same, when it was given to a prompt of that id; else "": it answers something else. */
struct str history_answer_to(const struct history *h, struct str prompt);

/* Calls since the prompt of that id that were told to the model as interrupted. */
size_t history_interrupted(const struct history *h, struct str prompt);

/* About how many tokens it is, by bytes; what the model last counted weighs more. */
int64_t history_tokens(const struct history *h);

/* Of all turns, in US dollars; negative when some were not known. */
double history_cost(const struct history *h);

/*
 * Tell all of it as events. fill completes what is told of a call with what its record does not
 * hold: title, kind, path, line of the tool of that name. NULL: nobody knows.
 */
void history_tell(struct history *h, struct work_client *client,
                  void (*fill)(void *ctx, struct event_tool *tool), void *ctx);

/* ---- making it shorter ----------------------------------------------------------------------- */

/*
 * The messages to sum up: all before the last prompt, when that is enough of them, else all before
 * the last answer. *after is the seq to name in the compact record. 0: there is nothing to gain.
 */
size_t history_old(struct history *h, int64_t *after);

/* The oldest results that together hold about `tokens`, as a JSON array of seqs; STR_NONE: none. */
struct str history_cuttable(struct history *h, struct arena *mem, int64_t tokens);

/* ---- writing records ------------------------------------------------------------------------- */

struct str record_prompt(struct arena *mem, struct str id, struct str turn, const struct block *b,
                         size_t n, struct str from);
struct str record_answer(struct arena *mem, struct str id, const struct model_turn *t);
struct str record_result(struct arena *mem, const struct block *result, struct str from);
struct str record_compact(struct arena *mem, struct str summary, int64_t after);
struct str record_cut(struct arena *mem, struct str seqs);
struct str record_end(struct arena *mem, struct str turn, const struct event_end *end,
                      const struct model_usage *usage, double cost);

#endif
