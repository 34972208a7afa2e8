/*
 * acp_settings.h - the settings of a session that a client can change: the mode, and the config
 * options mode, model, thought_level and agent.
 *
 * ACP shows the mode in two places, `modes` and the config option `mode`. They always agree.
 */
#ifndef PROTO_ACP_AGENT_ACP_SETTINGS_H
#define PROTO_ACP_AGENT_ACP_SETTINGS_H

#include "proto/acp/agent/acp_session.h"

/* The id of the current mode: "read-only" or "read-write". */
const char *acp_mode_of(const struct acp_session *s);

/* Write the members `modes` and `configOptions`, or only `configOptions`. */
void acp_settings_write(struct jw *w, const struct acp_session *s);
void acp_options_write(struct jw *w, const struct acp_session *s);

/* The choices of the user as JSON, for store_session.settings; in mem. */
struct str acp_settings_text(struct arena *mem, const struct agent_want *want);

/* Read that text. What it does not contain stays as it is in *want. */
void acp_settings_read(struct arena *mem, const struct limits *limits, struct str text,
                       struct agent_want *want);

#endif
