/*
 * json_build.h - build a JSON document from another language (toml_out.c, yaml_read.c): the nodes
 * in order, the position of each in the original file, and a JSON text that they are spans of.
 *
 * The reader adds values in document order: open, then a key and a value for each member, then
 * close.
 */
#ifndef BASE_JSON_BUILD_H
#define BASE_JSON_BUILD_H

#include "base/json_doc.h"

struct json_build {
    struct arena *mem; /* for the document */
    struct json_node *node;
    struct json_pos *pos;
    uint32_t count, room;
    struct buf text; /* on the heap; freed by json_build_end */
    struct jw w;
};

/* `room`: how many nodes are expected (at least 1); more are fine. */
void json_build_begin(struct json_build *b, struct arena *mem, uint32_t room);

/* Begin an array or object; returns the argument for json_build_close. */
uint32_t json_build_open(struct json_build *b, enum json_type type, struct json_pos pos);
void json_build_close(struct json_build *b, uint32_t container);

void json_build_key(struct json_build *b, struct str key, struct json_pos pos);

/*
 * `text` is the decoded text of a string, the digits of a number, true or false, or a date or
 * time. inf, -inf and nan may be numbers; in the JSON text they are quoted.
 */
void json_build_scalar(struct json_build *b, enum json_type type, struct str text,
                       struct json_pos pos);

/* The first value added is the root. `file` is borrowed and may be NULL. */
struct json json_build_end(struct json_build *b, const char *file);

/* Instead of json_build_end, when reading failed. */
void json_build_drop(struct json_build *b);

#endif
