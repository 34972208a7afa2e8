/* json_doc.h - line and column of a node, for code that builds a tree (json_read.c, toml_out.c). */
#ifndef BASE_JSON_DOC_H
#define BASE_JSON_DOC_H

#include "base/json.h"

struct json_pos {
    uint32_t line, column; /* both begin at 1 */
};

/* The line and column (in characters) of the byte at this offset. */
struct json_pos json_pos_of(struct str text, size_t offset);

#endif
