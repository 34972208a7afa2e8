/* history_record.h - helpers for the JSON of records: blocks and token usage. */
#ifndef CORE_SESSION_HISTORY_RECORD_H
#define CORE_SESSION_HISTORY_RECORD_H

#include "core/session/history.h"

/*
 * The size limit of a record. The limits of answers, results and prompts are lower and apply first.
 */
enum { RECORD_MOST = 512 << 20 };

/* Parse the array of blocks of a prompt, of an answer, or of the media of a result, into mem. */
bool record_blocks(struct arena *mem, struct json list, struct block **out, size_t *n,
                   struct err *e);

void usage_write(struct jw *w, const struct model_usage *u);
struct model_usage usage_read(struct json v);
void usage_add(struct model_usage *to, const struct model_usage *u);

#endif
