/* approvals.h - a function that the files of `trefoil approvals` share. */
#ifndef APP_TASK_APPROVALS_H
#define APP_TASK_APPROVALS_H

#include "app/store_handle.h"
#include "web/approval_json.h"

struct approvals_args {
    bool always;
    const char *reason, *option;
};

enum approvals_act { APPROVE_ALLOW, APPROVE_DENY, APPROVE_ANSWER };

/*
 * Answer a question of a task (approvals_answer.c). `word` has the words after the task id: the key
 * of the question (optional), and for APPROVE_ANSWER the values of the form.
 */
int approvals_answer(struct app *app, struct store_handle *handle, struct str id,
                     enum approvals_act act, const struct approvals_args *args, int words,
                     char **word);

#endif
