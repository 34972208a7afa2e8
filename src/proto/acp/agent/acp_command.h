/*
 * acp_command.h - commands of a session: prompts whose text is "/name arguments".
 *
 * A command works on the session itself, such as /compact, or loads a skill. The client gets the
 * list as available commands. An unknown command is sent to the agent, which may know it.
 */
#ifndef PROTO_ACP_AGENT_ACP_COMMAND_H
#define PROTO_ACP_AGENT_ACP_COMMAND_H

#include "proto/acp/agent/acp_prompt.h"

/* Write the commands as a JSON array of {name, description, input}. */
void acp_commands_write(struct jw *w, const struct acp_session *s);

/*
 * If the prompt is a command, start it; acp_prompt_end follows. Returns false if it is none, or if
 * the command has only replaced p->blocks by the prompt to send.
 */
bool acp_command_start(struct acp_prompt *p);

#endif
