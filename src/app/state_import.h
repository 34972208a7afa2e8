/* state_import.h - `trefoil state import`. */
#ifndef APP_STATE_IMPORT_H
#define APP_STATE_IMPORT_H

#include "app/app.h"

/*
 * Show what the database FILE holds (NULL: .trefoil/trefoil.db of the root) and import its
 * conversations, unless it is only to be shown. Returns an exit code.
 */
int state_import(struct app *app, const char *file, bool only_shown);

#endif
