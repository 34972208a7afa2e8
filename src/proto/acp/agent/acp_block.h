/*
 * acp_block.h - convert the content blocks of ACP from and to those of core. Pure.
 */
#ifndef PROTO_ACP_AGENT_ACP_BLOCK_H
#define PROTO_ACP_AGENT_ACP_BLOCK_H

#include "core/agent/agent.h"
#include "core/block.h"

/*
 * Read a prompt; `caps` are those of the agent (enum agent_cap). ERR_INVALID: a block is malformed,
 * or the agent does not accept its type. An empty prompt is read as one empty text.
 */
bool acp_blocks_read(struct arena *mem, struct json list, const struct limits *limits,
                     unsigned caps, struct blocks *out, struct err *e);

/* Write a block. Types that ACP does not have become text or an embedded resource. */
void acp_block_write(struct jw *w, const struct block *b);

/* Write a text block. */
void acp_text_write(struct jw *w, struct str text);

#endif
