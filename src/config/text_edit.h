/*
 * text_edit.h - changes a part of a TOML or YAML file and keeps the rest of its text.
 *
 * The parsers store the position of each value, so the functions here can find the text of a value.
 * Both formats consist of lines, have comments that begin with #, and use the same kind of
 * positions. There are also functions that write values as TOML.
 */
#ifndef CONFIG_TEXT_EDIT_H
#define CONFIG_TEXT_EDIT_H

#include "base/json_doc.h"

/*
 * Return the offset of a line. Lines are counted from 1. If the text has fewer lines, returns the
 * end of the text.
 */
size_t config_text_line(struct str text, uint32_t line);

/*
 * config_text_pos returns the position of a value in its file; config_text_offset returns the
 * offset of a position in the text.
 */
struct json_pos config_text_pos(struct json v);
size_t config_text_offset(struct str text, struct json_pos pos);

/* A part of a text, from the offset `start` to the byte before `end`. */
struct config_span {
    size_t start, end;
};

/*
 * Return the lines that belong to `entry`: from `line` to the next entry in the file, without the
 * blank lines and comments before that next entry.
 */
struct config_span config_text_entry(struct str text, struct json entry, uint32_t line);

/* Return the text with the bytes of `span` replaced by `put`. */
struct str config_text_replace(struct arena *mem, struct str text, struct config_span span,
                               struct str put);

/* Return the line end that the text uses: "\r\n" or "\n". */
struct str config_text_eol(struct str text);

/* ---- values --------------------------------------------------------------------------------- */

/* Write a quoted string with the escapes that TOML requires. */
void toml_put_string(struct buf *out, struct str s);

/* Write a key, in quotes if necessary. */
void toml_put_key(struct buf *out, struct str key);

/*
 * Write a value on one line; an object becomes an inline table. TOML has no null, so the caller
 * must omit null values.
 */
void toml_put_value(struct arena *mem, struct buf *out, struct json v);

#endif
