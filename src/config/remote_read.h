/*
 * remote_read.h - reads the address and the credentials of a remote agent (core/agent/remote_spec.h)
 * from a definition:
 *
 *   url               the URL of the agent card, or the one below which it is looked for
 *   auth              {type, ...}; see below. Missing: no credentials
 *   binding           "JSONRPC" or "HTTP+JSON"
 *   protocol_version  "1.0", "0.3" or "0.1"
 *   origins           further origins to which the card may lead
 *   trefoil           true: the agent is another trefoil, which tells more than A2A can
 *
 *   auth.type         further members; secrets are env:NAME, file:PATH or a literal
 *   bearer            token
 *   api_key           key, name (default X-API-Key), in (header, query or cookie)
 *   basic             username, password
 *   oauth             client_id, client_secret, token_url, scope
 */
#ifndef CONFIG_REMOTE_READ_H
#define CONFIG_REMOTE_READ_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/remote_spec.h"

/* Read the members of `obj`, which must have a url. A literal secret is noted as a warning. */
bool remote_read(struct arena *mem, struct json obj, struct notes *notes, struct remote_spec *out,
                 struct err *e);

/*
 * Resolve the references to secrets; the values are in mem. `root` is the folder at which a
 * relative file:PATH begins.
 */
bool remote_resolve(struct arena *mem, const char *root, const struct limits *limits,
                    struct remote_spec *s, struct err *e);

#endif
