/*
 * remote_port.h - the port to remote agents that are not configured: a model has learnt the URL of
 * one. For the tools a2a_discover and a2a_send; proto/a2a/client/a2a_tools.h implements it.
 */
#ifndef CORE_AGENT_REMOTE_PORT_H
#define CORE_AGENT_REMOTE_PORT_H

#include "core/tool/call.h"

struct remote_message {
    struct str url;
    struct str text;
    struct str context, task; /* to continue a conversation or a task; STR_NONE: a new one */
};

/*
 * Both functions settle the call later: with the card, or with the answer and the ids of its
 * conversation and task. The results are untrusted data.
 */
struct remote_port {
    void (*discover)(struct remote_port *p, struct call *call, struct str url);
    void (*send)(struct remote_port *p, struct call *call, const struct remote_message *m);
};

#endif
