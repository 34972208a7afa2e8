/*
 * acp_question.h - questions to the client: permissions (session/request_permission) and forms and
 * pages (elicitation/create).
 */
#ifndef PROTO_ACP_AGENT_ACP_QUESTION_H
#define PROTO_ACP_AGENT_ACP_QUESTION_H

#include "core/event.h"

/* For struct work_client_kind. */
bool acp_question_can(const struct work_client *client, enum ask_kind kind);
void acp_question_ask(struct work_client *client, struct ask *ask);

#endif
