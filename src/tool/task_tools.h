/*
 * task_tools.h - functions and schemas that the tools about tasks share.
 *
 * Only clients have the tool answer_task. An agent with this tool could approve its own calls.
 */
#ifndef TOOL_TASK_TOOLS_H
#define TOOL_TASK_TOOLS_H

#include "core/agent/agent_context.h"
#include "core/lock/lock.h"
#include "core/task/task.h"
#include "tool/args.h"
#include "tool/tools.h"

/* The owner whose tasks the caller sees (principal_sees). STR_NONE: all, for the operator. */
struct str task_owner(const struct call *call);

/* The engine. NULL: the call has failed with the reason. */
struct task_engine *task_engine_for(struct call *call);

/* A time as a member: RFC 3339. */
void task_write_time(struct jw *w, const char *key, int64_t ms);

/* taskId, status, agent, model, mode, session_id: members of an object. */
void task_write_head(struct jw *w, const struct task_info *info);

/* Settles the call with an error. */
void task_call_failed(struct call *call, struct str id, const struct err *e);

/* Settles the call; the text of the result repeats call->structured. */
void task_call_done(struct call *call);

/* A request to the engine, freed with the call. */
struct task_ask *task_ask_new(struct call *call, struct str id);

/* ---- prompts ------------------------------------------------------------------------------- */

/* blocks_pick from the arguments of the call. False: the call has failed with the reason. */
bool tool_prompt(struct call *call, const char *text_key, struct str text, struct json parts,
                 struct blocks *out);

/* ---- agent_send, for a caller that takes tasks --------------------------------------------- */

/* The arguments; STR_NONE: not given. */
struct task_errand {
    struct str agent, message, session, mode;
    struct json parts;
};

/* Arguments of each tool that calls an agent and waits. */
#define AGENT_CALL_SCHEMA                                                                          \
    "\"message\":{\"type\":\"string\","                                                            \
    "\"description\":\"What to do, with all context.\"},"                                          \
    "\"session_id\":{\"type\":\"string\",\"description\":\"Continue this session.\"},"             \
    "\"mode\":{\"type\":\"string\",\"enum\":[\"read-only\",\"read-write\"],"                       \
    "\"description\":\"read-only: change nothing.\"}},"                                            \
    "\"required\":[\"message\"]}"

/* Create a task for the message, and settle the call as that task (task_dispatch.c). */
void task_dispatch_instead(struct call *call, const struct task_errand *errand);

/* ---- waiting ------------------------------------------------------------------------------- */

#define TASK_WAIT_SCHEMA                                                                           \
    "\"wait\":{\"type\":\"number\",\"minimum\":0,"                                                 \
    "\"description\":\"Seconds to wait for the task to end.\"}"

#define TASK_ID_SCHEMA "\"task_id\":{\"type\":\"string\",\"description\":\"taskId of the task.\"}"

/* Is the time to wait within limits? False: the call has failed with the reason. */
bool task_wait_check(struct call *call, double seconds);

/* Settles the call with the status and result of a task, when it ends or after `seconds`. */
void task_report(struct call *call, struct str id, double seconds);

#endif
