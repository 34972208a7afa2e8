/*
 * json.h - read JSON into a tree that points into its source; write JSON as a stream.
 *
 * Reading: one validating pass over the bytes (RFC 8259, UTF-8, bounded depth, size and
 * number of values) into a flat array of nodes in an arena. A `struct json` is a light handle
 * on one node and is passed by value; a missing value is a handle too, of type JSON_MISSING,
 * so look-ups chain without checks. A tree is never changed after it was read.
 *
 * A node has the position of its text in the source, so a value that is only passed on is copied
 * byte for byte (json_raw, jw_raw). Numbers are converted when they are used. A lone surrogate
 * (\ud800 without its other half) is kept when a value is copied, and becomes U+FFFD when a string
 * is decoded.
 *
 * The source bytes must outlive the tree: it points into them.
 *
 * TOML files are read into the same tree (toml.h), so one set of field tables (pick.h) serves both.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum json_type {
    JSON_MISSING,
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
    JSON_TIME, /* a TOML date or time, as text; JSON has no such type */
};

struct json {
    const struct json_doc *doc;
    uint32_t at;
};

/*
 * Private: declared here only so that the inline functions below can use it.
 *
 * Nodes lie in document order: a container is followed by its elements (an object by key,
 * value, key, value ...) and `next` is the index just past its subtree. Offsets count from
 * `text`, which is the source for JSON and a generated text for TOML; then `pos` holds the
 * position of each node in the real file.
 */
enum json_flag {
    JSON_F_ESCAPED = 1, /* a string with a backslash, which must be decoded */
    JSON_F_LONE = 2,    /* a string with half a surrogate pair */
    JSON_F_TRUE = 4,
};

struct json_node {
    uint32_t at;   /* offset of its text (of a string: without the quotes) */
    uint32_t len;  /* length of its text */
    uint32_t next; /* index past the subtree */
    uint8_t type;
    uint8_t flags;
};

struct json_doc {
    const char *text;
    size_t text_len;
    struct json_node *node;
    uint32_t count;
    const char *file;           /* NULL for a message */
    const struct json_pos *pos; /* the position of each node; NULL: computed from its offset */
};

enum { JSON_DEPTH_CEILING = 512 };

/* What the parser accepts. */
struct json_opts {
    const char *file;   /* named in errors and by json_where(); NULL for a message */
    uint32_t max_depth; /* at most JSON_DEPTH_CEILING */
    uint32_t max_values;
    bool comments; /* // and block comments, and a comma before a closing bracket */
};

/*
 * Read one JSON text. On failure (ERR_INVALID, or ERR_LIMIT for depth and number of values)
 * the text of *e has the reason and the position: file:line:column if there is a file name, else
 * "line L column C", or "byte N" if the text has only one line.
 */
bool json_read(struct arena *mem, struct str text, const struct json_opts *opts,
               struct json *out_root, struct err *e);

static inline bool json_here(struct json v)
{
    return v.doc != NULL;
}

static inline enum json_type json_type(struct json v)
{
    return v.doc ? (enum json_type)v.doc->node[v.at].type : JSON_MISSING;
}

const char *json_type_name(enum json_type t);

/* The bytes of the value in the source (strings with their quotes). */
struct str json_raw(struct json v);

/* Find a member of an object: the first one with this key. Missing if obj has none or is no
 * object. */
struct json json_get(struct json obj, struct str key);

/* The number of elements or members. 0 for scalars. */
size_t json_count(struct json v);

/* For the loops below: the first element of an array, or the first key of an object. The node after
 * a key is its value. */
static inline struct json json_first(struct json container)
{
    enum json_type t = json_type(container);

    if ((t != JSON_ARRAY && t != JSON_OBJECT) ||
        container.doc->node[container.at].next == container.at + 1)
        return (struct json){ NULL, 0 };
    return (struct json){ container.doc, container.at + 1 };
}

static inline struct json json_next(struct json container, struct json v)
{
    uint32_t at = v.doc->node[v.at].next;

    return (struct json){ at < v.doc->node[container.at].next ? v.doc : NULL, at };
}

#define JSON_EACH(item, array)                                                                     \
    for (struct json item = json_first(array); json_here(item); item = json_next(array, item))
#define JSON_MEMBERS(key, object)                                                                  \
    for (struct json key = json_first(object); json_here(key);                                     \
         key = json_next(object, json_value(key)))

/* The value that belongs to a key of JSON_MEMBERS. */
static inline struct json json_value(struct json key)
{
    return (struct json){ key.doc, key.at + 1 };
}

/* Is v a string with exactly these decoded bytes? */
bool json_is(struct json v, struct str s);

/* The decoded bytes of a string; points into the source when it has no escapes. */
struct str json_str_decode(struct arena *mem, struct json v);
static inline struct str json_str(struct arena *mem, struct json v)
{
    const struct json_node *n = v.doc ? &v.doc->node[v.at] : NULL;

    if (!n || n->type != JSON_STRING)
        return STR_NONE;
    if (n->flags & JSON_F_ESCAPED)
        return json_str_decode(mem, v);
    return (struct str){ v.doc->text + n->at, n->len };
}

/* Does the string hold half a surrogate pair? Such a string is refused as an id, method or key. */
static inline bool json_has_lone_surrogate(struct json v)
{
    return v.doc && (v.doc->node[v.at].flags & JSON_F_LONE);
}

/*
 * Like json_str, but keeps half a surrogate pair, encoded as three bytes as if it were a character:
 * its other half may be at the beginning of the next string (utf8_join).
 */
struct str json_str_halves(struct arena *mem, struct json v);

bool json_true(struct json v);

/* The value of an integer in any spelling (1, 1.0, 1e2). False: no integer, or out of range. */
bool json_int(struct json v, int64_t *out);

/* The value of a number as a double, infinity if it is too large. False: v is no number. */
bool json_double(struct json v, double *out);

/* The position of v as a path from the root: params.items[2].name ("" for the root). */
struct str json_path(struct arena *mem, struct json v);

/* file:line:column of v when its document is from a file, else STR_NONE. */
struct str json_where(struct arena *mem, struct json v);

/*
 * Fail with ERR_INVALID because of the value v: "FILE:L:C: PATH: sentence" (without the parts that
 * are unknown). The sentence should say what is wrong and what is accepted.
 */
bool json_fail(struct json v, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

/* ---- writing ---------------------------------------------------------------------------- */

/*
 * A stream of tokens into a buf. The writer inserts the commas and escapes strings. Bytes that are
 * not UTF-8 become U+FFFD, so the output is always valid. When the buf reaches its maximum, the
 * rest is dropped and buf->full is set: check it after the last token.
 */
struct jw {
    struct buf *out;
    bool comma; /* a value was written: the next key or element needs a comma */
};

static inline struct jw jw_to(struct buf *out)
{
    return (struct jw){ out, false };
}

void jw_object(struct jw *w);
void jw_object_end(struct jw *w);
void jw_array(struct jw *w);
void jw_array_end(struct jw *w);
void jw_key(struct jw *w, struct str key);
void jw_str(struct jw *w, struct str s);
void jw_int(struct jw *w, int64_t n);
void jw_double(struct jw *w, double d); /* the shortest text for d; null if not finite */
void jw_bool(struct jw *w, bool b);
void jw_null(struct jw *w);
void jw_raw(struct jw *w, struct str json); /* copied unchanged */

/*
 * The functions below write a key with its value. The key is a literal of the program, in ASCII,
 * and needs no escapes. A string with p == NULL writes nothing, not even the key.
 */
static inline void jw_plain_key(struct jw *w, struct str key)
{
    char *to = buf_reserve(w->out, key.n + 4), *at = to;

    if (!to)
        return;
    *at = ',';
    at += w->comma;
    *at++ = '"';
    memcpy(at, key.p, key.n); /* inline, since most keys have a constant length */
    memcpy(at + key.n, "\":", 2);
    w->out->n += (size_t)(at - to) + key.n + 2;
    w->comma = false;
}

/* Write a string that comes from the program itself and needs no escapes. */
void jw_plain(struct jw *w, struct str s);

/* Copy a member of another document unchanged: its key, with its escapes, and its value. */
void jw_member(struct jw *w, struct json key);

static inline void jw_kstr(struct jw *w, const char *key, struct str s)
{
    if (!s.p)
        return;
    jw_plain_key(w, str_of(key));
    jw_str(w, s);
}

static inline void jw_kplain(struct jw *w, const char *key, struct str s)
{
    if (!s.p)
        return;
    jw_plain_key(w, str_of(key));
    jw_plain(w, s);
}

static inline void jw_kint(struct jw *w, const char *key, int64_t n)
{
    jw_plain_key(w, str_of(key));
    jw_int(w, n);
}

static inline void jw_kbool(struct jw *w, const char *key, bool b)
{
    jw_plain_key(w, str_of(key));
    jw_bool(w, b);
}

static inline void jw_kraw(struct jw *w, const char *key, struct str json)
{
    if (!json.p)
        return;
    jw_plain_key(w, str_of(key));
    jw_raw(w, json);
}

#endif
