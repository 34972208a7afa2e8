/*
 * task_tools.h - functions and schemas that the tools about tasks share.
 *
 * Only MCP clients have the tool answer_task, because an agent with this tool could approve its own
 * calls.
 */
#ifndef TOOL_TASK_TOOLS_H
#define TOOL_TASK_TOOLS_H

#include "core/agent/agent_context.h"
#include "core/lock/lock.h"
#include "core/task/task.h"
#include "tool/args.h"
#include "tool/tools.h"

/*
 * Return the owner whose tasks the caller sees (principal_sees). STR_NONE: all, for the operator.
 */
struct str task_owner(const struct call *call);

/*
 * Return the task engine of the host. NULL: there is none, and the call has failed with the reason.
 */
struct task_engine *task_engine_for(struct call *call);

/* Write a time as a member of an object, in the format of RFC 3339. */
void task_write_time(struct jw *w, const char *key, int64_t ms);

/* Write the members taskId, status, agent, model, mode and session_id of a JSON object. */
void task_write_head(struct jw *w, const struct task_info *info);

/* Settle the call with an error. */
void task_call_failed(struct call *call, struct str id, const struct err *e);

/* Settle the call with call->structured as the result, and the same JSON as its text. */
void task_call_done(struct call *call);

/* Create a request to the engine for the task `id`. The request is freed with the call. */
struct task_ask *task_ask_new(struct call *call, struct str id);

/* ---- prompts ------------------------------------------------------------------------------- */

/* Call blocks_pick for the arguments of the call. False: the call has failed with the reason. */
bool tool_prompt(struct call *call, const char *text_key, struct str text, struct json parts,
                 struct blocks *out);

/* ---- agent_send, for a caller that takes tasks --------------------------------------------- */

/* The arguments of agent_send; STR_NONE: not given. */
struct task_errand {
    struct str agent, message, session, mode;
    struct json parts;
};

#define READ_ONLY_SCHEMA "read-only: the agent may write only in .vault/."

/* Arguments that are shared by all tools that call an agent and wait for its answer. */
#define AGENT_CALL_SCHEMA                                                                          \
    "\"message\":{\"type\":\"string\","                                                            \
    "\"description\":\"The task and its context.\"},"                                              \
    "\"session_id\":{\"type\":\"string\",\"description\":\"Session to continue.\"},"               \
    "\"mode\":{\"type\":\"string\",\"enum\":[\"read-only\",\"read-write\"],"                       \
    "\"description\":\"" READ_ONLY_SCHEMA "\"}},"                                                  \
    "\"required\":[\"message\"]}"

/* Create a task for the message, and settle the call as that task (task_dispatch.c). */
void task_dispatch_instead(struct call *call, const struct task_errand *errand);

/* ---- waiting ------------------------------------------------------------------------------- */

#define TASK_WAIT_SCHEMA                                                                           \
    "\"wait\":{\"type\":\"number\",\"minimum\":0,"                                                 \
    "\"description\":\"Seconds to wait for the task to end.\"}"

#define TASK_ID_SCHEMA "\"task_id\":{\"type\":\"string\",\"description\":\"The task's taskId.\"}"

/* Is the time to wait within limits? False: the call has failed with the reason. */
bool task_wait_check(struct call *call, double seconds);

/* Settle the call with the status and result of a task, when the task ends or after `seconds`. */
void task_report(struct call *call, struct str id, double seconds);

#endif
