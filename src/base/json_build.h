/*
 * json_build.h - build a document (json.h) from another format (toml_out.c, yaml_read.c).
 *
 * A document has nodes in document order, the position of each node in the original file, and a
 * generated JSON text that the nodes point into. The caller adds values in document order: open,
 * then a key and a value for each member, then close.
 */
#ifndef BASE_JSON_BUILD_H
#define BASE_JSON_BUILD_H

#include "base/json_doc.h"

struct json_build {
    struct arena *mem; /* the memory of the document */
    struct json_node *node;
    struct json_pos *pos;
    uint32_t count, room;
    struct buf text; /* on the heap; freed by json_build_end */
    struct jw w;
};

/* `room`: the expected number of nodes, at least 1. There may be more. */
void json_build_begin(struct json_build *b, struct arena *mem, uint32_t room);

/* Begin an array or object; returns the argument for json_build_close. */
uint32_t json_build_open(struct json_build *b, enum json_type type, struct json_pos pos);
void json_build_close(struct json_build *b, uint32_t container);

void json_build_key(struct json_build *b, struct str key, struct json_pos pos);

/*
 * `text` is the decoded text of a string, the digits of a number, "true" or "false", or a date or
 * time. The numbers inf, -inf and nan are accepted, and are quoted in the JSON text.
 */
void json_build_scalar(struct json_build *b, enum json_type type, struct str text,
                       struct json_pos pos);

/* Finish the document and return its root, the first value that was added. `file` is borrowed and
 * may be NULL. */
struct json json_build_end(struct json_build *b, const char *file);

/* Free the document. Call it instead of json_build_end if reading has failed. */
void json_build_drop(struct json_build *b);

#endif
