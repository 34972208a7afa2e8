/*
 * permission_option.h - the options of a permission question, and which one an answer chooses. Pure.
 *
 * The params of a question (struct ask) have them as "options": [{"id","name","kind"}, ...]. The
 * guard offers rows of permission_options; an agent that is not ours may offer its own, with other
 * ids. An answer names the id: {"option":ID}, or in the content of a form {"content":{"option":ID}}.
 * These answers need no id:
 *
 *   {"action":"accept"}                              the first option of kind allow_once
 *   {"action":"accept","content":{"always":true}}    the first one of kind allow_always
 *   {"action":"decline"} or "cancel"                 the first one of kind reject_once
 */
#ifndef CORE_GUARD_PERMISSION_OPTION_H
#define CORE_GUARD_PERMISSION_OPTION_H

#include "base/err.h"
#include "base/json.h"

/* How long an answer holds. */
enum permission_scope {
    PERMISSION_ONCE,
    PERMISSION_SESSION, /* for the same call, until the session is closed */
    PERMISSION_PROJECT, /* for the same call, until the user revokes it (answer_store.h) */
};

enum permission_option {
    ALLOW_ONCE,
    ALLOW_SESSION,
    ALLOW_PROJECT,
    REJECT_ONCE,
    REJECT_SESSION,
    REJECT_PROJECT,
    PERMISSION_OPTIONS,
};

struct permission_row {
    const char *id;
    const char *kind;  /* of ACP: allow_once, allow_always, reject_once, reject_always */
    const char *label; /* for people */
    char key;          /* at a terminal */
    enum permission_scope scope;
    bool allows;
};

extern const struct permission_row permission_options[PERMISSION_OPTIONS];

/* False: no row has this id. */
bool permission_option_named(struct str id, enum permission_option *out);

/* Which rows a question offers. */
struct permission_offer {
    bool session, project; /* beside the two that hold once */
};

/* "options" and "requestedSchema" of a question, as members of an object. */
void permission_offer_write(struct jw *w, struct permission_offer offer);

/*
 * The schema of a form that offers the options of a question as a choice. If all options apply
 * once, the schema has no properties: accepting or declining the form is the whole answer.
 */
struct str permission_schema(struct arena *mem, struct json options);

struct permission_choice {
    struct str id; /* STR_NONE: no option of the question rejects, and the answer does */
    bool allows;
};

/* Which option of a question an answer chooses. ERR_INVALID: one that the question does not have. */
bool permission_chosen(struct arena *mem, struct json params, struct json answer,
                       struct permission_choice *out, struct err *e);

#endif
