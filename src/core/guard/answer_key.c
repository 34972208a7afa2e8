#include "core/guard/answer_store.h"

#include "loop/digest.h"

#include <stdio.h>

/* ---- canonical text --------------------------------------------------------------------------- */

/* Write the value without white space between its parts. Strings and numbers stay as written. */
static void compact_write(struct jw *w, struct arena *mem, struct json v)
{
    if (json_type(v) == JSON_OBJECT) {
        jw_object(w);
        JSON_MEMBERS(key, v)
        {
            jw_key(w, json_str(mem, key));
            compact_write(w, mem, json_value(key));
        }
        jw_object_end(w);
    } else if (json_type(v) == JSON_ARRAY) {
        jw_array(w);
        JSON_EACH(item, v)
        compact_write(w, mem, item);
        jw_array_end(w);
    } else {
        jw_raw(w, json_raw(v));
    }
}

static struct str compact_text(struct arena *mem, struct json v)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!json_here(v))
        return STR("{}");
    buf_init_in(&out, mem, 6 * json_raw(v).n + 16); /* enough even if all keys are escaped */
    compact_write(&w, mem, v);
    return buf_str(&out);
}

/* ---- the key ---------------------------------------------------------------------------------- */

/*
 * The texts of an edit differ from call to call, and a person who allows it for the project means
 * the file. For every other tool, the approval covers exactly the call that was shown.
 */
static struct str subject_of(struct arena *mem, const struct tool *tool, struct json args)
{
    struct json path = json_get(args, STR("path"));

    if (!tool->alias && tool->kind == TOOL_EDIT && json_type(path) == JSON_STRING)
        return arena_printf(mem, "path:" STR_FMT, STR_ARG(json_str(mem, path)));
    return arena_printf(mem, "args:" STR_FMT, STR_ARG(compact_text(mem, args)));
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
        .subject = subject_of(mem, tool, args),
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
