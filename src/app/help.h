/* help.h - what a command line asks about the program itself: its help and its version. */
#ifndef APP_HELP_H
#define APP_HELP_H

#include "app/commands.h"

/* The help of one command, or of the program, to stdout. Both return EXIT_OK. */
int help_print(struct arena *mem, struct command c);
int help_print_all(void);

/* The version to stdout, as JSON with --json. Returns EXIT_OK. */
int help_version(const struct app *app);

#endif
