/*
 * config_values.h - what may stand for a value in a configuration file.
 *
 * Our own files: env:NAME and file:PATH stand for a secret. Files of other programs: ${NAME},
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
 * What env:NAME or file:PATH stands for; anything else stands for itself. A relative PATH counts
 * from `folder`, ~/ is the home folder. The file must be the user's alone, may have `max` bytes,
 * and line ends at its end do not count. The error names the reference, never the value.
 */
bool value_resolve(struct arena *mem, struct str s, const char *folder, size_t max, struct str *out,
                   struct err *e);

/* Put in what ${...} stands for. A variable that is not set and has no default is an error. */
bool value_expand(struct arena *mem, struct str s, const char *root, struct str *out,
                  struct err *e);

/* A path as a configuration means it: ~/ is the home folder, relative counts from `folder`. */
const char *value_path(struct arena *mem, struct str path, const char *folder);

#endif
