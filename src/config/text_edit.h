/*
 * text_edit.h - the text of a TOML or YAML file: places in it, found by the positions that the
 * readers keep, and values written as TOML.
 *
 * For changing a file without touching the rest of its text. Both formats have lines, comments
 * that begin with #, and the same positions.
 */
#ifndef CONFIG_TEXT_EDIT_H
#define CONFIG_TEXT_EDIT_H

#include "base/json_doc.h"

/* The offset of a line (from 1); the end of the text when there are fewer. */
size_t config_text_line(struct str text, uint32_t line);

/* The position of a value in the file. */
struct json_pos config_text_pos(struct json v);
size_t config_text_offset(struct str text, struct json_pos pos);

/* Some lines of a text: [start, end). */
struct config_span {
    size_t start, end;
};

/*
 * The lines from `line` on that belong to `entry` alone: up to the next entry in the file, without
 * the blank lines and comments before that.
 */
struct config_span config_text_entry(struct str text, struct json entry, uint32_t line);

/* The text with the bytes of a span replaced. */
struct str config_text_replace(struct arena *mem, struct str text, struct config_span span,
                               struct str put);

/* "\r\n" where the text has such line ends, else "\n". */
struct str config_text_eol(struct str text);

/* ---- values --------------------------------------------------------------------------------- */

/* A quoted string with the escapes that TOML requires. */
void toml_put_string(struct buf *out, struct str s);

/* A key, in quotes where it has to be. */
void toml_put_key(struct buf *out, struct str key);

/* Any value on one line: an object becomes an inline table. Null has no place in TOML. */
void toml_put_value(struct arena *mem, struct buf *out, struct json v);

#endif
