/* history.c - adds records to a history, and reads single facts from it. */
#include "core/session/history_parts.h"

#include "base/mem.h"
#include "core/guard/taint_label.h"

struct history *history_new(const struct limits *limits, struct arena *mem)
{
    struct history *h = ARENA_NEW(mem, struct history);

    h->limits = limits;
    h->mem = mem;
    return h;
}

void history_free(struct history *h)
{
    if (!h)
        return;
    arena_fini(&h->view);
    mem_free(h->item);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static struct item *add_item(struct history *h, enum item_kind kind, int64_t seq)
{
    if (h->n == h->room) {
        h->room = h->room ? 2 * h->room : 16;
        h->item = mem_resize(h->item, h->room * sizeof(*h->item));
    }
    h->item[h->n] = (struct item){ .kind = kind, .seq = seq };
    return &h->item[h->n++];
}

/* A source never goes away: untrusted data may influence all later answers. */
static void note_taint(struct history *h, struct str from)
{
    h->taint = taint_join(h->mem, h->taint, from);
}

static bool add_prompt(struct history *h, int64_t seq, struct json body, struct err *e)
{
    struct item it = { .id = json_str(h->mem, json_get(body, STR("id"))) }, *to;

    if (!record_blocks(h->mem, json_get(body, STR("blocks")), &it.block, &it.blocks, e))
        return false;
    note_taint(h, json_str(h->mem, json_get(body, STR("from"))));
    h->turn = json_str(h->mem, json_get(body, STR("turn")));
    to = add_item(h, ITEM_PROMPT, seq);
    it.kind = ITEM_PROMPT;
    it.seq = seq;
    *to = it;
    return true;
}

static void make_results(struct history *h, struct item *it)
{
    for (size_t i = 0; i < it->blocks; i++)
        it->calls += it->block[i].kind == BLOCK_CALL;
    it->result = ARENA_ARRAY(h->mem, struct item_result, it->calls ? it->calls : 1);
    for (size_t i = 0, n = 0; i < it->blocks; i++)
        if (it->block[i].kind == BLOCK_CALL)
            it->result[n++].block = (struct block){ .kind = BLOCK_RESULT,
                                                    .id = it->block[i].id,
                                                    .name = it->block[i].name };
}

static bool add_answer(struct history *h, int64_t seq, struct json body, struct err *e)
{
    struct item it = { .kind = ITEM_ANSWER,
                       .seq = seq,
                       .id = json_str(h->mem, json_get(body, STR("id"))) };
    struct model_usage usage = usage_read(json_get(body, STR("usage")));

    if (!record_blocks(h->mem, json_get(body, STR("blocks")), &it.block, &it.blocks, e))
        return false;
    make_results(h, &it);
    *add_item(h, ITEM_ANSWER, seq) = it;
    if (usage.input) {
        h->counted = usage.input + usage.output;
        h->counted_to = h->n;
    }
    return true;
}

static struct item *last_answer(const struct history *h)
{
    for (size_t i = h->n; i-- > 0;)
        if (h->item[i].kind == ITEM_ANSWER)
            return &h->item[i];
    return NULL;
}

static struct item_result *find_result(struct item *answer, struct str id)
{
    for (size_t i = 0; answer && i < answer->calls; i++)
        if (str_eq(answer->result[i].block.id, id) && !answer->result[i].block.text.p)
            return &answer->result[i];
    return NULL;
}

/* Calls that run in parallel can belong to several answers of the same turn. */
static struct item_result *find_open_result(const struct history *h, struct str id)
{
    for (size_t i = h->n; i-- > 0 && h->item[i].kind != ITEM_PROMPT;) {
        struct item_result *r = find_result(&h->item[i], id);

        if (r)
            return r;
    }
    return NULL;
}

/* A result that belongs to no open call is ignored. */
static bool add_result(struct history *h, int64_t seq, struct json body, struct err *e)
{
    struct item_result *r = find_open_result(h, json_str(h->mem, json_get(body, STR("id"))));
    struct str text = json_str(h->mem, json_get(body, STR("text")));
    struct json media = json_get(body, STR("media"));
    struct block *list;

    if (!r)
        return true;
    if (json_here(media) && !record_blocks(h->mem, media, &list, &r->block.medias, e))
        return false;
    if (r->block.medias)
        r->block.media = list;
    r->block.text = text.p ? text : STR("");
    r->block.is_error = json_true(json_get(body, STR("error")));
    r->from = json_str(h->mem, json_get(body, STR("from")));
    r->path = json_str(h->mem, json_get(body, STR("path")));
    r->old_text = json_str(h->mem, json_get(body, STR("old_text")));
    r->new_text = json_str(h->mem, json_get(body, STR("new_text")));
    r->seq = seq;
    note_taint(h, r->from);
    return true;
}

static bool add_other(struct history *h, int64_t seq, struct str kind, struct json body)
{
    struct item *it = add_item(h, ITEM_OTHER, seq);

    it->record = arena_str(h->mem, kind);
    it->body = body;
    return true;
}

static bool add_compact(struct history *h, int64_t seq, struct json body, struct err *e)
{
    struct str summary = json_str(h->mem, json_get(body, STR("summary")));
    int64_t after;

    if (!summary.p || !json_int(json_get(body, STR("after")), &after))
        return json_fail(body, e, "expected summary and after");
    for (size_t i = 0; i < h->n; i++)
        if (h->item[i].seq <= after)
            h->item[i].hidden = true;
    h->summary = summary;
    h->counted = 0;
    h->counted_to = 0;
    return add_other(h, seq, STR("compact"), body);
}

static void cut_result(struct history *h, int64_t seq)
{
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k < h->item[i].calls; k++)
            if (h->item[i].result[k].seq == seq)
                h->item[i].result[k].cut = true;
}

static bool add_cut(struct history *h, int64_t seq, struct json body)
{
    JSON_EACH(v, json_get(body, STR("seqs")))
    {
        int64_t n;

        if (json_int(v, &n) && n)
            cut_result(h, n);
    }
    h->counted = 0;
    h->counted_to = 0;
    return add_other(h, seq, STR("cut"), body);
}

/* Hide the refused prompt and everything after it, so that the next request does not contain it. */
static void hide_refused(struct history *h)
{
    for (size_t i = h->n; i-- > 0;) {
        h->item[i].hidden = true;
        if (h->item[i].kind == ITEM_PROMPT)
            break;
    }
}

static bool add_end(struct history *h, int64_t seq, struct json body)
{
    double cost;

    h->turn = STR_NONE;
    if (json_is(json_get(body, STR("stop")), STR("refused")))
        hide_refused(h);
    if (!json_double(json_get(body, STR("cost")), &cost))
        h->cost = -1;
    else if (h->cost >= 0)
        h->cost += cost;
    return add_other(h, seq, STR("end"), body);
}

static bool add_record(struct history *h, int64_t seq, struct str kind, struct json body,
                       struct err *e)
{
    if (str_eq(kind, STR("prompt")))
        return add_prompt(h, seq, body, e);
    if (str_eq(kind, STR("answer")))
        return add_answer(h, seq, body, e);
    if (str_eq(kind, STR("result")))
        return add_result(h, seq, body, e);
    if (str_eq(kind, STR("compact")))
        return add_compact(h, seq, body, e);
    if (str_eq(kind, STR("cut")))
        return add_cut(h, seq, body);
    if (str_eq(kind, STR("end")))
        return add_end(h, seq, body);
    return add_other(h, seq, kind, body);
}

bool history_add(struct history *h, int64_t seq, struct str kind, struct str body, struct err *e)
{
    /* trefoil wrote this record and applied its limits then. */
    struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = UINT32_MAX };
    struct json v;

    if (!seq)
        seq = h->last_seq + 1;
    if (!json_read(h->mem, arena_str(h->mem, body), &opts, &v, e))
        return fail_in(e, "record %lld", (long long)seq);
    h->fresh = false;
    h->last_seq = seq;
    return add_record(h, seq, kind, v, e) || fail_in(e, "record %lld", (long long)seq);
}

/* ---- looking --------------------------------------------------------------------------------- */

int64_t history_last(const struct history *h)
{
    return h->last_seq;
}

struct str history_turn(const struct history *h)
{
    return h->turn;
}

struct str history_taint(const struct history *h)
{
    return h->taint;
}

struct str history_taint_origin(const struct history *h, struct str source, int64_t *seq)
{
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k < h->item[i].calls; k++) {
            const struct item_result *r = &h->item[i].result[k];

            if (!taint_has(r->from, source))
                continue;
            *seq = r->seq;
            return r->block.name;
        }
    return STR_NONE;
}

double history_cost(const struct history *h)
{
    return h->cost;
}

size_t history_open_calls(const struct history *h, struct arena *mem, const struct block ***out)
{
    const struct item *it = last_answer(h);
    size_t n = 0;

    if (!it || !it->calls)
        return 0;
    *out = ARENA_ARRAY(mem, const struct block *, it->calls);
    for (size_t i = 0, call = 0; i < it->blocks; i++) {
        if (it->block[i].kind != BLOCK_CALL)
            continue;
        if (!it->result[call++].block.text.p)
            (*out)[n++] = &it->block[i];
    }
    return n;
}

const struct block *history_open_call(const struct history *h, struct str id)
{
    for (size_t i = h->n; i-- > 0 && h->item[i].kind != ITEM_PROMPT;) {
        const struct item *it = &h->item[i];

        if (!find_result(&h->item[i], id))
            continue;
        for (size_t k = 0; k < it->blocks; k++)
            if (it->block[k].kind == BLOCK_CALL && str_eq(it->block[k].id, id))
                return &it->block[k];
    }
    return NULL;
}

struct str history_answer(const struct history *h)
{
    const struct item *it = last_answer(h);
    struct str text = STR("");

    for (size_t i = 0; it && i < it->blocks; i++)
        if (it->block[i].kind == BLOCK_TEXT)
            text = it->block[i].text;
    return text;
}

struct str history_answer_to(const struct history *h, struct str prompt)
{
    const struct item *it = last_answer(h);

    while (it && it > h->item && it->kind != ITEM_PROMPT)
        it--;
    return it && it->kind == ITEM_PROMPT && str_eq(it->id, prompt) ? history_answer(h) : STR("");
}

static size_t interrupted_calls(const struct item *it)
{
    size_t n = 0;

    for (size_t i = 0; i < it->calls; i++)
        n += str_eq(it->result[i].block.text, STR(HISTORY_INTERRUPTED));
    return n;
}

size_t history_interrupted(const struct history *h, struct str prompt)
{
    bool since = false;
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        const struct item *it = &h->item[i];

        since |= it->kind == ITEM_PROMPT && str_eq(it->id, prompt);
        n += since && it->kind == ITEM_ANSWER ? interrupted_calls(it) : 0;
    }
    return n;
}
