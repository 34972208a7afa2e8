/*
 * block.h - lists of blocks: prompts, messages to agents, answers and artifacts; and their JSON.
 *
 * The JSON has the shapes of content blocks in MCP and ACP, and two of its own:
 *
 *   {"type":"text","text"}
 *   {"type":"image"|"audio","data":BASE64,"mimeType"}
 *   {"type":"file","data":BASE64,"mimeType"?,"name"?}
 *   {"type":"resource_link","uri","name"?,"mimeType"?}
 *   {"type":"resource","resource":{"uri","mimeType"?,"text"}}     or "blob":BASE64 for "text"
 *   {"type":"data","data":JSON}
 *
 * As blocks: text is BLOCK_TEXT; bytes are BLOCK_MEDIA, of any media type; a link is BLOCK_TEXT with
 * a uri and no text; a resource has a uri and text or data; JSON data is BLOCK_TEXT with is_data.
 */
#ifndef CORE_BLOCK_H
#define CORE_BLOCK_H

#include "core/model.h"

struct blocks {
    const struct block *v;
    size_t n;
};

/* One block of text, in mem; the text is borrowed. */
struct blocks blocks_text(struct arena *mem, struct str text);

/* A deep copy in mem. */
struct blocks blocks_copy(struct arena *mem, struct blocks b);

/* Is there any content: text that is not only white space, bytes or a link? */
bool blocks_say_something(struct blocks b);

/* Is this a single text block, which can be written as a string? */
bool blocks_are_text(struct blocks b);

/*
 * The texts, with a placeholder in brackets for every other block; in mem, or the only text itself.
 */
struct str blocks_words(struct arena *mem, struct blocks b);

/* Write one block, or all of them as a JSON array. */
void block_write(struct jw *w, const struct block *b);
void blocks_write(struct jw *w, struct blocks b);

/*
 * Parse a JSON array of blocks, in mem. ERR_INVALID with the JSON path: not an array, an unknown
 * type, a missing member, bad base64, or more than limits.parts (limits NULL: any number).
 */
bool blocks_read(struct arena *mem, struct json list, const struct limits *limits,
                 struct blocks *out, struct err *e);

/*
 * A prompt that is given as a string (`text`, under text_key) or as `parts`: exactly one of them,
 * and not empty. obj is the object that holds both, for the path in errors.
 */
bool blocks_pick(struct arena *mem, struct json obj, const char *text_key, struct str text,
                 struct json parts, const struct limits *limits, struct blocks *out, struct err *e);

#endif
