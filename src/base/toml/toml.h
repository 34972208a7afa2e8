/*
 * toml.h - TOML 1.0 read into the same tree as JSON (json.h), so that one set of field tables
 * (pick.h) reads both.
 *
 * How values are converted:
 *   table, inline table      JSON_OBJECT, members in the order in which they were first named
 *   array, array of tables   JSON_ARRAY
 *   string                   JSON_STRING
 *   integer                  JSON_NUMBER in decimal digits: 0xff is 255, +1_000 is 1000, -0 is 0
 *   float                    JSON_NUMBER as written, without '+' before it and without '_'.
 *                            Infinity and not-a-number are inf, -inf and nan: json_double()
 *                            reads them, json_int() refuses them
 *   boolean                  JSON_BOOL
 *   date, time               JSON_TIME, as written but with 'T' between date and time and 'Z'
 *                            for 'z'. A fraction keeps its digits, an offset is not converted
 *
 * json_raw() of a scalar is JSON, except that a date or time, inf and nan are unquoted. In the
 * json_raw() of an array or table they are quoted, so that is always JSON.
 *
 * Positions (json_where, json_fail, pick) are those of the TOML file, columns in characters. The
 * position of a table or an element of an array of tables is the bracket of its header, of a table
 * without header its name; that of a key is where it was first named, or in the header of its
 * table.
 *
 * Where the specification leaves a choice: a byte order mark at the start is skipped; a line
 * end inside a multi-line string becomes one \n, however it was written; second 60 is accepted
 * in a local time, and with an offset where a leap second can be (23:59:60 UTC at the end of a
 * month); integers are 64 bits wide.
 */
#ifndef BASE_TOML_TOML_H
#define BASE_TOML_TOML_H

#include "base/json.h"

/*
 * Read one TOML text. The tree in `mem` has its own copy of it; `file`, named in errors and by
 * json_where(), is borrowed and may be NULL. Arrays and tables are at most max_depth deep (1
 * to JSON_DEPTH_CEILING), the root being the first.
 *
 * On failure (ERR_INVALID, or ERR_LIMIT for depth and size) the text of *e is
 * "file:line:column: sentence", or "line L column C: sentence" without a file.
 */
bool toml_read(struct arena *mem, struct str text, const char *file, uint32_t max_depth,
               struct json *out_root, struct err *e);

#endif
