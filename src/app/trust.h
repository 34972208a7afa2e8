/* trust.h - the verb `trust`, also known as `servers approve`. */
#ifndef APP_TRUST_H
#define APP_TRUST_H

#include "app/app.h"

struct trust_args {
    bool yes, revoke;
};

/* Show, ask, keep. Returns the exit code. */
int trust_run(struct app *app, const struct trust_args *a);

/* `trust answers` and `trust forget` (trust_answers.c). */
int trust_answers(struct app *app);
int trust_forget(struct app *app, int words, char **word);

#endif
