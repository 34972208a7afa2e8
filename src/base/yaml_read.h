/*
 * yaml_read.h - read YAML into the same tree as JSON (json.h), so that one set of field tables
 * (pick.h) serves both. Parsed by libyaml.
 *
 * Accepts the part of YAML that people write by hand: block and flow mappings and
 * sequences, and scalars in every style. Anchors, aliases, tags and a second document are
 * refused. A key must be a scalar and is always a string.
 *
 * Plain scalars follow YAML 1.2:
 *   null      null, Null, NULL, ~ and an empty scalar
 *   boolean   true and false, also True, TRUE, ...
 *   number    JSON numbers
 *   string    all else: yes, no, 007, 1_000, 2024-01-02
 *
 * Positions (json_where, json_fail, pick) refer to the file.
 */
#ifndef BASE_YAML_READ_H
#define BASE_YAML_READ_H

#include "base/json_doc.h"

/* The position of a piece of YAML, and what is accepted. */
struct yaml_opts {
    const char *file;    /* named in errors and by json_where(); borrowed, may be NULL */
    uint32_t first_line; /* the line of the file at which the text begins; 0 means 1 */
    uint32_t max_depth;  /* nesting of mappings and sequences, 1 to JSON_DEPTH_CEILING */
    uint32_t max_values;
};

/*
 * Read one YAML document. An empty document is null. On failure (ERR_INVALID, or ERR_LIMIT for
 * depth and number of values) the text of *e is "file:line:column: sentence", or "line L column C:
 * sentence" without a file.
 */
bool yaml_read(struct arena *mem, struct str text, const struct yaml_opts *opts,
               struct json *out_root, struct err *e);

/*
 * The type of a plain scalar: JSON_NULL, JSON_BOOL, JSON_NUMBER or JSON_STRING; *text becomes the
 * argument for json_build_scalar(). For parsers of formats similar to YAML.
 */
enum json_type yaml_plain(struct str *text);

#endif
