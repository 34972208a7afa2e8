/*
 * toml.h - read TOML 1.0 into the same tree as JSON (json.h), so that one set of field tables
 * (pick.h) serves both.
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
 * json_raw() of an array or table is always JSON: dates, times, inf and nan are quoted in it. The
 * json_raw() of such a value alone is not quoted, so it is not JSON.
 *
 * Positions (json_where, json_fail, pick) refer to the TOML file. Columns count characters. These
 * are the positions:
 *   table, element of an array of tables   the bracket of its header, or its name if it has none
 *   key                                    its first occurrence, or the header of its table
 *
 * Where the specification leaves a choice:
 *   - a byte order mark at the start is skipped;
 *   - a line end inside a multi-line string becomes \n, even if it is written as CRLF;
 *   - second 60 is accepted in a local time; with an offset, only where a leap second can be
 *     (23:59:60 UTC at the end of a month);
 *   - integers have 64 bits.
 */
#ifndef BASE_TOML_TOML_H
#define BASE_TOML_TOML_H

#include "base/json.h"

/*
 * Read one TOML text. The tree, in `mem`, has its own copy of the text. `file`, the name in errors
 * and in json_where(), is borrowed and may be NULL. Arrays and tables are nested at most max_depth
 * deep (1 to JSON_DEPTH_CEILING); the root counts as the first level.
 *
 * On failure (ERR_INVALID, or ERR_LIMIT for depth and size) the text of *e is
 * "file:line:column: sentence", or "line L column C: sentence" without a file.
 */
bool toml_read(struct arena *mem, struct str text, const char *file, uint32_t max_depth,
               struct json *out_root, struct err *e);

#endif
