/*
 * toml_parts.h - internals of the TOML reader, for toml*.c only.
 *
 * A TOML file may extend a table anywhere further down. So the text is first read into a tree of
 * linked items (toml_tree.c) in a scratch arena, and then converted to a json_doc (toml_out.c).
 *
 *   toml.c         lines: keys, headers, arrays, inline tables
 *   toml_string.c  the four kinds of strings
 *   toml_scalar.c  numbers, booleans, dates and times
 *   toml_tree.c    look-up, and which items may still be extended
 *   toml_out.c     converts the tree to a document
 */
#ifndef BASE_TOML_TOML_PARTS_H
#define BASE_TOML_TOML_PARTS_H

#include "base/json_doc.h"

/* How an item was defined; this decides whether later lines may extend it. */
enum toml_kind {
    TOML_VALUE,   /* follows an equals sign or a comma: complete, cannot be extended */
    TOML_IMPLIED, /* "a" in [a.b]: may still get its own header, dotted keys and sub-tables */
    TOML_DOTTED,  /* "a" in a.b = 1: may still get dotted keys, and sub-tables by headers */
    TOML_HEADED,  /* "a" in [a]; the root; an element of TOML_LIST: only sub-tables by headers */
    TOML_LIST,    /* "a" in [[a]]: [[a]] appends an element, [a.b] extends the last one */
};

struct toml_item {
    struct toml_item *parent;
    struct toml_item *next;  /* sibling */
    struct toml_item *chain; /* members that share a slot of the look-up table */
    struct str key;          /* decoded; STR_NONE for an element */
    union {
        struct str text; /* the text of a scalar, decoded or normalised */
        struct {
            struct toml_item *first, *last;
        };
    };
    struct json_pos key_pos, pos;
    uint32_t hash;
    uint16_t depth; /* nesting depth of a container; the root has 1 */
    uint8_t type;   /* enum json_type */
    uint8_t kind;   /* enum toml_kind */
};

struct toml {
    struct str text;     /* without its byte order mark */
    const char *p, *end; /* the rest that must still be read */
    const char *file;
    uint32_t max_depth;
    struct arena *mem; /* scratch: freed when toml_read returns */
    struct err *e;

    /* Positions are requested in ascending order, so counting continues from the last one. */
    const char *mark;
    struct json_pos mark_pos;

    struct toml_item *root;
    struct toml_item **slot; /* hash table of the members of all tables, by parent and key */
    uint32_t slots, members, elements;
    uint64_t secret;
};

/* One part of a dotted key. */
struct toml_part {
    struct str name;    /* decoded */
    struct str spelled; /* as spelled in the file, for messages */
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

/* Fill the error of the reader and return false. The code of toml_bad is ERR_INVALID. */
bool toml_bad(struct toml *t, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));
bool toml_bad_pos(struct toml *t, struct json_pos pos, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5), cold));

/* ---- toml_string.c ---------------------------------------------------------------------- */

/* Read a string of one line; t->p is at its opening quote. */
bool toml_short_string(struct toml *t, struct str *out);

/* Read a string of any kind; t->p is at its opening quote. */
bool toml_string(struct toml *t, struct str *out);

/* ---- toml_scalar.c ---------------------------------------------------------------------- */

/* Read a number, boolean, date or time. */
bool toml_scalar(struct toml *t, struct toml_item *into);

/* ---- toml_tree.c ------------------------------------------------------------------------ */

void toml_tree_init(struct toml *t);

/* Make a new item a container. ERR_LIMIT: it is nested too deeply. */
bool toml_contain(struct toml *t, struct toml_item *item, enum json_type type, enum toml_kind kind);

/* Append a new element to an array. */
struct toml_item *toml_append(struct toml *t, struct toml_item *array, struct json_pos pos);

/* Add a member for a value. Fails if the table has that key already. */
bool toml_put(struct toml *t, struct toml_item *table, const struct toml_part *part,
              struct toml_item **out);

/*
 * Enter a part of a dotted key that is not the last part: set *at to the member of *at with this
 * name. A missing member is created.
 */
bool toml_enter_dotted(struct toml *t, const struct toml_part *part, struct toml_item **at);

/* The same for a part of a header that is not the last part. */
bool toml_enter_header(struct toml *t, const struct toml_part *part, struct toml_item **at);

/* Enter the last part of the header at `pos`. toml_open_table sets *at to the table that a [header]
 * defines; toml_open_element sets it to the element that a [[header]] appends. */
bool toml_open_table(struct toml *t, const struct toml_part *part, struct json_pos pos,
                     struct toml_item **at);
bool toml_open_element(struct toml *t, const struct toml_part *part, struct json_pos pos,
                       struct toml_item **at);

/* ---- toml_out.c ------------------------------------------------------------------------- */

/* Convert the tree to a document in `mem`. */
struct json toml_lay_out(struct toml *t, struct arena *mem);

#endif
