#include "core/guard/answer_store.h"

#include "base/json_canonical.h"
#include "loop/digest.h"

#include <stdio.h>

/* ---- the key ---------------------------------------------------------------------------------- */

/* The arguments of a command, without the reason that the model gives. */
static struct str command_text(struct arena *mem, const struct host *host, struct json args)
{
    struct json_opts opts = limits_json(host->limits);
    struct json rest = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);
    struct err e;

    buf_init_in(&out, mem, 6 * (json_here(args) ? json_raw(args).n : 0) + 16);
    jw_object(&w);
    JSON_MEMBERS(key, args)
    {
        if (json_is(key, STR("reason")))
            continue;
        jw_key(&w, json_str(mem, key));
        jw_raw(&w, json_raw(json_value(key)));
    }
    jw_object_end(&w);
    return json_read(mem, buf_str(&out), &opts, &rest, &e) ? json_canonical(mem, rest)
                                                           : buf_str(&out);
}

/* A command that was approved in one sandbox profile is asked about again in another one. */
static struct str command_subject(struct arena *mem, const struct host *host,
                                  const struct caller *caller, const struct tool *tool,
                                  struct json args)
{
    struct guard_sandbox s = guard_sandbox_of(host, caller->scope, tool, args);

    return arena_printf(mem, "sandbox:%s:%s:" STR_FMT, sandbox_kind_name(s.kind),
                        s.enforced ? "enforced" : "reduced",
                        STR_ARG(command_text(mem, host, args)));
}

/*
 * The texts of an edit differ from call to call, and a person who allows it for the project means
 * the file. For every other tool, the approval covers exactly the call that was shown.
 */
static struct str subject_of(struct arena *mem, const struct host *host,
                             const struct caller *caller, const struct tool *tool, struct json args)
{
    struct json path = json_get(args, STR("path"));

    if (tool->sandbox)
        return command_subject(mem, host, caller, tool, args);
    if (!tool->alias && tool->kind == TOOL_EDIT && json_type(path) == JSON_STRING)
        return arena_printf(mem, "path:" STR_FMT, STR_ARG(json_str(mem, path)));
    return arena_printf(mem, "args:" STR_FMT,
                        STR_ARG(json_here(args) ? json_canonical(mem, args) : STR("{}")));
}

static void put_part(struct buf *out, struct str part)
{
    buf_printf(out, "%zu:", part.n);
    buf_put(out, part);
}

static struct str definition_text(struct arena *mem, const struct tool *t)
{
    const char *const parts[] = { t->name,         t->alias,         t->title,      t->description,
                                  t->input_schema, t->output_schema, t->annotations };
    struct buf out;
    size_t most = 64;

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        most += str_of(parts[i]).n + 32;
    buf_init_in(&out, mem, most);
    buf_printf(&out, "%d:%d:", (int)t->kind, (int)t->read_only);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        put_part(&out, str_of(parts[i]));
    return buf_str(&out);
}

struct answer_key answer_key_of(struct arena *mem, const struct host *host,
                                const struct caller *caller, const struct tool *tool,
                                struct json args)
{
    return (struct answer_key){
        .root = str_of(host->root),
        .cwd = str_of(host->cwd ? host->cwd : host->root),
        .principal = caller->principal,
        .agent = str_of(caller->name),
        .tool = str_of(tool->name),
        .definition = definition_text(mem, tool),
        .subject = subject_of(mem, host, caller, tool, args),
    };
}

bool answer_key_id(struct arena *mem, const struct answer_key *key, char out[ANSWER_ID],
                   struct err *e)
{
    const struct str parts[] = { key->root, key->cwd,        key->principal, key->agent,
                                 key->tool, key->definition, key->subject };
    char hash[MAC_BYTES];
    struct buf text;
    size_t most = 64;

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        most += parts[i].n + 32;
    buf_init_in(&text, mem, most);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        put_part(&text, parts[i]);
    if (!mac_sha256(STR("trefoil answer"), buf_str(&text), hash, e))
        return false;
    for (size_t i = 0; i < (ANSWER_ID - 1) / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", (unsigned char)hash[i]);
    return true;
}
