/*
 * history.h - the history of a session: built from stored records, read as messages for a model.
 *
 * A record describes one thing that happened in the session. It has a kind and a JSON body. The
 * kinds are:
 *
 *   prompt   {"id","turn","blocks":[...],"from"?}     a prompt; "from" is its untrusted source
 *   answer   {"id","blocks":[...],"stop","model","usage"}  an answer: text, thoughts, calls
 *   result   {"id","name","text","error"?,"media"?,"from"?,"path"?,"old_text"?,"new_text"?}  the
 *            result of a call; for clients only: the file of the call, and what an edit has changed
 *   compact  {"summary","after"}                      a summary of all records up to seq "after"
 *   cut      {"seqs":[...]}                           results that were removed to save tokens
 *   end      {"turn","stop","text"?,"usage","cost"?}  a turn has ended
 *   undo     {"turn","files"}                         the file changes of a turn were undone
 *   state    any JSON value                           saved state of the agent (agent_kind.save)
 *   plan, artifact, notice                            shown to clients; never sent to the model
 *
 * history_messages() returns well-formed messages: each answer with calls is followed by one
 * message with all their results, in the order of the calls. A call without a stored result (the
 * process was killed, or the turn was cancelled) gets the result HISTORY_INTERRUPTED. A turn that
 * the model refused is omitted. A resource in a prompt (block.uri) becomes text: its name, its URI
 * and its content, if the prompt contains the content.
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
 * Add a record; `body` is copied. `seq` is the number of the record in the store. If the session is
 * not stored, pass 0: then the history numbers its records itself. ERR_INVALID: the record is
 * damaged.
 */
bool history_add(struct history *h, int64_t seq, struct str kind, struct str body, struct err *e);

/* Return the conversation as messages for a model; valid until the next history_add. */
const struct message *history_messages(struct history *h, size_t *n);

/*
 * Return the calls of the last answer that have no result yet, in order. The array is in mem; the
 * blocks belong to the history.
 */
size_t history_open_calls(const struct history *h, struct arena *mem, const struct block ***out);

/*
 * Find the call with this id since the last prompt. NULL: there is none, or the call has a result.
 */
const struct block *history_open_call(const struct history *h, struct str id);

/* Return the seq of the last record; 0: there is no record. */
int64_t history_last(const struct history *h);

/* Return the id of the turn that has not ended; STR_NONE: all turns have ended. */
struct str history_turn(const struct history *h);

/*
 * Return the label (taint_label.h) of all untrusted data in the conversation. STR_NONE: there is
 * none.
 */
struct str history_taint(const struct history *h);

/*
 * Find the first call whose result has this source in its label (taint_label.h). Returns the name
 * of the tool and sets *seq to the record of the result. STR_NONE: no result has this source, so it
 * is the source of a prompt.
 */
struct str history_taint_origin(const struct history *h, struct str source, int64_t *seq);

/*
 * Return the last state that the agent saved, as raw JSON; STR_NONE: the agent has saved no state.
 */
struct str history_state(const struct history *h);

/* Return the text of the last answer. */
struct str history_answer(const struct history *h);

/* Return the text of the last answer if it belongs to the prompt with this id; else "". */
struct str history_answer_to(const struct history *h, struct str prompt);

/*
 * Return the number of calls since the prompt with this id whose stored result is
 * HISTORY_INTERRUPTED.
 */
size_t history_interrupted(const struct history *h, struct str prompt);

/*
 * Estimate the number of tokens of the conversation: the last count that the model reported, plus
 * an estimate for all later items, based on their size in bytes.
 */
int64_t history_tokens(const struct history *h);

/* Return the cost of all turns in US dollars; negative: the cost of some turn is unknown. */
double history_cost(const struct history *h);

/*
 * Replay the conversation to a client as events. `fill` sets the title and kind of the tool in the
 * event of a tool call, because records do not contain them. `fill` may be NULL.
 */
void history_tell(struct history *h, struct work_client *client,
                  void (*fill)(void *ctx, struct event_tool *tool), void *ctx);

/* ---- shortening ------------------------------------------------------------------------------ */

/*
 * Return how many of the first messages a summary should replace: all before the last prompt or, if
 * these are too few, all before the last answer. 0: a summary would not help. *after is the value
 * of "after" for the compact record.
 */
size_t history_old(struct history *h, int64_t *after);

/*
 * Select the oldest results that together have about `tokens` tokens. Returns their seqs as a JSON
 * array in mem. STR_NONE: no result can be removed.
 */
struct str history_cuttable(struct history *h, struct arena *mem, int64_t tokens);

/* ---- writing records ------------------------------------------------------------------------- */

struct str record_prompt(struct arena *mem, struct str id, struct str turn, const struct block *b,
                         size_t n, struct str from);
struct str record_answer(struct arena *mem, struct str id, const struct model_turn *t);
/*
 * `call` is the event of the call's end. Its file and the texts before and after an edit are
 * recorded for clients that load the session, unless they are too long (RECORD_DIFF_MOST).
 */
struct str record_result(struct arena *mem, const struct block *result,
                         const struct event_tool *call);
struct str record_compact(struct arena *mem, struct str summary, int64_t after);
struct str record_cut(struct arena *mem, struct str seqs);
struct str record_end(struct arena *mem, struct str turn, const struct event_end *end,
                      const struct model_usage *usage, double cost);

#endif
