/*
 * history.h - the history of a session: built from stored records, read as messages for a model.
 *
 * A record describes one thing that happened in the session, as a kind and a JSON body. Records are
 * in chronological order:
 *
 *   prompt   {"id","turn","blocks":[...],"from"?}     a prompt; "from": its untrusted source
 *   answer   {"id","blocks":[...],"stop","model","usage"}  an answer: text, thoughts, calls
 *   result   {"id","name","text","error"?,"media"?,"from"?}  the result of a call
 *   compact  {"summary","after"}                      summary of all up to seq `after`
 *   cut      {"seqs":[...]}                           results that were removed to save tokens
 *   end      {"turn","stop","text"?,"usage","cost"?}  a turn has ended
 *   undo     {"turn","files"}                         the file changes of a turn were undone
 *   state    any JSON value                           saved state of the agent (agent_kind.save)
 *   plan, artifact, notice                            for clients; never sent to the model
 *
 * history_messages() returns well-formed messages: each answer with calls is followed by one
 * message with all their results, in the order of the calls. A call without a stored result (the
 * process was killed, or the turn was cancelled) gets the result HISTORY_INTERRUPTED. A turn that
 * the model refused is omitted. A resource in a prompt (block.uri) becomes text: its name, its URI
 * and, if the prompt contains it, its content.
 *
 * No I/O; the only side effect is memory allocation.
 */
#ifndef CORE_SESSION_HISTORY_H
#define CORE_SESSION_HISTORY_H

#include "base/arena.h"
#include "core/event.h"

struct history;

/* The result that a model reads for a call that was started and has no stored result. */
#define HISTORY_INTERRUPTED                                                                        \
    "[interrupted: it is unknown whether this call took effect. Check before you repeat it.]"

/*
 * The history and the data of all records are allocated in `mem`, which must outlive the history.
 */
struct history *history_new(const struct limits *limits, struct arena *mem);
void history_free(struct history *h);

/*
 * Add a record; `body` is copied. seq is its number in the store; 0: the session is not stored, and
 * the history numbers its records itself. ERR_INVALID: the record is damaged.
 */
bool history_add(struct history *h, int64_t seq, struct str kind, struct str body, struct err *e);

/* The conversation as messages for a model; valid until the next history_add. */
const struct message *history_messages(struct history *h, size_t *n);

/*
 * The calls of the last answer that have no result yet, in order. The array is in mem; the blocks
 * belong to the history.
 */
size_t history_open_calls(const struct history *h, struct arena *mem, const struct block ***out);

/* The call with this id since the last prompt, if it has no result yet; else NULL. */
const struct block *history_open_call(const struct history *h, struct str id);

/* The seq of the last record; 0: there is none. */
int64_t history_last(const struct history *h);

/* The id of the turn that has not ended; STR_NONE: all turns have ended. */
struct str history_turn(const struct history *h);

/* The first source of untrusted data in the conversation; STR_NONE: there is none. */
struct str history_taint(const struct history *h);

/* The last state that the agent saved, as raw JSON; STR_NONE: it has saved none. */
struct str history_state(const struct history *h);

/* The text of the last answer. */
struct str history_answer(const struct history *h);

/* The same if the last answer belongs to the prompt with this id; else "". */
struct str history_answer_to(const struct history *h, struct str prompt);

/* The number of calls since the prompt with this id whose stored result is HISTORY_INTERRUPTED. */
size_t history_interrupted(const struct history *h, struct str prompt);

/*
 * The estimated number of tokens of the conversation: the last count that the model reported, plus
 * an estimate from the number of bytes for everything after it.
 */
int64_t history_tokens(const struct history *h);

/* The cost of all turns in US dollars; negative: the cost of a turn is unknown. */
double history_cost(const struct history *h);

/*
 * Replay the conversation to a client as events. `fill` completes the event of a tool call with
 * what records do not contain: the title and kind of the tool. It may be NULL.
 */
void history_tell(struct history *h, struct work_client *client,
                  void (*fill)(void *ctx, struct event_tool *tool), void *ctx);

/* ---- shortening ------------------------------------------------------------------------------ */

/*
 * How many messages, from the first, a summary should replace: all before the last prompt or, if
 * these are too few, all before the last answer. *after is the seq for the compact record. 0: a
 * summary would not help.
 */
size_t history_old(struct history *h, int64_t *after);

/*
 * The seqs of the oldest results that together have about `tokens` tokens, as a JSON array in mem.
 * STR_NONE: no result can be removed.
 */
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
