/* server_read_parts.h - the parts of an entry that have several shapes, for server_read.c. */
#ifndef CONFIG_SERVER_READ_PARTS_H
#define CONFIG_SERVER_READ_PARTS_H

#include "config/server_read.h"

/* A string of the entry with ${...} replaced; no NUL in it. */
bool server_text(const struct server_reader *r, struct json v, struct str *out, struct err *e);

/*
 * The value of a variable, a header or a key: may be a secret, or refer to one (config_values.h). A
 * secret in the file itself is noted. If the referenced value does not exist, the code of the error
 * is not ERR_INVALID.
 */
bool server_secret(const struct server_reader *r, struct str name, struct json v, struct str *out,
                   struct err *e);

/* command and args, either may be missing; *shown is the line for people. */
bool server_argv(const struct server_reader *r, struct json command, struct json args,
                 struct server_spec *out, struct err *e);

bool server_env(const struct server_reader *r, struct json env, struct server_spec *out,
                struct err *e);

bool server_url(const struct server_reader *r, struct json url, struct server_spec *out,
                struct err *e);

bool server_headers(const struct server_reader *r, struct json headers, struct server_spec *out,
                    struct err *e);

/* tools = { name = { hide, rename, description } } */
bool server_overrides(const struct server_reader *r, struct json tools, struct server_spec *out,
                      struct err *e);

/* toolInclude = { serverDefault = "always", tools = { name = "manual" } } */
bool server_includes(const struct server_reader *r, struct json include, struct server_spec *out,
                     struct err *e);

#endif
