/*
 * acp_settings.h - the settings of a session that a client can change: the mode, and the config
 * options mode, model, thought_level and agent.
 *
 * ACP shows the mode in two places, `modes` and the config option `mode`. They always agree. The
 * modes are:
 *
 *   auto        the agent may write; the guard asks where approval is needed
 *   ask         the agent may write, and every call that changes something needs approval
 *   read-only   the agent may only read
 *
 * `read-write`, the mode of core that both of the first two are, is accepted as another name of
 * auto.
 */
#ifndef PROTO_ACP_AGENT_ACP_SETTINGS_H
#define PROTO_ACP_AGENT_ACP_SETTINGS_H

#include "proto/acp/agent/acp_session.h"

/* The id of the current mode. */
const char *acp_mode_of(const struct acp_session *s);

enum acp_mode { ACP_MODE_AUTO, ACP_MODE_ASK, ACP_MODE_READ_ONLY, ACP_MODES };

/* Find a mode by its id. False: there is none. */
bool acp_mode_named(struct str id, enum acp_mode *out);

/* The mode that core has for this mode. */
enum agent_mode acp_mode_core(enum acp_mode mode);

/* Can the session only be read-only, because of the agent's definition or the configuration? */
bool acp_mode_is_fixed(const struct acp_session *s);

/* Let calls that change something need approval, or not, from the next tool call on. */
void acp_mode_set_asks(struct acp_session *s, bool asks);

/* Write the members `modes` and `configOptions`, or only `configOptions`. */
void acp_settings_write(struct jw *w, const struct acp_session *s);
void acp_options_write(struct jw *w, const struct acp_session *s);

/* The choices of the user as JSON, for store_session.settings; in mem. */
struct str acp_settings_text(struct arena *mem, const struct agent_want *want, bool asks);

/* Set s->want and s->asks to the stored agent and that text. */
void acp_settings_read(struct acp_session *s, struct str agent, struct str text);

#endif
