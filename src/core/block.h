/*
 * block.h - lists of content blocks, and their JSON. Prompts, messages to agents, answers and
 * artifacts are such lists.
 *
 * The JSON follows the content blocks of MCP and ACP, and adds the types "file" and "data":
 *
 *   {"type":"text","text"}
 *   {"type":"image"|"audio","data":BASE64,"mimeType"}
 *   {"type":"file","data":BASE64,"mimeType"?,"name"?}
 *   {"type":"resource_link","uri","name"?,"mimeType"?}
 *   {"type":"resource","resource":{"uri","mimeType"?,"text"}}     or "blob":BASE64 instead
 *   {"type":"data","data":JSON}
 *
 * A struct block represents these types as follows:
 * - text has the kind BLOCK_TEXT
 * - bytes, with any media type, have the kind BLOCK_MEDIA
 * - a link has the kind BLOCK_TEXT, a `uri` and no text
 * - a resource has a `uri`, and text or data
 * - JSON data has the kind BLOCK_TEXT, and `is_data` is set
 */
#ifndef CORE_BLOCK_H
#define CORE_BLOCK_H

#include "core/model.h"

struct blocks {
    const struct block *v;
    size_t n;
};

/* Return a list of one text block. The list is in mem; the text is borrowed. */
struct blocks blocks_text(struct arena *mem, struct str text);

/* Return a deep copy of the list in mem. */
struct blocks blocks_copy(struct arena *mem, struct blocks b);

/* Does the list have any content? White space alone does not count as content. */
bool blocks_say_something(struct blocks b);

/* Is the list a single text block, which can be written as a JSON string? */
bool blocks_are_text(struct blocks b);

/*
 * Return the list as text in mem. Each block that is not text becomes a placeholder in brackets. If
 * the list is a single text block, the result is the text of that block, not a copy.
 */
struct str blocks_words(struct arena *mem, struct blocks b);

/* Write one block as a JSON object, or a list of blocks as a JSON array. */
void block_write(struct jw *w, const struct block *b);
void blocks_write(struct jw *w, struct blocks b);

/*
 * Parse a JSON array of blocks; the result is in mem. Fails with ERR_INVALID and the JSON path if
 * the value is not an array, or if it contains an unknown type, invalid base64, or more blocks than
 * limits.parts, or lacks a member. If `limits` is NULL, the number of blocks is not limited.
 */
bool blocks_read(struct arena *mem, struct json list, const struct limits *limits,
                 struct blocks *out, struct err *e);

/*
 * Get a prompt from the JSON object `obj`. The object must have either a string (`text`, the value
 * of the key text_key) or an array of blocks (`parts`). The function fails unless exactly one of
 * the two is present and not empty. Its errors contain the JSON path of `obj`.
 */
bool blocks_pick(struct arena *mem, struct json obj, const char *text_key, struct str text,
                 struct json parts, const struct limits *limits, struct blocks *out, struct err *e);

#endif
