#include "daemon/attached_run_lines.h"

enum { DEEPER = 8 }; /* a line is around what the limit is for */

#define VALUE(name) PICK_FIELD(#name, PICK_OBJECT, struct run_line, name, 0)
#define NUMBER(name) PICK_FIELD(#name, PICK_INT, struct run_line, name, 0)
#define TRUTH(name) PICK_FIELD(#name, PICK_BOOL, struct run_line, name, 0)
#define TEXT(name) PICK_FIELD(#name, PICK_STR, struct run_line, name, 0)

static const struct pick line_fields[] = {
    VALUE(run),  VALUE(begins), VALUE(event), VALUE(value),  VALUE(params), NUMBER(answer),
    NUMBER(ask), NUMBER(taken), NUMBER(done), TRUTH(cancel), TRUTH(turns),  TRUTH(canceled),
    TEXT(note),  TEXT(below),   TEXT(kind),   TEXT(code),    TEXT(text),
};

bool run_line_read(struct arena *mem, const struct frame *frame, const struct limits *limits,
                   struct run_line *out, struct err *e)
{
    struct json_opts opts = limits_json(limits);
    struct run_line line = { .answer = -1, .ask = -1, .taken = -1, .done = -1 };
    struct json root;

    opts.max_depth += DEEPER;
    opts.max_values += DEEPER;
    if (frame->kind != FRAME_MESSAGE)
        return fail(e, ERR_LIMIT, "a line is too large");
    if (!json_read(mem, arena_str(mem, frame->text), &opts, &root, e) ||
        !pick(mem, root, PICK_TABLE(line_fields), PICK_LENIENT, &line, e))
        return false;
    *out = line;
    return true;
}

/* ---- the request ----------------------------------------------------------------------------- */

struct request {
    struct run_want want;
    bool person;
};

static const struct pick want_fields[] = {
    PICK_FIELD("agent", PICK_STR, struct request, want.agent, 0),
    PICK_FIELD("session", PICK_STR, struct request, want.session, 0),
    PICK_FIELD("model", PICK_STR, struct request, want.model, 0),
    PICK_FIELD("mode", PICK_STR, struct request, want.mode, 0),
    PICK_FIELD("text", PICK_STR, struct request, want.text, 0),
    PICK_FIELD("last", PICK_BOOL, struct request, want.last, 0),
    PICK_FIELD("no_save", PICK_BOOL, struct request, want.no_save, 0),
    PICK_FIELD("person", PICK_BOOL, struct request, person, 0),
};

bool run_want_read(struct arena *mem, struct json run, struct run_want *out, bool *person,
                   struct err *e)
{
    struct request r = { 0 };

    if (!pick(mem, run, PICK_TABLE(want_fields), PICK_LENIENT, &r, e))
        return false;
    *out = r.want;
    *person = r.person;
    return true;
}

void run_want_write(struct jw *w, const struct run_want *want, bool person)
{
    jw_object(w);
    jw_kstr(w, "agent", want->agent);
    jw_kstr(w, "session", want->session);
    jw_kstr(w, "model", want->model);
    jw_kstr(w, "mode", want->mode);
    jw_kstr(w, "text", want->text);
    jw_kbool(w, "last", want->last);
    jw_kbool(w, "no_save", want->no_save);
    jw_kbool(w, "person", person);
    jw_object_end(w);
}

/* ---- words ----------------------------------------------------------------------------------- */

enum err_code run_code_named(struct str name)
{
    for (int c = ERR_NONE + 1; c <= ERR_SYSTEM; c++)
        if (str_eq(name, str_of(err_code_name((enum err_code)c))))
            return (enum err_code)c;
    return ERR_DENIED;
}
