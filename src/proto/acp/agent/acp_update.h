/*
 * acp_update.h - sends the events of a session to its client, as notifications session/update.
 *
 * docs/PROTOCOLS.md lists the update for each kind of event. An update that needs a capability is
 * sent only to a client that has declared the capability.
 */
#ifndef PROTO_ACP_AGENT_ACP_UPDATE_H
#define PROTO_ACP_AGENT_ACP_UPDATE_H

#include "proto/acp/agent/acp_session.h"

/* For struct work_client_kind: an event of the session, or of a session below it. */
void acp_update_event(struct work_client *client, const struct event *ev);
void acp_update_below(struct work_client *client, struct str session, const struct event *ev);

/*
 * Tell the user something that is not the agent's answer: with a notice or, if the client has none,
 * with a message of its own.
 */
void acp_update_explain(struct acp_session *s, struct str sentence);

/* Send the sentences of acp_session_note, if there are any. */
void acp_update_notice(struct acp_session *s);

/* A turn or a replay has ended: end open tool calls, and forget artifacts. */
void acp_update_end_turn(struct acp_session *s);

/* Free the streams of a session that is closed. */
void acp_update_free(struct acp_session *s);

/* Send text as a message of the agent with a new id, for the output of commands. */
void acp_update_text(struct acp_session *s, struct str text);

/* Send the title of the session; STR_NONE: it has none, and nothing is sent. */
void acp_update_title(struct acp_session *s, struct str title);

/*
 * Send the commands (if they are not those that the client has got last), the mode, or all config
 * options of the session.
 */
void acp_update_commands(struct acp_session *s);
void acp_update_mode(struct acp_session *s);
void acp_update_options(struct acp_session *s);

/*
 * Write an update: acp_update_begin returns a writer inside the object `update`, for the members
 * after sessionUpdate. acp_update_end sends it; false: it is too large and was not sent.
 */
struct jw *acp_update_begin(struct acp_session *s, const char *kind);
bool acp_update_end(struct acp_session *s);

#endif
