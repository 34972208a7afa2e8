/*
 * acp_client_settings.h - the modes, models and options of an agent's session, and which of them the
 * definition of the agent asks for.
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_SETTINGS_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_SETTINGS_H

#include "proto/acp/client/acp_client_parts.h"

/* Take the settings from the answer to session/new, load or resume. */
void acp_options_read(struct acp_driven *s, struct json result);

/* Forget them: the session of the agent is no longer open. */
void acp_settings_free(struct acp_driven *s);

/* Is a setting of the definition not set yet? */
bool acp_settings_pending(const struct acp_driven *s);

/* Tell the user about settings that the agent does not offer, once. */
void acp_settings_warn(struct acp_turn *t);

/* Set the next one; acp_turn_next follows. */
void acp_settings_apply(struct acp_turn *t);

/* An update has changed the options, or the mode. */
void acp_settings_options(struct acp_driven *s, struct json options);
void acp_settings_mode(struct acp_driven *s, struct str mode);

#endif
