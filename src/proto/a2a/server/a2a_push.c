/* a2a_push.c - push configurations. */
#include "proto/a2a/server/a2a_call.h"

void a2a_op_push(struct a2a_call *c)
{
    a2a_refuse(c, A2A_PUSH_NOT_SUPPORTED, "push notifications are not available yet");
}
