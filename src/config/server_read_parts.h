/* server_read_parts.h - reads the parts of a server entry that can be written in several ways. */
#ifndef CONFIG_SERVER_READ_PARTS_H
#define CONFIG_SERVER_READ_PARTS_H

#include "config/server_read.h"

/* Read a string and replace ${...} in it. The string must not contain a NUL. */
bool server_text(const struct server_reader *r, struct json v, struct str *out, struct err *e);

/*
 * Read the value of a variable, a header or a key. The value may be a secret, or a reference to a
 * secret (config_values.h). If the file itself contains a secret, the function adds a note. If the
 * referenced value does not exist, the error code is different from ERR_INVALID.
 */
bool server_secret(const struct server_reader *r, struct str name, struct json v, struct str *out,
                   struct err *e);

/*
 * Read the keys `command` and `args` of an entry into out->argv and out->shown. Either key may be
 * missing.
 */
bool server_argv(const struct server_reader *r, struct json command, struct json args,
                 struct server_spec *out, struct err *e);

bool server_env(const struct server_reader *r, struct json env, struct server_spec *out,
                struct err *e);

bool server_url(const struct server_reader *r, struct json url, struct server_spec *out,
                struct err *e);

bool server_headers(const struct server_reader *r, struct json headers, struct server_spec *out,
                    struct err *e);

/*
 * Read the key `tools` of an entry, with settings for single tools, into out->override. The key has
 * the form tools = { NAME = { hide = true, rename = "...", description = "..." } }.
 */
bool server_overrides(const struct server_reader *r, struct json tools, struct server_spec *out,
                      struct err *e);

/*
 * Read the key `toolInclude` of an entry, which selects the tools that are offered only to agents
 * that name them, into out->manual and out->otherwise. The key has the form toolInclude = {
 * serverDefault = "always", tools = { NAME = "manual" } }.
 */
bool server_includes(const struct server_reader *r, struct json include, struct server_spec *out,
                     struct err *e);

#endif
