/*
 * pick.h - decode an object by a table of its fields.
 *
 * One row per member: name, kind, where it goes. Protocol parameters and configuration are
 * read by the same tables. Errors name the place (file:line:column if there is a file), the
 * JSON path, what was found and what is accepted.
 *
 *   static const struct pick call_fields[] = {
 *       PICK_FIELD("name", PICK_STR, struct call, name, PICK_MUST),
 *       PICK_FIELD("arguments", PICK_OBJECT, struct call, args, 0),
 *   };
 *   if (!pick(mem, params, PICK_TABLE(call_fields), 0, &call, e))
 *
 * What a field decodes to:
 *   PICK_STR     struct str      decoded; p stays NULL when absent
 *   PICK_STRS    struct pick_strs
 *   PICK_BOOL    bool
 *   PICK_INT     int64_t         within min..max of the row (both 0: any)
 *   PICK_DOUBLE  double
 *   PICK_OBJECT, PICK_ARRAY, PICK_ANY   struct json, undecoded; missing when absent
 *   PICK_ID      struct json     a JSON-RPC id: a string or an integer
 *   PICK_SUB     a nested struct, by the row's own table
 *
 * An absent optional field leaves its place unchanged, so preset it with the default. null counts
 * as absent for optional fields. A duplicate key in a decoded object is refused, and so is a
 * key with half a surrogate pair.
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
    PICK_MUST = 1, /* row: absent is an error */
};

enum pick_mode {
    PICK_LENIENT = 0, /* unknown members are ignored, as protocols want */
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

/* Rows: a field of a struct type, an integer with its range, a struct inside the struct. */
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

/* Three states: absent (!set), empty (set, n == 0), list. */
struct pick_strs {
    struct str *v;
    size_t n;
    bool set;
};

/* Such a list as a member; one that is absent writes nothing. */
void pick_strs_write(struct jw *w, const char *key, const struct pick_strs *list);

#define PICK_TABLE(rows) (rows), ARRAY_LEN(rows)

/* Decode `obj` into *out. On failure (ERR_INVALID) *out may be partly filled. */
bool pick(struct arena *mem, struct json obj, const struct pick *row, size_t rows,
          enum pick_mode mode, void *out, struct err *e);

/*
 * Refuse duplicate keys and keys with half a surrogate pair in an object that is decoded without
 * pick(), which does it itself.
 */
bool pick_check_keys(struct arena *mem, struct json obj, struct err *e);

#endif
