/*
 * config_values.h - references to values in a configuration file.
 *
 * Our own files: env:NAME and file:PATH refer to a secret. Files of other programs: ${NAME},
 * ${NAME:-default}, ${env:NAME}, ${workspaceFolder}, ${workspaceFolderBasename}, ${userHome},
 * ${pathSeparator} and ${/}.
 */
#ifndef CONFIG_CONFIG_VALUES_H
#define CONFIG_CONFIG_VALUES_H

#include "base/arena.h"
#include "base/err.h"

/* Is it env:NAME or file:PATH? */
bool value_is_reference(struct str s);

/*
 * The value of env:NAME or file:PATH; any other text is its own value. A relative PATH starts at
 * `folder`, ~/ is the home folder. Only the user may have access to the file; it may have `max`
 * bytes, and trailing line ends are removed. The error names the reference, never the value.
 */
bool value_resolve(struct arena *mem, struct str s, const char *folder, size_t max, struct str *out,
                   struct err *e);

/* Replace ${...} by its value. A variable that is not set and has no default is an error. */
bool value_expand(struct arena *mem, struct str s, const char *root, struct str *out,
                  struct err *e);

/* A path as a configuration means it: ~/ is the home folder, relative counts from `folder`. */
const char *value_path(struct arena *mem, struct str path, const char *folder);

#endif
