/* state_import.h - implements `trefoil state import`. */
#ifndef APP_STATE_IMPORT_H
#define APP_STATE_IMPORT_H

#include "app/app.h"

/*
 * Show the content of the database `file` (NULL: .trefoil/trefoil.db of the root) and import its
 * conversations, unless only_shown is set. Returns an exit code.
 */
int state_import(struct app *app, const char *file, bool only_shown);

#endif
