/* json_doc.h - more of the inside of a document, for its readers (json_read.c, toml_out.c). */
#ifndef BASE_JSON_DOC_H
#define BASE_JSON_DOC_H

#include "base/json.h"

struct json_pos {
    uint32_t line, column; /* both from 1 */
};

/* Line and column (in characters) of an offset. */
struct json_pos json_pos_of(struct str text, size_t offset);

#endif
