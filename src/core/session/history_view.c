/* history_view.c - converts a history to messages for a model and to events for a client. */
#include "core/session/history_parts.h"

#include "base/auto.h"
#include "base/utf8.h"
#include "core/artifact.h"

#define CUT "[removed to save space; call the tool again if you need the result]"
#define SUMMED_UP "[Summary of the earlier conversation:]\n"

/* ---- messages -------------------------------------------------------------------------------- */

static void add_message(struct history *h, enum message_role role, const struct block *b, size_t n)
{
    if (n)
        h->message[h->messages++] = (struct message){ role, b, n };
}

static struct block result_block(const struct item_result *r)
{
    struct block b = r->block;

    if (r->cut) {
        b.text = STR(CUT);
        b.medias = 0;
    } else if (!b.text.p) {
        b.text = STR(HISTORY_INTERRUPTED);
        b.is_error = true;
    }
    return b;
}

static void add_results(struct history *h, const struct item *it)
{
    struct block *b = ARENA_ARRAY(&h->view, struct block, it->calls ? it->calls : 1);

    for (size_t i = 0; i < it->calls; i++)
        b[i] = result_block(&it->result[i]);
    add_message(h, ROLE_USER, b, it->calls);
}

static void add_summary(struct history *h)
{
    struct block *b = ARENA_NEW(&h->view, struct block);

    b->kind = BLOCK_TEXT;
    b->text = arena_printf(&h->view, SUMMED_UP STR_FMT, STR_ARG(h->summary));
    add_message(h, ROLE_USER, b, 1);
}

/* A resource as text: its name, its URI and, if the prompt contains it, its content. */
static struct block in_words(struct history *h, const struct block *b)
{
    struct block out = { .kind = BLOCK_TEXT };
    struct str name = b->name.n ? b->name : b->uri;

    if (b->text.p)
        out.text = arena_printf(&h->view, "[" STR_FMT "](" STR_FMT ") holds:\n" STR_FMT,
                                STR_ARG(name), STR_ARG(b->uri), STR_ARG(b->text));
    else
        out.text =
            arena_printf(&h->view, "[" STR_FMT "](" STR_FMT ")", STR_ARG(name), STR_ARG(b->uri));
    return out;
}

static void add_prompt(struct history *h, const struct item *it)
{
    struct block *b = ARENA_ARRAY(&h->view, struct block, it->blocks ? it->blocks : 1);

    for (size_t i = 0; i < it->blocks; i++)
        b[i] = it->block[i].uri.p && it->block[i].kind == BLOCK_TEXT ? in_words(h, &it->block[i])
                                                                     : it->block[i];
    add_message(h, ROLE_USER, b, it->blocks);
}

static void build_messages(struct history *h)
{
    arena_reset(&h->view);
    h->message = ARENA_ARRAY(&h->view, struct message, 2 * h->n + 1);
    h->messages = 0;
    if (h->summary.p)
        add_summary(h);
    for (size_t i = 0; i < h->n; i++) {
        const struct item *it = &h->item[i];

        if (it->hidden || it->kind == ITEM_OTHER)
            continue;
        if (it->kind == ITEM_PROMPT)
            add_prompt(h, it);
        else
            add_message(h, ROLE_ASSISTANT, it->block, it->blocks);
        add_results(h, it);
    }
    h->fresh = true;
}

const struct message *history_messages(struct history *h, size_t *n)
{
    if (!h->fresh)
        build_messages(h);
    *n = h->messages;
    return h->message;
}

/* ---- counting tokens ------------------------------------------------------------------------- */

enum { BYTES_A_TOKEN = 4, TOKENS_OF_MEDIA = 1500 };

static int64_t block_tokens(const struct block *b)
{
    return b->kind == BLOCK_MEDIA
               ? TOKENS_OF_MEDIA
               : (int64_t)(b->text.n + b->args.n + b->sealed.n) / BYTES_A_TOKEN + 4;
}

static int64_t result_tokens(const struct item_result *r)
{
    return r->cut ? 0
                  : block_tokens(&r->block) + (int64_t)r->block.medias * (int64_t)TOKENS_OF_MEDIA;
}

static int64_t item_tokens(const struct item *it, bool only_results)
{
    int64_t n = 0;

    for (size_t i = 0; i < it->blocks && !only_results; i++)
        n += block_tokens(&it->block[i]);
    for (size_t i = 0; i < it->calls; i++)
        n += result_tokens(&it->result[i]);
    return n;
}

/* The model's count includes its own answer but not the results of the calls in it. */
int64_t history_tokens(const struct history *h)
{
    int64_t n = h->counted;

    for (size_t i = h->counted_to ? h->counted_to - 1 : 0; i < h->n; i++)
        if (!h->item[i].hidden && h->item[i].kind != ITEM_OTHER)
            n += item_tokens(&h->item[i], i + 1 == h->counted_to);
    return h->counted_to ? n : n + (int64_t)h->summary.n / BYTES_A_TOKEN;
}

/* ---- shortening ------------------------------------------------------------------------------ */

static bool visible(const struct item *it)
{
    return !it->hidden && it->kind != ITEM_OTHER;
}

static size_t last_of(const struct history *h, enum item_kind kind)
{
    for (size_t i = h->n; i-- > 0;)
        if (h->item[i].kind == kind && visible(&h->item[i]))
            return i;
    return h->n;
}

static size_t visible_before(const struct history *h, size_t at)
{
    size_t n = 0;

    for (size_t i = 0; i < at && i < h->n; i++)
        n += visible(&h->item[i]);
    return n;
}

enum { WORTH_IT = 2 }; /* a summary of fewer items is not worth a request */

size_t history_old(struct history *h, int64_t *after)
{
    size_t at = last_of(h, ITEM_PROMPT), n, count = 0;

    if (visible_before(h, at) < WORTH_IT)
        at = last_of(h, ITEM_ANSWER);
    if (at == h->n || visible_before(h, at) < WORTH_IT)
        return 0;
    history_messages(h, &n);
    count = h->summary.p != NULL;
    for (size_t i = 0; i < at; i++)
        if (visible(&h->item[i]))
            count += (h->item[i].blocks > 0) + (h->item[i].calls > 0);
    *after = h->item[at].seq - 1;
    return count;
}

struct str history_cuttable(struct history *h, struct arena *mem, int64_t tokens)
{
    size_t last = last_of(h, ITEM_ANSWER);
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, RECORD_MOST);
    jw_array(&w);
    for (size_t i = 0; i < last && tokens > 0; i++) {
        for (size_t k = 0; visible(&h->item[i]) && k < h->item[i].calls && tokens > 0; k++) {
            const struct item_result *r = &h->item[i].result[k];

            if (r->cut || !r->seq || result_tokens(r) < 50)
                continue;
            tokens -= result_tokens(r);
            jw_int(&w, r->seq);
        }
    }
    jw_array_end(&w);
    return out.n > 2 ? buf_str(&out) : STR_NONE;
}

/* ---- replay ---------------------------------------------------------------------------------- */

/* The receiver of a replay. */
struct replay {
    struct work_client *client;
    void (*fill)(void *ctx, struct event_tool *tool);
    void *ctx;
    struct artifact_set *made; /* whole artifacts, from the stored pieces */
};

static void replay_event(const struct replay *t, const struct event *ev)
{
    t->client->kind->event(t->client, ev);
}

static void replay_call(const struct replay *t, const struct block *call,
                        const struct item_result *r)
{
    struct event ev = { .kind = EVENT_TOOL };
    struct block told = result_block(r);

    ev.tool = (struct event_tool){
        .id = call->id,
        .name = call->name,
        .title = call->name,
        .kind = TOOL_KINDS,
        .args = call->args,
        .path = r->path,
    };
    if (t->fill)
        t->fill(t->ctx, &ev.tool);
    replay_event(t, &ev);
    ev.tool.status = told.is_error ? CALLED_FAILED : CALLED_DONE;
    ev.tool.text = told.text;
    ev.tool.trust = r->from.n ? "untrusted" : "trusted";
    ev.tool.from = r->from;
    ev.tool.old_text = r->old_text;
    ev.tool.new_text = r->new_text;
    replay_event(t, &ev);
}

static void replay_answer(const struct replay *t, const struct item *it)
{
    for (size_t i = 0, call = 0; i < it->blocks; i++) {
        const struct block *b = &it->block[i];

        if (b->kind == BLOCK_CALL)
            replay_call(t, b, &it->result[call++]);
        else if (b->text.n)
            replay_event(t, &(struct event){
                                .kind = b->kind == BLOCK_THOUGHT ? EVENT_THOUGHT : EVENT_TEXT,
                                .message = it->id,
                                .text = b->text,
                            });
    }
}

static void replay_prompt(const struct replay *t, const struct item *it)
{
    for (size_t i = 0; i < it->blocks; i++)
        replay_event(
            t, &(struct event){ .kind = EVENT_PROMPT, .message = it->id, .block = &it->block[i] });
}

static enum turn_stop stop_named(struct json name)
{
    size_t i = 0;

    while (i + 1 < TURN_STOPS && !json_is(name, str_of(turn_stop_names[i])))
        i++;
    return (enum turn_stop)i;
}

/* A client gets an artifact once, as a whole, when its last piece was stored. */
static void replay_artifact(struct history *h, const struct replay *t, const struct item *it)
{
    struct event ev = { .kind = EVENT_ARTIFACT };
    struct artifact *a;

    if (!artifact_piece_told(h->mem, it->body, &ev.artifact))
        return;
    a = artifact_add(t->made, &ev.artifact);
    ev.artifact.name = a->name;
    ev.artifact.description = a->description;
    ev.artifact.part = artifact_blocks(a, t->made->mem);
    ev.artifact.append = ev.artifact.joins = false;
    if (a->complete)
        replay_event(t, &ev);
}

static void replay_other(struct history *h, const struct replay *t, const struct item *it)
{
    struct event ev;

    if (str_eq(it->record, STR("plan"))) {
        ev = (struct event){ .kind = EVENT_PLAN };
        ev.plan = json_raw(json_get(it->body, STR("entries")));
    } else if (str_eq(it->record, STR("artifact"))) {
        replay_artifact(h, t, it);
        return;
    } else if (str_eq(it->record, STR("compact"))) {
        ev = (struct event){ .kind = EVENT_NOTICE };
        ev.notice = (struct event_notice){ NOTICE_COMPACTED,
                                           json_str(h->mem, json_get(it->body, STR("summary"))) };
    } else if (str_eq(it->record, STR("end"))) {
        ev = (struct event){ .kind = EVENT_END };
        ev.end = (struct event_end){
            .stop = stop_named(json_get(it->body, STR("stop"))),
            .text = json_str(h->mem, json_get(it->body, STR("text"))),
        };
    } else {
        return;
    }
    replay_event(t, &ev);
}

void history_tell(struct history *h, struct work_client *client,
                  void (*fill)(void *ctx, struct event_tool *tool), void *ctx)
{
    AUTO_ARENA mem = { 0 };
    struct artifact_set made = { .mem = &mem, .most = (size_t)h->limits->artifact_bytes };
    const struct replay t = { client, fill, ctx, &made };

    for (size_t i = 0; i < h->n; i++) {
        switch (h->item[i].kind) {
        case ITEM_PROMPT: replay_prompt(&t, &h->item[i]); break;
        case ITEM_ANSWER: replay_answer(&t, &h->item[i]); break;
        case ITEM_OTHER: replay_other(h, &t, &h->item[i]); break;
        }
    }
}

struct str history_state(const struct history *h)
{
    for (size_t i = h->n; i-- > 0;)
        if (h->item[i].kind == ITEM_OTHER && str_eq(h->item[i].record, STR("state")))
            return json_raw(h->item[i].body);
    return STR_NONE;
}
