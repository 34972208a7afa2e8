/*
 * artifact_write.c - something made for whoever asked: a report, a table, a program.
 *
 * Nothing is kept here: it comes back as it is, for those who show it.
 */
#include "base/id.h"
#include "base/utf8.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

enum { NAME_MOST = 200, TYPE_MOST = 100 };

struct artifact_write_args {
    struct str name, text, type;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("name", PICK_STR, struct artifact_write_args, name, PICK_MUST),
    PICK_FIELD("text", PICK_STR, struct artifact_write_args, text, PICK_MUST),
    PICK_FIELD("type", PICK_STR, struct artifact_write_args, type, 0),
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

static void start(struct call *call)
{
    struct artifact_write_args args = { .type = STR("text/plain") };
    struct jw w = jw_to(&call->structured);
    char id[ID_TEXT];

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    if (!args.name.n || args.name.n > NAME_MOST) {
        call_failed(call, "name: expected 1 to %d bytes", (int)NAME_MOST);
        return;
    }
    if (!is_type(args.type)) {
        call_failed(call, "type: expected a media type such as text/markdown");
        return;
    }
    id_new(loop_wall(call->host->loop), id);
    jw_object(&w);
    jw_kstr(&w, "id", str_of(id));
    jw_kstr(&w, "name", args.name);
    jw_kstr(&w, "type", args.type);
    jw_kstr(&w, "text", args.text);
    jw_object_end(&w);
    if (call->structured.full) {
        call_failed(call, "text: too long");
        return;
    }
    call_text(call, arena_printf(call->mem, "Made the artifact " STR_FMT " (" COUNT_FMT ").",
                                 STR_ARG(args.name), COUNT_ARG(args.text.n, "byte")));
    call_done(call);
}

const struct tool tool_artifact_write = {
    .name = "artifact_write",
    .title = "Make an artifact",
    .description =
        "Hand over a complete result (a report, a table, a program) apart from your answer. "
        "For files of the project use file_write.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":200},"
                    "\"text\":{\"type\":\"string\"},"
                    "\"type\":{\"type\":\"string\","
                    "\"description\":\"Media type; default text/plain.\"}},"
                    "\"required\":[\"name\",\"text\"]}",
    .kind = TOOL_THINK,
    .tells = TOOL_TELLS_ARTIFACT,
    .read_only = true,
    .start = start,
};
