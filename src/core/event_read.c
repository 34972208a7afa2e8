/* event_read.c - parses the output of event_write. */
#include "base/pick.h"
#include "core/artifact.h"
#include "core/event.h"
#include "core/guard/guard_check.h"
#include "core/session/history_record.h"

/* All members that an event of any kind may have. */
struct line {
    struct str type, message, text, id, name, title, kind, status, path, old_text, new_text;
    struct str trust, from, session, key, uri, media_type, data, stop, code, mode, model;
    struct json args, entries, params, turn, done, total;
    int64_t line, used, size;
    double cost_usd;
    bool open;
};

#define TEXT(name) PICK_FIELD(#name, PICK_STR, struct line, name, 0)
#define VALUE(name) PICK_FIELD(#name, PICK_ANY, struct line, name, 0)
#define NUMBER(name) PICK_FIELD(#name, PICK_INT, struct line, name, 0)
#define TRUTH(name) PICK_FIELD(#name, PICK_BOOL, struct line, name, 0)

static const struct pick fields[] = {
    PICK_FIELD("type", PICK_STR, struct line, type, PICK_MUST),
    TEXT(message),
    TEXT(text),
    TEXT(id),
    TEXT(name),
    TEXT(title),
    TEXT(kind),
    TEXT(status),
    TEXT(path),
    TEXT(old_text),
    TEXT(new_text),
    TEXT(trust),
    TEXT(from),
    TEXT(session),
    TEXT(key),
    TEXT(uri),
    TEXT(media_type),
    TEXT(data),
    TEXT(stop),
    TEXT(code),
    TEXT(mode),
    TEXT(model),
    VALUE(args),
    VALUE(entries),
    VALUE(params),
    VALUE(turn),
    VALUE(done),
    VALUE(total),
    NUMBER(line),
    NUMBER(used),
    NUMBER(size),
    PICK_FIELD("cost_usd", PICK_DOUBLE, struct line, cost_usd, 0),
    TRUTH(open),
};

/* The index of a word among the names; `n`: it is none of them. */
static size_t named(struct str word, const char *const *name, size_t n)
{
    size_t i = 0;

    while (i < n && !str_eq(word, str_of(name[i])))
        i++;
    return i;
}

static struct str raw(struct json v)
{
    return json_here(v) ? json_raw(v) : STR_NONE;
}

/* ---- one function per kind; false: a word is unknown ----------------------------------------- */

static bool read_prompt(struct arena *mem, const struct line *l, struct event *ev)
{
    struct block *b = ARENA_NEW(mem, struct block);

    *b = (struct block){ .kind = l->data.p ? BLOCK_MEDIA : BLOCK_TEXT,
                         .text = l->text,
                         .uri = l->uri,
                         .name = l->name,
                         .type = l->media_type,
                         .data = l->data };
    ev->message = l->message;
    ev->block = b;
    return true;
}

static bool read_text(struct arena *mem, const struct line *l, struct event *ev)
{
    (void)mem;
    ev->message = l->message;
    ev->text = l->text;
    return true;
}

/* Every other word counts as "untrusted". */
static const char *trust_word(struct str s)
{
    return !s.p ? NULL : str_eq(s, STR("trusted")) ? "trusted" : "untrusted";
}

static bool read_tool(struct arena *mem, const struct line *l, struct event *ev)
{
    size_t status = named(l->status, called_names, CALLED_STATES);

    (void)mem;
    ev->tool = (struct event_tool){
        .id = l->id,
        .name = l->name,
        .title = l->title,
        .kind = (enum tool_kind)named(l->kind, guard_kind_names, TOOL_KINDS),
        .status = (enum called_status)status,
        .args = raw(l->args),
        .path = l->path,
        .line = l->line,
        .text = l->text,
        .old_text = l->old_text,
        .new_text = l->new_text,
        .done = raw(l->done),
        .total = raw(l->total),
        .trust = trust_word(l->trust),
        .from = l->from,
        .session = l->session,
    };
    return status < CALLED_STATES;
}

static bool read_plan(struct arena *mem, const struct line *l, struct event *ev)
{
    (void)mem;
    ev->plan = raw(l->entries);
    return json_type(l->entries) == JSON_ARRAY;
}

static bool read_ask(struct arena *mem, const struct line *l, struct event *ev)
{
    size_t kind = named(l->kind, ask_names, ASK_KINDS);

    (void)mem;
    ev->ask = (struct event_ask){ .id = l->id,
                                  .key = l->key,
                                  .kind = (enum ask_kind)kind,
                                  .params = raw(l->params),
                                  .open = l->open };
    return kind < ASK_KINDS;
}

static bool read_usage(struct arena *mem, const struct line *l, struct event *ev)
{
    (void)mem;
    ev->usage = (struct event_usage){
        .turn = usage_read(l->turn), .used = l->used, .size = l->size, .cost_usd = l->cost_usd
    };
    return true;
}

static bool read_notice(struct arena *mem, const struct line *l, struct event *ev)
{
    size_t kind = named(l->kind, notice_names, NOTICE_KINDS);

    (void)mem;
    ev->notice = (struct event_notice){ (enum notice_kind)kind, l->text };
    return kind < NOTICE_KINDS;
}

static bool read_session(struct arena *mem, const struct line *l, struct event *ev)
{
    (void)mem;
    ev->session = (struct event_session){ .title = l->title, .mode = l->mode, .model = l->model };
    return true;
}

static bool read_end(struct arena *mem, const struct line *l, struct event *ev)
{
    size_t stop = named(l->stop, turn_stop_names, TURN_STOPS);

    (void)mem;
    ev->end = (struct event_end){ .stop = (enum turn_stop)stop, .text = l->text };
    for (int c = ERR_NONE; l->code.p && c <= ERR_SYSTEM; c++)
        if (str_eq(l->code, str_of(err_code_name((enum err_code)c))))
            ev->end.code = (enum err_code)c;
    return stop < TURN_STOPS;
}

static bool (*const readers[EVENT_KINDS])(struct arena *mem, const struct line *l,
                                          struct event *ev) = {
    [EVENT_PROMPT] = read_prompt, [EVENT_TEXT] = read_text,     [EVENT_THOUGHT] = read_text,
    [EVENT_TOOL] = read_tool,     [EVENT_PLAN] = read_plan,     [EVENT_ASK] = read_ask,
    [EVENT_USAGE] = read_usage,   [EVENT_NOTICE] = read_notice, [EVENT_SESSION] = read_session,
    [EVENT_END] = read_end,
};

bool event_read(struct arena *mem, struct json line, struct event *out, struct err *e)
{
    struct line l = { .cost_usd = -1 };
    struct event ev = { 0 };
    size_t kind;

    if (!pick(mem, line, PICK_TABLE(fields), PICK_LENIENT, &l, e))
        return false;
    kind = named(l.type, event_names, EVENT_KINDS);
    ev.kind = (enum event_kind)kind;
    if (kind == EVENT_ARTIFACT && !artifact_piece_read(mem, line, NULL, &ev.artifact, e))
        return false;
    if (kind == EVENT_KINDS || (readers[kind] && !readers[kind](mem, &l, &ev)))
        return json_fail(line, e, "unknown event");
    *out = ev;
    return true;
}
