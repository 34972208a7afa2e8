#include "provider/reply.h"

#include "base/id.h"
#include "base/utf8.h"

enum { FIRST_BLOCKS = 4 };

void reply_init(struct reply *r, struct model_turn *t, const struct limits *l, const char *by)
{
    *r = (struct reply){ .turn = t, .limits = l, .by = by };
    t->answer = (struct message){ .role = ROLE_ASSISTANT };
    t->stop = STOP_END;
    t->usage = (struct model_usage){ 0 };
    t->model = STR_NONE;
}

struct reply_block *reply_find(struct reply *r, enum block_kind kind, int64_t key)
{
    for (size_t i = r->blocks; i-- > 0;)
        if (r->block[i].key == key && r->block[i].b.kind == kind)
            return &r->block[i];
    return NULL;
}

static bool too_large(const struct reply *r, struct err *e)
{
    return fail(e, ERR_LIMIT, "the answer is larger than %jd bytes (limits.model_answer_bytes)",
                (intmax_t)r->limits->model_answer_bytes);
}

/* Count bytes before they are kept. */
static bool reply_count(struct reply *r, size_t n, struct err *e)
{
    if (n > (size_t)r->limits->model_answer_bytes - r->bytes)
        return too_large(r, e);
    r->bytes += n;
    return true;
}

struct reply_block *reply_add(struct reply *r, enum block_kind kind, int64_t key, struct err *e)
{
    struct reply_block *b;

    if (r->blocks >= (size_t)r->limits->model_blocks) {
        fail(e, ERR_LIMIT, "the answer has more than %jd parts (the constant model_blocks)",
             (intmax_t)r->limits->model_blocks);
        return NULL;
    }
    if (r->blocks == r->room) {
        size_t room = r->room ? r->room * 2 : FIRST_BLOCKS;

        r->block = arena_grow(r->turn->mem, r->block, r->room * sizeof(*b), room * sizeof(*b));
        r->room = room;
    }
    b = &r->block[r->blocks++];
    *b = (struct reply_block){ .b = { .kind = kind }, .key = key };
    buf_init_in(&b->text, r->turn->mem, (size_t)r->limits->model_answer_bytes);
    return b;
}

/* ---- deltas --------------------------------------------------------------------------------- */

/* Append a delta. *delta becomes the added text: half a character waits for its other half. */
static bool reply_add_delta(struct reply *r, enum block_kind kind, int64_t key, struct str *delta,
                            struct err *e)
{
    struct reply_block *b = reply_find(r, kind, key);

    if (!b && !(b = reply_add(r, kind, key, e)))
        return false;
    *delta = utf8_join(r->turn->mem, &b->half, *delta);
    if (!reply_count(r, delta->n, e))
        return false;
    return buf_put(&b->text, *delta) || too_large(r, e);
}

static void reply_tell(struct reply *r, enum block_kind kind, struct str delta)
{
    const struct model_events *ev = r->turn->events;

    if (!delta.n)
        return;
    r->told = true;
    if (kind == BLOCK_TEXT && ev && ev->on_text)
        ev->on_text(r->turn, delta);
    if (kind == BLOCK_THOUGHT && ev && ev->on_thought)
        ev->on_thought(r->turn, delta);
}

static bool add_and_tell(struct reply *r, enum block_kind kind, int64_t key, struct str delta,
                         struct err *e)
{
    if (!delta.n)
        return true;
    if (!reply_add_delta(r, kind, key, &delta, e))
        return false;
    reply_tell(r, kind, delta);
    return true;
}

bool reply_text(struct reply *r, int64_t key, struct str delta, struct err *e)
{
    return add_and_tell(r, BLOCK_TEXT, key, delta, e);
}

bool reply_thought(struct reply *r, int64_t key, struct str delta, struct err *e)
{
    return add_and_tell(r, BLOCK_THOUGHT, key, delta, e);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static struct str new_id(struct reply *r)
{
    char id[ID_TEXT];

    id_new(loop_wall(r->turn->op.loop), id);
    return arena_printf(r->turn->mem, "call_%s", id);
}

bool reply_call(struct reply *r, int64_t key, struct str id, struct str name, struct err *e)
{
    const struct model_events *ev = r->turn->events;
    struct reply_block *b;

    if (!name.n)
        return fail(e, ERR_INVALID, "a call has no tool name");
    if (!(b = reply_add(r, BLOCK_CALL, key, e)) || !reply_count(r, id.n + name.n, e))
        return false;
    b->b.id = id.n ? arena_str(r->turn->mem, id) : new_id(r);
    b->b.name = arena_str(r->turn->mem, name);
    r->told = true;
    if (ev && ev->on_call)
        ev->on_call(r->turn, b->b.id, b->b.name);
    return true;
}

bool reply_args(struct reply *r, int64_t key, struct str delta, struct err *e)
{
    if (!delta.n)
        return true;
    if (!reply_find(r, BLOCK_CALL, key))
        return fail(e, ERR_INVALID, "the answer has arguments of a call that it did not begin");
    return reply_add_delta(r, BLOCK_CALL, key, &delta, e);
}

bool reply_media(struct reply *r, struct str type, struct str data, struct err *e)
{
    struct reply_block *b = reply_add(r, BLOCK_MEDIA, -1, e);

    if (!b || !reply_count(r, type.n + data.n, e))
        return false;
    b->b.type = arena_str(r->turn->mem, type);
    b->b.data = arena_str(r->turn->mem, data);
    r->told = true;
    return true;
}

bool reply_seal(struct reply *r, struct reply_block *b, struct str raw, struct err *e)
{
    if (!reply_count(r, raw.n, e))
        return false;
    b->b.sealed = arena_str(r->turn->mem, raw);
    b->b.by = r->by;
    return true;
}

void reply_stop(struct reply *r, enum model_stop stop)
{
    r->stopped = true;
    r->turn->stop = stop;
}

void reply_model(struct reply *r, struct str name)
{
    if (name.n && !r->turn->model.n)
        r->turn->model = arena_str(r->turn->mem, str_head(name, 256));
}

/* ---- the end -------------------------------------------------------------------------------- */

/* The arguments as JSON: the object as written, {} for nothing, or a string with any other text. */
static struct str args_of(struct reply *r, struct str written)
{
    struct json_opts opts = limits_json(r->limits);
    struct arena scratch = { 0 };
    struct str text = str_trim(written);
    struct json root;
    struct err e;
    bool object = json_read(&scratch, text, &opts, &root, &e) && json_type(root) == JSON_OBJECT;
    struct buf out;
    struct jw w = jw_to(&out);

    arena_fini(&scratch);
    if (!text.n)
        return STR("{}");
    if (object)
        return text;
    buf_init_in(&out, r->turn->mem, written.n * 6 + 2); /* a byte is at most \u00XX */
    jw_str(&w, written);
    return buf_str(&out);
}

/* The other half of the last character has not arrived: replace it. */
static void end_half(struct reply *r, struct reply_block *b)
{
    static const struct str replacement = STR("\xef\xbf\xbd");

    if (!b->half)
        return;
    b->half = 0;
    if (buf_put(&b->text, replacement))
        reply_tell(r, b->b.kind, replacement);
}

static void reply_fill(struct reply *r, struct reply_block *b)
{
    struct str text;

    end_half(r, b);
    text = buf_str(&b->text);

    if (b->b.kind == BLOCK_CALL)
        b->b.args = args_of(r, text);
    else if (b->b.kind == BLOCK_TEXT || b->b.kind == BLOCK_THOUGHT)
        b->b.text = text.p ? text : STR("");
}

static bool kept(const struct reply_block *b, bool failed)
{
    switch (b->b.kind) {
    case BLOCK_TEXT:
    case BLOCK_THOUGHT: return b->b.text.n || b->b.sealed.p;
    case BLOCK_CALL: return !failed;
    case BLOCK_MEDIA: return true;
    case BLOCK_RESULT: break;
    }
    return false;
}

void reply_finish(struct reply *r, bool failed)
{
    struct block *out = ARENA_ARRAY(r->turn->mem, struct block, r->blocks);
    size_t n = 0;
    bool calls = false;

    for (size_t i = 0; i < r->blocks; i++) {
        reply_fill(r, &r->block[i]);
        if (!kept(&r->block[i], failed))
            continue;
        out[n++] = r->block[i].b;
        calls |= r->block[i].b.kind == BLOCK_CALL;
    }
    r->turn->answer = (struct message){ ROLE_ASSISTANT, out, n };
    if (r->turn->stop == STOP_END && calls)
        r->turn->stop = STOP_TOOLS;
}
