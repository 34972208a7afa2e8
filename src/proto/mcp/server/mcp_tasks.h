/*
 * mcp_tasks.h - the extension io.modelcontextprotocol/tasks (SEP-2663), served from the task engine.
 *
 * A client that declares it with a tools/call may get a task instead of the result:
 *
 *   tools/call -> {resultType: "task", taskId, ...}          mcp_task_call.c
 *   tasks/get, tasks/update, tasks/cancel                    mcp_tasks.c
 *   notifications/tasks, on subscriptions/listen             mcp_task_listen.c
 *
 * Only tools that say so become one (tool.h), and only where tasks are kept. The task is stored
 * before its id is told. Whose it is, is decided by who authenticated; to others it is unknown. What
 * it asks is told by tasks/get and answered by tasks/update, under keys that are never used again.
 */
#ifndef PROTO_MCP_SERVER_MCP_TASKS_H
#define PROTO_MCP_SERVER_MCP_TASKS_H

#include "core/task/task_call.h"
#include "proto/mcp/server/mcp_method.h"

/* ---- who has them ------------------------------------------------------------------------- */

/* Are tasks kept where this is offered, or will be in a moment? */
bool mcp_keeps_tasks(const struct offer *offer);

/* Does the client of this request know what a task is? */
bool mcp_knows_tasks(const struct rpc_in *in);

/* It does not, and would have to. */
void mcp_refuse_taskless(struct rpc_in *in);

/* Whose tasks this client begins and sees. */
struct str mcp_task_owner(const struct rpc_in *in);

/* Run then(who, engine) once tasks are there; NULL: they will not be. Answers errors itself. */
void mcp_when_tasks(struct rpc_in *in, void (*then)(void *ctx, struct task_engine *engine),
                    void *ctx);

/* A request to the engine for `in`, which its memory goes with. */
struct task_ask *mcp_task_ask(struct rpc_in *in, struct str id);

/* ---- as JSON (mcp_task_codec.c) ------------------------------------------------------------ */

/* The members of a Task; `whole`: also what is asked, or what came of it. now: wall clock. */
void mcp_write_task(struct jw *w, struct arena *mem, const struct limits *limits, int64_t now,
                    const struct task_info *info, bool whole);

/* For struct task_call_spec: {"result"} or {"error"}, as the answer would have been. */
void mcp_write_outcome(struct jw *w, const struct call *call, const struct err *e);

/* The kind of an open ask of a task, by asks of struct task_info, read. False: none of that key. */
bool mcp_task_asks(struct arena *mem, struct json asks, struct str key, enum ask_kind *kind);

/* ---- tools/call (mcp_task_call.c) ---------------------------------------------------------- */

/* Make it a task, or refuse; false: it is to run while its client waits. */
bool mcp_call_as_task(struct rpc_in *in, const struct tool *tool,
                      const struct mcp_tool_call *params);

/* It has become this task. */
void mcp_answer_task(struct rpc_in *in, struct str id);

/* ---- subscriptions/listen (mcp_task_listen.c) ---------------------------------------------- */

/* The tasks of one listen. */
struct mcp_task_watches {
    struct rpc_in *in;
    struct task_engine *engine;
    struct op *parent; /* NULL: not begun yet, or ended */
    struct mcp_task_watch *v;
    size_t n;
    size_t looking; /* how many are still looked up */
    void (*ready)(struct mcp_task_watches *ws);
};

/* Which of these are there, and this client's? Then ready(ws), now or later, under `in`. */
void mcp_task_watches_find(struct mcp_task_watches *ws, struct rpc_in *in, struct pick_strs ids,
                           void (*ready)(struct mcp_task_watches *ws));

/* The member taskIds, of those that were found; nothing when none was. */
void mcp_task_watches_write(struct jw *w, const struct mcp_task_watches *ws);

/* Tell how each of them is, and then of every change. */
void mcp_task_watches_begin(struct mcp_task_watches *ws, struct op *parent);

/* No longer. */
void mcp_task_watches_end(struct mcp_task_watches *ws);

#endif
