/* approvals.h - the parts of `trefoil approvals`. */
#ifndef APP_APPROVALS_H
#define APP_APPROVALS_H

#include "app/store_handle.h"
#include "web/approval_json.h"

struct approvals_args {
    bool always;
    const char *reason, *option;
};

enum approvals_act { APPROVE_ALLOW, APPROVE_DENY, APPROVE_ANSWER };

/*
 * Answer a question of a task: `word` holds the words after the id, [KEY] and for an answer its
 * values (approvals_answer.c).
 */
int approvals_answer(struct app *app, struct store_handle *handle, struct str id,
                     enum approvals_act act, const struct approvals_args *args, int words,
                     char **word);

#endif
