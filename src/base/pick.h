/*
 * pick.h - decode an object by a table of its fields.
 *
 * A table has one row per member, with its name, its kind and the struct field for it. Protocol
 * parameters and configuration are read in this way. An error has the position (file:line:column if
 * there is a file), the JSON path, what was found and what is accepted.
 *
 *   static const struct pick call_fields[] = {
 *       PICK_FIELD("name", PICK_STR, struct call, name, PICK_MUST),
 *       PICK_FIELD("arguments", PICK_OBJECT, struct call, args, 0),
 *   };
 *   if (!pick(mem, params, PICK_TABLE(call_fields), 0, &call, e))
 *
 * What a field decodes to:
 *   PICK_STR     struct str      decoded
 *   PICK_STRS    struct pick_strs
 *   PICK_BOOL    bool
 *   PICK_INT     int64_t         within min..max of the row (both 0: any)
 *   PICK_DOUBLE  double
 *   PICK_OBJECT, PICK_ARRAY, PICK_ANY   struct json, undecoded
 *   PICK_ID      struct json     a JSON-RPC id: a string or an integer
 *   PICK_SUB     a nested struct, decoded by the table in `sub` of the row
 *
 * If an optional member is absent or null, its struct field is not changed: set the default before
 * the call. A duplicate key in a decoded object is an error, and so is a key with half a surrogate
 * pair.
 */
#ifndef BASE_PICK_H
#define BASE_PICK_H

#include "base/json.h"

enum pick_kind {
    PICK_STR,
    PICK_STRS,
    PICK_BOOL,
    PICK_INT,
    PICK_DOUBLE,
    PICK_OBJECT,
    PICK_ARRAY,
    PICK_ANY,
    PICK_ID,
    PICK_SUB,
};

enum pick_flag {
    PICK_MUST = 1, /* the member is required */
};

enum pick_mode {
    PICK_LENIENT = 0, /* unknown members are ignored, as protocols require */
    PICK_STRICT = 1,  /* unknown members are errors, for configuration */
};

struct pick {
    struct str name;
    enum pick_kind kind;
    unsigned flags;
    size_t offset;
    int64_t min, max;       /* PICK_INT */
    const struct pick *sub; /* PICK_SUB */
    size_t sub_count;
};

/* Rows of a table: a field, an integer with its range, a struct inside the struct. */
#define PICK_FIELD(key, kind, type, field, flags)                                                  \
    {                                                                                              \
        STR(key), kind, flags, offsetof(type, field), 0, 0, NULL, 0                                \
    }
#define PICK_RANGE(key, type, field, flags, min, max)                                              \
    {                                                                                              \
        STR(key), PICK_INT, flags, offsetof(type, field), min, max, NULL, 0                        \
    }
#define PICK_NESTED(key, type, field, flags, table)                                                \
    {                                                                                              \
        STR(key), PICK_SUB, flags, offsetof(type, field), 0, 0, table, ARRAY_LEN(table)            \
    }

/* A list of strings. An absent list (!set) differs from an empty one (set and n == 0). */
struct pick_strs {
    struct str *v;
    size_t n;
    bool set;
};

/* Write a list as a member of an object; writes nothing if the list is absent. */
void pick_strs_write(struct jw *w, const char *key, const struct pick_strs *list);

#define PICK_TABLE(rows) (rows), ARRAY_LEN(rows)

/* Decode `obj` into *out. On failure (ERR_INVALID) *out may be partly filled. */
bool pick(struct arena *mem, struct json obj, const struct pick *row, size_t rows,
          enum pick_mode mode, void *out, struct err *e);

/*
 * Check an object that is not decoded by pick() for duplicate keys and for keys with half a
 * surrogate pair. pick() does the same check.
 */
bool pick_check_keys(struct arena *mem, struct json obj, struct err *e);

#endif
