/*
 * acp_client.h - agents that speak ACP: programs such as Claude Code or Gemini CLI, which trefoil
 * starts, confines and controls.
 *
 * This is a kind of agent (core/agent/agent.h). Each session has a process of its own, which starts
 * with the first prompt and ends when the session is closed. The process runs under the keeper in
 * the sandbox profile `agent`. Its permission requests are judged by the guard, and its requests
 * for files and terminals run as tool calls of the session.
 *
 * The files of this folder:
 *   acp_client_kind.c             the functions of the port
 *   acp_client_conn.c             the process and its connection, up to `initialize`
 *   acp_client_spawn.c            command, environment and sandbox of the process
 *   acp_client_open.c             sessions of the agent: new, load, resume, authenticate
 *   acp_client_prompt.c           the states of a prompt
 *   acp_client_content.c          prompts as ACP content, and content as text
 *   acp_client_transcript.c       the conversation so far, for an agent that does not know it
 *   acp_client_updates.c          session/update: text, thoughts, plans, usage
 *   acp_client_tool_call.c        session/update: tool calls
 *   acp_client_permission.c       session/request_permission
 *   acp_client_elicitation.c      elicitation/create
 *   acp_client_call.c             requests of the agent that run as tool calls
 *   acp_client_files.c            fs/read_text_file, fs/write_text_file
 *   acp_client_terminal_create.c  terminal/create
 *   acp_client_terminals.c        terminal/output, wait_for_exit, kill, release
 *   acp_client_settings.c         modes, models and options of the agent's session
 *   acp_client_home.c             the HOME of the process
 *   acp_client_preset.c           programs that trefoil knows
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_H

#include "core/agent/agent.h"
#include "rpc/peer.h"

struct place;
struct procs;
struct workspace;

/* Files of the user that an agent needs; names are relative to both folders. */
struct acp_home_files {
    const char *users, *private_home;                 /* absolute paths */
    const char *const *settings, *const *credentials; /* lists that end with NULL, or NULL */
};

/*
 * What other rooms do for agents (implemented in runtime/acp_tools.c). The files and terminals that
 * an agent asks us for obey the same rules as those of trefoil's own tools.
 */
struct acp_tools {
    /*
     * The HOME of an agent in the sandbox gets copies of the user's settings and credentials, and
     * renewed credentials are copied back (state/credentials.h). The functions block.
     */
    bool (*copy_in)(const struct acp_home_files *f, struct err *e);
    bool (*copy_back)(const struct acp_home_files *f, struct err *e);
    /* Delete the HOME of a session. */
    void (*delete_home)(const char *state, const char *session);

    /* Find the place of a path, to read or to write it. False: the call has failed. */
    bool (*place)(struct call *call, struct str path, bool writes, struct place *out);
    struct workspace *(*workspace)(const struct host *host);
    /* The sandbox profile that the guard has chosen for a command; NULL: none. */
    const struct sandbox_profile *(*sandbox)(struct call *call);
};

/* What all agents of a program share. Lives as long as the program. */
struct acp_world {
    struct rpc *rpc;
    struct procs *procs;
    const struct acp_tools *tools;
    const char *const *environ; /* our environment, of which agents inherit a part */
    const char *name, *version; /* of this program, for the agent */
};

struct acp_preset;

/* The program of an agent: `own` of struct agent. */
struct acp_program {
    const struct acp_world *world;
    const struct agent_def *def;
    const struct acp_preset *preset; /* never NULL */
    struct str model;                /* the model to use; STR_NONE: the program chooses */
    struct str instructions;         /* persona, rules and instructions; STR_NONE: none */
};

enum { ACP_AGENT_CAPS = AGENT_MEDIA | AGENT_RESUMES | AGENT_SAVES };

extern const struct agent_kind acp_agent_kind;

#endif
