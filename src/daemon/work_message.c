#include "daemon/work_message.h"

enum { DEEPER = 8 }; /* levels of nesting that a message adds to its content */

#define VALUE(name) PICK_FIELD(#name, PICK_OBJECT, struct work_message, name, 0)
#define NUMBER(name) PICK_FIELD(#name, PICK_INT, struct work_message, name, 0)
#define TRUTH(name) PICK_FIELD(#name, PICK_BOOL, struct work_message, name, 0)
#define TEXT(name) PICK_FIELD(#name, PICK_STR, struct work_message, name, 0)

static const struct pick message_fields[] = {
    VALUE(begins),   VALUE(event), VALUE(value), VALUE(params), VALUE(progress),
    VALUE(result),   NUMBER(ask),  NUMBER(log),  NUMBER(taken), NUMBER(answer),
    NUMBER(done),    TRUTH(turns), TEXT(work),   TEXT(note),    TEXT(below),
    TRUTH(canceled), TEXT(kind),   TEXT(code),   TEXT(failed),  TEXT(text),
};

bool work_message_read(struct arena *mem, struct str text, const struct limits *limits,
                       struct work_message *out, struct err *e)
{
    struct json_opts opts = limits_json(limits);
    struct work_message m = { .answer = -1, .ask = -1, .taken = -1, .done = -1, .log = -1 };
    struct json root;

    opts.max_depth += DEEPER;
    opts.max_values += DEEPER;
    if (!json_read(mem, arena_str(mem, text), &opts, &root, e) ||
        !pick(mem, root, PICK_TABLE(message_fields), PICK_LENIENT, &m, e))
        return false;
    *out = m;
    return true;
}

/* ---- the request ----------------------------------------------------------------------------- */

struct run_request {
    struct run_want want;
    bool person;
};

static const struct pick want_fields[] = {
    PICK_FIELD("agent", PICK_STR, struct run_request, want.agent, 0),
    PICK_FIELD("session", PICK_STR, struct run_request, want.session, 0),
    PICK_FIELD("model", PICK_STR, struct run_request, want.model, 0),
    PICK_FIELD("mode", PICK_STR, struct run_request, want.mode, 0),
    PICK_FIELD("text", PICK_STR, struct run_request, want.text, 0),
    PICK_FIELD("last", PICK_BOOL, struct run_request, want.last, 0),
    PICK_FIELD("no_save", PICK_BOOL, struct run_request, want.no_save, 0),
    PICK_FIELD("person", PICK_BOOL, struct run_request, person, 0),
};

bool run_want_read(struct arena *mem, struct json run, struct run_want *out, bool *person,
                   struct err *e)
{
    struct run_request r = { 0 };

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

enum err_code err_code_named(struct str name)
{
    for (int c = ERR_NONE + 1; c <= ERR_SYSTEM; c++)
        if (str_eq(name, str_of(err_code_name((enum err_code)c))))
            return (enum err_code)c;
    return ERR_DENIED;
}
