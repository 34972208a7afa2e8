/*
 * artifact_write.c - the tool with which an agent hands over an artifact: a report, a table, a
 * program.
 *
 * The tool stores nothing. It returns the artifact, which becomes an event (TOOL_TELLS_ARTIFACT).
 */
#include "base/id.h"
#include "base/utf8.h"
#include "core/block.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

enum { NAME_MOST = 200, TYPE_MOST = 100 };

struct artifact_write_args {
    struct str name, text, type, description, id;
    struct json parts;
    bool append, last;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("name", PICK_STR, struct artifact_write_args, name, PICK_MUST),
    PICK_FIELD("text", PICK_STR, struct artifact_write_args, text, 0),
    PICK_FIELD("type", PICK_STR, struct artifact_write_args, type, 0),
    PICK_FIELD("parts", PICK_ARRAY, struct artifact_write_args, parts, 0),
    PICK_FIELD("description", PICK_STR, struct artifact_write_args, description, 0),
    PICK_FIELD("id", PICK_STR, struct artifact_write_args, id, 0),
    PICK_FIELD("append", PICK_BOOL, struct artifact_write_args, append, 0),
    PICK_FIELD("last", PICK_BOOL, struct artifact_write_args, last, 0),
};

/* type "/" subtype, and perhaps parameters; nothing that a header could not carry. */
static bool is_type(struct str s)
{
    ptrdiff_t slash = str_find_byte(s, '/');

    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return s.n <= TYPE_MOST && slash > 0 && (size_t)slash + 1 < s.n;
}

static bool check_name(struct call *call, const struct artifact_write_args *args)
{
    if (!args->name.n || args->name.n > NAME_MOST)
        call_failed(call, "name: expected 1 to %d bytes", (int)NAME_MOST);
    else if (args->id.p && (!args->id.n || args->id.n > NAME_MOST))
        call_failed(call, "id: expected 1 to %d bytes", (int)NAME_MOST);
    else if (!is_type(args->type))
        call_failed(call, "type: expected a media type such as text/markdown");
    else
        return true;
    return false;
}

/* The content as it was given: a text with its type, or parts. False: the call has failed. */
static bool write_content(struct call *call, struct jw *w, const struct artifact_write_args *args)
{
    struct blocks parts;
    struct err e;

    if (args->text.p && !json_here(args->parts)) { /* it may be empty */
        jw_kstr(w, "type", args->type);
        jw_kstr(w, "text", args->text);
        return true;
    }
    if (!blocks_pick(call->mem, call->args, "text", args->text, args->parts, call->host->limits,
                     &parts, &e)) {
        call_failed(call, "%s", e.text);
        return false;
    }
    jw_plain_key(w, STR("parts"));
    blocks_write(w, parts);
    return true;
}

static bool write_artifact(struct call *call, const struct artifact_write_args *args)
{
    struct jw w = jw_to(&call->structured);
    char id[ID_TEXT];

    id_new(loop_wall(call->host->loop), id);
    jw_object(&w);
    jw_kstr(&w, "id", args->id.p ? args->id : str_of(id));
    jw_kstr(&w, "name", args->name);
    jw_kstr(&w, "description", args->description);
    if (!write_content(call, &w, args))
        return false;
    if (args->append)
        jw_kbool(&w, "append", true);
    if (!args->last)
        jw_kbool(&w, "last", false);
    jw_object_end(&w);
    if (!call->structured.full)
        return true;
    call_failed(call, "text: the artifact is too large for one message");
    return false;
}

static void start(struct call *call)
{
    struct artifact_write_args args = { .type = STR("text/plain"), .last = true };

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !check_name(call, &args) ||
        !write_artifact(call, &args))
        return;
    if (args.text.p)
        call_text(call, arena_printf(call->mem, "Made the artifact " STR_FMT " (" COUNT_FMT ").",
                                     STR_ARG(args.name), COUNT_ARG(args.text.n, "byte")));
    else
        call_text(call,
                  arena_printf(call->mem, "Made the artifact " STR_FMT " (" COUNT_FMT ").",
                               STR_ARG(args.name), COUNT_ARG(json_count(args.parts), "part")));
    call_done(call);
}

const struct tool tool_artifact_write = {
    .name = "artifact_write",
    .title = "Write an artifact",
    .description =
        "Return a result, such as a report, separately from your answer. For project files, use "
        "file_write.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":200},"
                    "\"text\":{\"type\":\"string\"},"
                    "\"type\":{\"type\":\"string\","
                    "\"description\":\"Media type of text; default text/plain.\"},"
                    "\"parts\":{\"type\":\"array\",\"description\":"
                    "\"Content blocks instead of `text`.\"},"
                    "\"description\":{\"type\":\"string\"},"
                    "\"id\":{\"type\":\"string\",\"description\":\"Earlier artifact to replace or "
                    "extend.\"},"
                    "\"append\":{\"type\":\"boolean\",\"description\":\"Extend that "
                    "artifact.\"},\"last\":{\"type\":\"boolean\",\"description\":\"false: "
                    "more pieces follow.\"}},"
                    "\"required\":[\"name\"]}",
    .kind = TOOL_THINK,
    .tells = TOOL_TELLS_ARTIFACT,
    .read_only = true,
    .start = start,
};
