/* trust.h - implements the verb `trust`, also known as `servers approve`. */
#ifndef APP_TRUST_H
#define APP_TRUST_H

#include "app/app.h"

struct trust_args {
    bool yes, revoke;
};

/* Show the entries that need trust, ask the user, and store the answer. Returns the exit code. */
int trust_run(struct app *app, const struct trust_args *a);

/* Run `trust answers` or `trust forget` (trust_answers.c). Both return the exit code. */
int trust_answers(struct app *app);
int trust_forget(struct app *app, int words, char **word);

#endif
