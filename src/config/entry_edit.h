/*
 * entry_edit.h - add one entry to another program's configuration file and keep every other byte.
 *
 * One function per file format. Each finds the place in the text, writes the entry in the style of
 * the file, and parses the result before returning it: the result must mean the same as before,
 * plus the new entry. A file that cannot be parsed, or whose structure does not allow a safe
 * change, is an error.
 */
#ifndef CONFIG_ENTRY_EDIT_H
#define CONFIG_ENTRY_EDIT_H

#include "base/json.h"

enum entry_change {
    ENTRY_CHANGED,
    ENTRY_SAME,    /* the entry is there and has all members of the value; *out is the old text */
    ENTRY_DIFFERS, /* it is there with another value, and `replace` is not set; likewise */
};

struct entry_put {
    const char *file; /* for messages */
    struct str text;  /* of the file; "" when there is none */
    struct str map;   /* the top-level key that holds the entries; made when absent */
    struct str name;  /* of the entry */
    struct str value; /* JSON: an object */
    bool replace;
};

typedef bool entry_put_fn(struct arena *mem, const struct entry_put *put, enum entry_change *how,
                          struct str *out, struct err *e);

entry_put_fn json_edit_put; /* comments and commas before closing brackets are accepted */
entry_put_fn toml_edit_put; /* writes [map.name] */
entry_put_fn yaml_edit_put; /* block style only */

/* ---- for these functions -------------------------------------------------------------------- */

/* Parse the value of a put; only the limits of the format apply. */
bool entry_read_value(struct arena *mem, const struct entry_put *put, struct json *out,
                      struct err *e);

/*
 * Is the entry already there, so that nothing is to be written? Then true, with *how and *out.
 * `map` is that of the file; missing or null when the file has none.
 */
bool entry_is_there(struct arena *mem, const struct entry_put *put, struct json map,
                    struct json value, enum entry_change *how, struct str *out);

/* The document `was` and the entry, and nothing else, must be in `now`. */
bool entry_verify(struct arena *mem, const struct entry_put *put, struct json was, struct json now,
                  struct json value, struct err *e);

#endif
