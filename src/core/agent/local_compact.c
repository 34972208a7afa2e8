/*
 * local_compact.c - shortens a conversation that no longer fits into the model's context.
 *
 * First the model itself summarizes the older part. If that fails, or is not enough, the oldest
 * tool results are removed. Both steps only add a record: the history keeps everything, but less is
 * sent to the model.
 */
#include "core/agent/local_parts.h"

enum { TRIES = 3 }; /* for one request: a summary, then results are removed up to twice */

#define TASK                                                                                       \
    "The conversation above is about to be replaced by a summary. Write that summary for the "     \
    "agent that continues the work: what the user asked for and what is still to do, decisions "   \
    "and their reasons, findings, which files were read and changed and their current state, and " \
    "what failed. Keep important names, paths, numbers and exact wording. Write nothing else."

static void on_shortened(struct turn_save *s)
{
    struct local_turn *w = local_of(s->turn);

    if (w->only_shorten)
        local_end(w, local_stopping(w) ? TURN_CANCELED : TURN_END, NULL);
    else
        local_ask(w);
}

/* ---- dropping results ------------------------------------------------------------------------ */

static void nothing_helps(struct local_turn *w, const struct err *why)
{
    static const struct err too_long = {
        ERR_LIMIT, "the conversation is too long for the model, and none of it can be removed"
    };

    turn_notice(w->turn, NOTICE_COMPACT_FAILED, str_of(why ? why->text : too_long.text));
    if (local_stopping(w))
        local_end(w, TURN_CANCELED, NULL);
    else if (w->only_shorten)
        local_end(w, TURN_FAILED, why ? why : &too_long);
    else if (w->too_long)
        local_end(w, TURN_CONTEXT, NULL);
    else
        local_ask(w); /* that it is too long was only our estimate */
}

static void drop_results(struct local_turn *w, const struct err *why)
{
    int64_t tokens = history_tokens(w->session->history) / 2;
    struct str seqs = history_cuttable(w->session->history, &w->ask_mem, tokens);

    if (!seqs.p || local_stopping(w)) {
        nothing_helps(w, why);
        return;
    }
    turn_notice(w->turn, NOTICE_WARNING,
                STR("the oldest tool results were removed from the context of the model"));
    save_begin(&w->save, w->turn, &w->ask_mem, 0);
    save_record(&w->save, "cut", record_cut(&w->ask_mem, seqs));
    save_run(&w->save, on_shortened);
}

/* ---- a summary ------------------------------------------------------------------------------- */

static struct str text_of(const struct message *m)
{
    for (size_t i = m->blocks; i-- > 0;)
        if (m->block[i].kind == BLOCK_TEXT && m->block[i].text.n)
            return m->block[i].text;
    return STR_NONE;
}

static void on_summed_up(struct op *op, const struct err *e, void *ctx)
{
    struct local_turn *w = ctx;
    struct str summary = text_of(&w->ask.answer);

    (void)op;
    local_spend(w, &w->ask);
    if (e || w->ask.stop != STOP_END || !summary.n || local_stopping(w)) {
        drop_results(w, e);
        return;
    }
    turn_notice(w->turn, NOTICE_COMPACTED, summary);
    save_begin(&w->save, w->turn, &w->ask_mem, 0);
    save_record(&w->save, "compact", record_compact(&w->ask_mem, summary, w->after));
    save_run(&w->save, on_shortened);
}

static void sum_up(struct local_turn *w, size_t old)
{
    struct message *m = ARENA_ARRAY(&w->ask_mem, struct message, old + 1);
    struct block *task = ARENA_NEW(&w->ask_mem, struct block);
    size_t n;
    const struct message *all = history_messages(w->session->history, &n);

    for (size_t i = 0; i < old; i++)
        m[i] = all[i];
    *task = (struct block){ .kind = BLOCK_TEXT, .text = STR(TASK) };
    m[old] = (struct message){ ROLE_USER, task, 1 };
    w->request = (struct model_request){
        .model = w->model->name,
        .system = w->agent->system,
        .message = m,
        .messages = old + 1,
        /* providers require the definitions of tools that the conversation calls */
        .tool = w->request.tool,
        .tools = w->request.tools,
        .max_tokens = w->model->max_tokens,
        .temperature = -1,
    };
    w->ask = (struct model_turn){ .mem = &w->ask_mem, .request = &w->request };
    model_ask(w->model->provider, &w->ask, &w->prompt->op, on_summed_up, w);
}

void local_shorten(struct local_turn *w)
{
    size_t old = history_old(w->session->history, &w->after);

    if (w->shortened++ == TRIES) {
        local_end(w, TURN_CONTEXT, NULL);
        return;
    }
    if (w->shortened == 1)
        turn_notice(w->turn, NOTICE_COMPACTING,
                    STR("the conversation is being summarized to save space"));
    if (old && w->shortened == 1)
        sum_up(w, old);
    else
        drop_results(w, NULL);
}
