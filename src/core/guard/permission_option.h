/*
 * permission_option.h - the options of a permission question, and which option an answer chooses.
 * Pure.
 *
 * The params of a question (struct ask) contain "options": [{"id","name","kind"}, ...]. The guard
 * offers rows of permission_options; an external agent may offer its own options, with other ids.
 * An answer contains the id of an option: {"option":ID}, or for a form {"content":{"option":ID}}.
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

/* How long an answer applies. */
enum permission_scope {
    PERMISSION_ONCE,    /* for this call only */
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
    const char *kind;  /* the kind in ACP: allow_once, allow_always, reject_once, reject_always */
    const char *label; /* a text for people */
    char key;          /* the key to press at a terminal */
    enum permission_scope scope;
    bool allows;
};

extern const struct permission_row permission_options[PERMISSION_OPTIONS];

/* Find the row with this id. False: there is none. */
bool permission_option_named(struct str id, enum permission_option *out);

/* Which rows a question offers, in addition to ALLOW_ONCE and REJECT_ONCE. */
struct permission_offer {
    bool session, project; /* offer the options that apply to the session; to the project */
};

bool permission_offers(struct permission_offer offer, enum permission_option option);

/* Write the members "options" and "requestedSchema" of the params of a question. */
void permission_offer_write(struct jw *w, struct permission_offer offer);

/* Return the first option of this kind in a list of options. A missing value: there is none. */
struct json permission_of_kind(struct json options, const char *kind);

/*
 * Return the schema of a form that offers the options of a question as a choice. If all options
 * apply to this call only, the schema has no properties: to accept or decline the form is the whole
 * answer.
 */
struct str permission_schema(struct arena *mem, struct json options);

struct permission_choice {
    struct str id; /* STR_NONE: the answer rejects, but the question has no option that rejects */
    bool allows;
};

/*
 * Find the option of a question that an answer chooses. ERR_INVALID: the question has no such
 * option.
 */
bool permission_chosen(struct arena *mem, struct json params, struct json answer,
                       struct permission_choice *out, struct err *e);

#endif
