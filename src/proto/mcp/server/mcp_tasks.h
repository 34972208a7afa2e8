/*
 * mcp_tasks.h - the extension io.modelcontextprotocol/tasks (SEP-2663), implemented with the task
 * engine.
 *
 * A client that declares the extension in a tools/call may get a task instead of the result:
 *
 *   tools/call -> {resultType: "task", taskId, ...}          mcp_task_call.c
 *   tasks/get, tasks/update, tasks/cancel                    mcp_tasks.c
 *   notifications/tasks, on subscriptions/listen             mcp_task_listen.c
 *
 * A call becomes a task only if its tool allows that (tool.h) and a task store exists. The task is
 * stored before its id is sent. It belongs to the authenticated principal; other principals get the
 * error for an unknown task. tasks/get returns the open questions of a task, and tasks/update
 * answers them, by keys that are never reused.
 */
#ifndef PROTO_MCP_SERVER_MCP_TASKS_H
#define PROTO_MCP_SERVER_MCP_TASKS_H

#include "core/task/task_call.h"
#include "proto/mcp/server/mcp_method.h"

/* ---- support ------------------------------------------------------------------------------ */

/* Does this offer have a task store, or will it have one when it is ready? */
bool mcp_keeps_tasks(const struct offer *offer);

/* Does the client of this request support tasks? */
bool mcp_knows_tasks(const struct rpc_in *in);

/* Reject the request: its client must support tasks. */
void mcp_refuse_taskless(struct rpc_in *in);

/* The principal that owns the tasks of this client. */
struct str mcp_task_owner(const struct rpc_in *in);

/* Call then(ctx, engine) when the engine is ready; engine NULL: there is none. On failure, answer
 * with the error. */
void mcp_when_tasks(struct rpc_in *in, void (*then)(void *ctx, struct task_engine *engine),
                    void *ctx);

/* A new request to the engine, whose memory is freed with `in`. */
struct task_ask *mcp_task_ask(struct rpc_in *in, struct str id);

/* ---- as JSON (mcp_task_codec.c) ------------------------------------------------------------ */

/* Write the members of a Task; `whole`: also its questions, or its result. now: wall clock. */
void mcp_write_task(struct jw *w, struct arena *mem, const struct limits *limits, int64_t now,
                    const struct task_info *info, bool whole);

/* For struct task_call_spec: write {"result":...} or {"error":...}, the answer of the call. */
void mcp_write_outcome(struct jw *w, const struct call *call, const struct err *e);

/*
 * Find the kind of the open question with this key; asks: the parsed `asks` of struct task_info.
 * False: there is no such question.
 */
bool mcp_task_asks(struct arena *mem, struct json asks, struct str key, enum ask_kind *kind);

/* ---- tools/call (mcp_task_call.c) ---------------------------------------------------------- */

/*
 * Create a task for the call, or reject the call. False: run the call while the client waits.
 */
bool mcp_call_as_task(struct rpc_in *in, const struct tool *tool,
                      const struct mcp_tool_call *params);

/* Answer the call with the id of the task that continues it. */
void mcp_answer_task(struct rpc_in *in, struct str id);

/* ---- subscriptions/listen (mcp_task_listen.c) ---------------------------------------------- */

/* The tasks of one listen. */
struct mcp_task_watches {
    struct rpc_in *in;
    struct task_engine *engine;
    struct op *parent; /* NULL: not begun yet, or ended */
    struct mcp_task_watch *v;
    size_t n;
    size_t looking; /* number of pending lookups */
    void (*ready)(struct mcp_task_watches *ws);
};

/*
 * Find the tasks with these ids that exist and that this client may see. Then call ready(ws),
 * possibly before this returns. The lookups are child ops of `in`.
 */
void mcp_task_watches_find(struct mcp_task_watches *ws, struct rpc_in *in, struct pick_strs ids,
                           void (*ready)(struct mcp_task_watches *ws));

/* Write the member taskIds with the tasks that were found; writes nothing if there are none. */
void mcp_task_watches_write(struct jw *w, const struct mcp_task_watches *ws);

/* Notify the client of the state of each task, and then of every change. */
void mcp_task_watches_begin(struct mcp_task_watches *ws, struct op *parent);

/* Stop watching. */
void mcp_task_watches_end(struct mcp_task_watches *ws);

#endif
