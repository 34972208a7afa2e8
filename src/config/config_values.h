/*
 * config_values.h - resolves references in the values of a configuration file.
 *
 * In trefoil's own files, env:NAME and file:PATH refer to a secret. Files of other programs can use
 * ${NAME}, ${NAME:-default}, ${env:NAME}, ${workspaceFolder}, ${workspaceFolderBasename},
 * ${userHome}, ${pathSeparator} and ${/}.
 */
#ifndef CONFIG_CONFIG_VALUES_H
#define CONFIG_CONFIG_VALUES_H

#include "base/arena.h"
#include "base/err.h"

/* Does the text have the form env:NAME or file:PATH? */
bool value_is_reference(struct str s);

/*
 * Get the value of env:NAME or file:PATH; any other text is returned unchanged. A relative PATH
 * starts at `folder`; ~/ is the home folder. The file must be accessible only to the user and have
 * at most `max` bytes; trailing line ends are removed. An error names the reference, never the
 * value.
 */
bool value_resolve(struct arena *mem, struct str s, const char *folder, size_t max, struct str *out,
                   struct err *e);

/* Replace each ${...} with its value. A variable that is not set and has no default is an error. */
bool value_expand(struct arena *mem, struct str s, const char *root, struct str *out,
                  struct err *e);

/* Expand a path: ~/ is the home folder, and a relative path starts at `folder`. */
const char *value_path(struct arena *mem, struct str path, const char *folder);

#endif
