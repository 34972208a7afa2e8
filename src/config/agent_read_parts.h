/*
 * agent_read_parts.h - shared by the files that read a definition of an agent:
 *
 *   agent_read.c          the formats, and the keys that every agent has
 *   agent_read_program.c  the keys of a program that speaks ACP
 *   agent_read_remote.c   the keys of a remote agent
 */
#ifndef CONFIG_AGENT_READ_PARTS_H
#define CONFIG_AGENT_READ_PARTS_H

#include "base/pick.h"
#include "config/agent_read.h"

struct agent_mcp_table {
    struct pick_strs expose, hidden;
};

/* The keys as they are written. */
struct agent_fields {
    struct str name, description, persona, tier, model, provider, fallback_model, mode;
    struct str effort, output_format, approval_mode, folder, script, preset, url;
    bool isolate;
    struct json tools, allowed_tools, disallowed_tools, include_dirs, command, env, pass_env;
    struct json auth, binding, protocol_version, origins, trefoil; /* remote_read.h reads these */
    int64_t max_turns;
    double budget;
    struct agent_mcp_table mcp;
};

/* What is read, and where. */
struct agent_reading {
    const struct agent_reader *r;
    struct json obj;
    struct agent_def *def;
    struct err *e;
};

/* null is as good as nothing. */
static inline bool agent_read_said(struct json v)
{
    return json_here(v) && json_type(v) != JSON_NULL;
}

/* Read a list of strings, or a string with commas. A missing value leaves *out as it is. */
bool agent_read_list(const struct agent_reading *in, struct json v, struct pick_strs *out);

/* Check the name and set it. STR_NONE leaves the name as it is. */
bool agent_read_name(const struct agent_reading *in, struct str name);

/* Check and set the keys command, preset, env and pass_env. */
bool agent_read_program(const struct agent_reading *in, const struct agent_fields *raw);

/* Check and set the keys url, auth, binding, protocol_version, origins and trefoil. */
bool agent_read_remote(const struct agent_reading *in, const struct agent_fields *raw);

#endif
