/*
 * acp_client_transcript.c - the conversation so far as text, for an agent that has no session with it: its
 * session is lost, or another agent has worked in the session of trefoil before.
 */
#include "base/utf8.h"
#include "proto/acp/client/acp_client_parts.h"

/* Only the newest messages are sent, up to this many bytes. */
enum { TRANSCRIPT_MOST = 64 << 10, RESULT_MOST = 2000 };

static size_t block_size(const struct block *b)
{
    return b->text.n + b->args.n + b->name.n + 32;
}

static size_t message_size(const struct message *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->blocks; i++)
        n += block_size(&m->block[i]);
    return n;
}

/* The first of the newest messages that fit together. */
static size_t first_message(const struct message *m, size_t n)
{
    size_t room = TRANSCRIPT_MOST;

    while (n && message_size(&m[n - 1]) <= room)
        room -= message_size(&m[--n]);
    return n;
}

static void put_block(struct buf *out, const struct block *b)
{
    switch (b->kind) {
    case BLOCK_TEXT: buf_put(out, b->text); break;
    case BLOCK_CALL:
        buf_printf(out, "[tool " STR_FMT " ", STR_ARG(b->name));
        buf_put(out, b->args);
        buf_putc(out, ']');
        break;
    case BLOCK_RESULT:
        buf_printf(out, "[result: ");
        buf_put(out, utf8_head(b->text, RESULT_MOST));
        buf_putc(out, ']');
        break;
    case BLOCK_MEDIA: buf_printf(out, "[a file]"); break;
    case BLOCK_THOUGHT: return;
    }
    buf_putc(out, '\n');
}

struct str acp_transcript(const struct acp_turn *t, struct arena *mem)
{
    struct history *h = t->prompt->turn->session->history;
    size_t n, from;
    const struct message *m = history_messages(h, &n);
    struct buf out;

    if (n && t->prompt->blocks) /* the last message is this prompt */
        n--;
    from = first_message(m, n);
    if (from == n)
        return STR_NONE;
    buf_init_in(&out, mem, 2 * TRANSCRIPT_MOST);
    buf_printf(&out, "[The conversation so far%s:]\n", from ? ", without its beginning" : "");
    for (size_t i = from; i < n; i++) {
        buf_printf(&out, "\n%s:\n", m[i].role == ROLE_USER ? "User" : "You");
        for (size_t k = 0; k < m[i].blocks; k++)
            put_block(&out, &m[i].block[k]);
    }
    return buf_str(&out);
}
