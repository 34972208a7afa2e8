/*
 * toml_parts.h - internals of the TOML reader, for toml*.c only.
 *
 * TOML may add to a table later in the file. The text is therefore first read into a tree of linked
 * items (toml_tree.c) in a scratch arena, and then laid out as a json_doc (toml_out.c).
 *
 *   toml.c         lines: keys, headers, arrays, inline tables
 *   toml_string.c  the four kinds of strings
 *   toml_scalar.c  numbers, booleans, dates and times
 *   toml_tree.c    look-up, and which items may still be extended
 *   toml_out.c     the tree as a document
 */
#ifndef BASE_TOML_TOML_PARTS_H
#define BASE_TOML_TOML_PARTS_H

#include "base/json_doc.h"

/* How an item was defined; this decides whether later lines may extend it. */
enum toml_kind {
    TOML_VALUE,   /* after an equals sign or a comma: complete, cannot be extended */
    TOML_IMPLIED, /* table on the way of a header: keys by a header of its own, or dotted keys */
    TOML_DOTTED,  /* table on the way of a dotted key: more dotted keys, and sub-headers */
    TOML_HEADED,  /* table with its header; the root; an element of a list: sub-headers only */
    TOML_LIST,    /* array of tables: [[...]] appends, other headers go to its last element */
};

struct toml_item {
    struct toml_item *parent;
    struct toml_item *next;  /* sibling */
    struct toml_item *chain; /* members that share a slot of the look-up table */
    struct str key;          /* decoded; STR_NONE for an element */
    union {
        struct str text; /* of a scalar, decoded or normalised */
        struct {
            struct toml_item *first, *last;
        };
    };
    struct json_pos key_pos, pos;
    uint32_t hash;
    uint16_t depth; /* of a container; the root has 1 */
    uint8_t type;   /* enum json_type */
    uint8_t kind;   /* enum toml_kind */
};

struct toml {
    struct str text;     /* without its byte order mark */
    const char *p, *end; /* what is still to be read */
    const char *file;
    uint32_t max_depth;
    struct arena *mem; /* scratch: freed when toml_read returns */
    struct err *e;

    /* Positions are requested in ascending order, so counting continues from the last one. */
    const char *mark;
    struct json_pos mark_pos;

    struct toml_item *root;
    struct toml_item **slot; /* members of all tables, by parent and key */
    uint32_t slots, members, elements;
    uint64_t secret;
};

/* One part of a dotted key. */
struct toml_part {
    struct str name;    /* decoded */
    struct str spelled; /* its spelling in the file, for messages */
    struct json_pos pos;
};

/* The value of a hexadecimal digit, or -1. */
static inline int toml_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* ---- toml.c ----------------------------------------------------------------------------- */

/* Fill the error of the reader and return false. ERR_INVALID if no code is set. */
bool toml_bad(struct toml *t, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));
bool toml_bad_pos(struct toml *t, struct json_pos pos, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5), cold));

/* ---- toml_string.c ---------------------------------------------------------------------- */

/* A string of one line, t->p on its quote. */
bool toml_short_string(struct toml *t, struct str *out);

/* A string of any kind, t->p on its quote. */
bool toml_string(struct toml *t, struct str *out);

/* ---- toml_scalar.c ---------------------------------------------------------------------- */

/* A number, boolean, date or time. */
bool toml_scalar(struct toml *t, struct toml_item *into);

/* ---- toml_tree.c ------------------------------------------------------------------------ */

void toml_tree_init(struct toml *t);

/* Make a fresh item a container. ERR_LIMIT when that is too deep. */
bool toml_contain(struct toml *t, struct toml_item *item, enum json_type type, enum toml_kind kind);

/* A new element at the end of an array. */
struct toml_item *toml_append(struct toml *t, struct toml_item *array, struct json_pos pos);

/* A new member, for a value. Fails when the table has that key. */
bool toml_put(struct toml *t, struct toml_item *table, const struct toml_part *part,
              struct toml_item **out);

/* Go from *at into its member, which a dotted key names before its last dot. */
bool toml_enter_dotted(struct toml *t, const struct toml_part *part, struct toml_item **at);

/* The same for a header. */
bool toml_enter_header(struct toml *t, const struct toml_part *part, struct toml_item **at);

/* The last part of a [header] at `pos`, or of a [[header]]. */
bool toml_open_table(struct toml *t, const struct toml_part *part, struct json_pos pos,
                     struct toml_item **at);
bool toml_open_element(struct toml *t, const struct toml_part *part, struct json_pos pos,
                       struct toml_item **at);

/* ---- toml_out.c ------------------------------------------------------------------------- */

/* Lay the tree out in `mem`. */
struct json toml_lay_out(struct toml *t, struct arena *mem);

#endif
