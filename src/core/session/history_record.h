/* history_record.h - the parts of records that history.c, event.c and the turn share. */
#ifndef CORE_SESSION_HISTORY_RECORD_H
#define CORE_SESSION_HISTORY_RECORD_H

#include "core/session/history.h"

/* The parts are bounded where they come from (an answer, a result, a prompt). */
enum { RECORD_MOST = 512 << 20 };

/* The array of blocks of a prompt, an answer or a result's media, in mem. */
bool record_blocks(struct arena *mem, struct json list, struct block **out, size_t *n,
                   struct err *e);

void usage_write(struct jw *w, const struct model_usage *u);
struct model_usage usage_read(struct json v);
void usage_add(struct model_usage *to, const struct model_usage *u);

#endif
