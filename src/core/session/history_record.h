/* history_record.h - reads and writes parts of the JSON of records: blocks and token usage. */
#ifndef CORE_SESSION_HISTORY_RECORD_H
#define CORE_SESSION_HISTORY_RECORD_H

#include "core/session/history.h"

/*
 * The size limit of a record in bytes. Answers, results and prompts have lower limits, which apply
 * first.
 */
enum { RECORD_MOST = 512 << 20 };

/* An edit is recorded if the texts before and after it together have at most this many bytes. */
enum { RECORD_DIFF_MOST = 256 << 10 };

/*
 * Parse an array of blocks into mem. The array contains the blocks of a prompt or an answer, or the
 * media of a result.
 */
bool record_blocks(struct arena *mem, struct json list, struct block **out, size_t *n,
                   struct err *e);

void usage_write(struct jw *w, const struct model_usage *u);
struct model_usage usage_read(struct json v);
void usage_add(struct model_usage *to, const struct model_usage *u);

#endif
