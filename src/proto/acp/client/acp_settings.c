#include "proto/acp/client/acp_settings.h"

void acp_settings_read(struct acp_session *s, struct json result)
{
    (void)s;
    (void)result;
}

void acp_settings_free(struct acp_session *s)
{
    (void)s;
}

bool acp_settings_pending(const struct acp_session *s)
{
    (void)s;
    return false;
}

void acp_settings_apply(struct acp_turn *t)
{
    (void)t;
}

void acp_settings_options(struct acp_session *s, struct json options)
{
    (void)s;
    (void)options;
}

void acp_settings_mode(struct acp_session *s, struct str mode)
{
    (void)s;
    (void)mode;
}
