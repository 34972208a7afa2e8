/*
 * entry_edit.h - adds one entry to another program's configuration file and keeps every other byte.
 *
 * There is one function per file format. The function finds the place in the text, writes the entry
 * in the style of the file, and parses the new text before it returns: the new text must mean the
 * same as the old one, plus the new entry. A file that cannot be parsed, or whose structure does
 * not allow a safe change, is an error.
 */
#ifndef CONFIG_ENTRY_EDIT_H
#define CONFIG_ENTRY_EDIT_H

#include "base/json.h"

enum entry_change {
    ENTRY_CHANGED,
    ENTRY_SAME, /* the entry exists and has all members of the value; *out is the old text */
    /* the entry exists with another value, and `replace` is not set; *out is the old text */
    ENTRY_DIFFERS,
};

struct entry_put {
    const char *file; /* name of the file, for messages */
    struct str text;  /* content of the file; "" if the file does not exist */
    struct str map;   /* the top-level key that contains the entries; created if absent */
    struct str name;  /* name of the entry */
    struct str value; /* the entry as a JSON value, usually an object */
    bool replace;     /* replace an entry that has another value */
};

typedef bool entry_put_fn(struct arena *mem, const struct entry_put *put, enum entry_change *how,
                          struct str *out, struct err *e);

entry_put_fn json_edit_put; /* accepts comments, and commas before closing brackets */
entry_put_fn toml_edit_put; /* writes the entry as the table [map.name] */
entry_put_fn yaml_edit_put; /* supports YAML in block style only */

/* ---- for these functions -------------------------------------------------------------------- */

/* Parse put->value; only the limits of the JSON format apply. */
bool entry_read_value(struct arena *mem, const struct entry_put *put, struct json *out,
                      struct err *e);

/*
 * Is there nothing to write, because the file already contains the entry? If so, the function sets
 * *how and *out. `map` is the value of the key put->map in the file; it is missing or null if the
 * file has no such key.
 */
bool entry_is_there(struct arena *mem, const struct entry_put *put, struct json map,
                    struct json value, enum entry_change *how, struct str *out);

/* Check that `now` contains the document `was` plus the entry, and nothing else. */
bool entry_verify(struct arena *mem, const struct entry_put *put, struct json was, struct json now,
                  struct json value, struct err *e);

#endif
