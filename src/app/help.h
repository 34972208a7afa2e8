/* help.h - prints the help and the version of the program. */
#ifndef APP_HELP_H
#define APP_HELP_H

#include "app/commands.h"

/* Print the help of one command to stdout. Returns EXIT_OK. */
int help_print(struct arena *mem, struct command c);

/* Print the version to stdout, as JSON with --json. Returns EXIT_OK. */
int help_version(const struct app *app);

#endif
