/*
 * a2a_report.c - see the header.
 *
 * For each artifact we keep a digest of what was reported: of its text, or of its parts. When the
 * artifact arrives again as a whole, its beginning has the same digest, and the rest is new. If the
 * beginning differs, the agent has replaced the artifact, and all of it is reported.
 *
 * A digest is compared only with data of the same agent, so it needs no secret.
 */
#include "proto/a2a/client/a2a_report.h"

#include "base/auto.h"
#include "base/log.h"

enum { HEARD_MOST = 1 << 16, NOTICE_MOST = 4096, SAVED_MOST = 32 };

struct digest {
    uint64_t sum;
    size_t n; /* bytes of the text, or number of parts */
};

struct a2a_made {
    struct str id;
    bool text;             /* reported as text */
    bool ended;            /* its last piece was reported */
    bool ends_with_text;   /* its last part is a text */
    char message[ID_TEXT]; /* for text: the id of the message */
    struct digest seen;
    struct a2a_made *next;
};

/* ---- digests --------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t add_bytes(uint64_t sum, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        sum = (sum ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    return sum;
}

static const struct digest digest_new = { 0xcbf29ce484222325u, 0 };

static struct digest digest_text(struct digest d, struct str s)
{
    return (struct digest){ add_bytes(d.sum, s), d.n + s.n };
}

static struct digest digest_part(struct digest d, const struct block *b)
{
    const struct str members[] = { b->text, b->data, b->uri, b->type, b->name };

    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        d.sum = add_bytes(add_bytes(d.sum, members[i]), STR("\n"));
    d.n++;
    return d;
}

static bool same_digest(struct digest a, struct digest b)
{
    return a.sum == b.sum && a.n == b.n;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool is_words(const struct block *b)
{
    return b->kind == BLOCK_TEXT && !b->is_data && !b->uri.p && !b->name.n &&
           (!b->type.n || str_eq(b->type, STR("text/plain")));
}

struct str a2a_text_of(struct arena *mem, struct blocks parts)
{
    struct buf out;
    size_t most = 1;

    for (size_t i = 0; i < parts.n; i++)
        most += is_words(&parts.v[i]) ? parts.v[i].text.n + 1 : 0;
    buf_init_in(&out, mem, most);
    for (size_t i = 0; i < parts.n; i++) {
        if (!is_words(&parts.v[i]))
            continue;
        if (out.n)
            buf_putc(&out, '\n');
        buf_put(&out, parts.v[i].text);
    }
    return out.n ? buf_str(&out) : STR("");
}

/* All text parts without anything between them: the pieces of a stream. */
static struct str joined_text(struct arena *mem, struct blocks parts)
{
    struct buf out;
    size_t most = 1;

    for (size_t i = 0; i < parts.n; i++)
        most += parts.v[i].text.n;
    buf_init_in(&out, mem, most);
    for (size_t i = 0; i < parts.n; i++)
        if (is_words(&parts.v[i]))
            buf_put(&out, parts.v[i].text);
    return out.n ? buf_str(&out) : STR("");
}

/* The parts that are not plain text. */
static struct blocks other_parts(struct arena *mem, struct blocks parts)
{
    struct block *v = ARENA_ARRAY(mem, struct block, parts.n);
    size_t n = 0;

    for (size_t i = 0; i < parts.n; i++)
        if (!is_words(&parts.v[i]))
            v[n++] = parts.v[i];
    return (struct blocks){ v, n };
}

static bool is_message(const struct a2a_artifact *a)
{
    if (a->name.n && !str_eq(a->name, STR("answer")))
        return false;
    for (size_t i = 0; i < a->parts.n; i++)
        if (!is_words(&a->parts.v[i]))
            return false;
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void report_text(struct a2a_report *r, struct str message, struct str text)
{
    const struct event ev = { .kind = EVENT_TEXT, .message = message, .text = text };

    if (!text.n)
        return;
    r->said = true;
    turn_event(r->turn, &ev);
}

static void report_notice(struct a2a_report *r, struct str text)
{
    struct event ev = { .kind = EVENT_NOTICE };

    ev.notice = (struct event_notice){ NOTICE_WARNING, str_head(text, NOTICE_MOST) };
    turn_event(r->turn, &ev);
}

static void report_piece(struct a2a_report *r, struct a2a_made *m, const struct a2a_artifact *a,
                         struct blocks parts, bool append, bool last)
{
    struct event ev = { .kind = EVENT_ARTIFACT };

    if (!parts.n && !last)
        return;
    ev.artifact = (struct event_artifact){
        .id = m->id,
        .name = a ? a->name : STR_NONE,
        .description = a ? a->description : STR_NONE,
        .part = parts,
        .append = append,
        .joins = append && parts.n && m->ends_with_text && is_words(&parts.v[0]),
        .last = last,
    };
    if (parts.n)
        m->ends_with_text = is_words(&parts.v[parts.n - 1]);
    m->ended = last;
    for (size_t i = 0; i < parts.n; i++)
        if (is_words(&parts.v[i]))
            buf_put(&r->shown, parts.v[i].text);
    turn_event(r->turn, &ev);
}

/* ---- artifacts ------------------------------------------------------------------------------- */

static struct a2a_made *find_made(const struct a2a_report *r, struct str id)
{
    struct a2a_made *m = r->made;

    while (m && !str_eq(m->id, id))
        m = m->next;
    return m;
}

static struct a2a_made *new_made(struct a2a_report *r, const struct a2a_artifact *a)
{
    const struct session_world *world = r->turn->session->world;
    struct a2a_made *m;

    if (r->count == (size_t)world->limits->a2a_artifacts) {
        if (!r->full)
            report_notice(r, STR("the remote agent sends more artifacts than trefoil accepts (the "
                                 "constant a2a_artifacts); the others are ignored"));
        r->full = true;
        return NULL;
    }
    m = ARENA_NEW(r->mem, struct a2a_made);
    m->id = arena_str(r->mem, a->id);
    m->text = is_message(a);
    m->seen = digest_new;
    if (!str_to_c(a->id, m->message, sizeof(m->message)))
        id_new(loop_wall(world->loop), m->message);
    m->next = r->made;
    r->made = m;
    r->count++;
    return m;
}

static size_t told_of(struct a2a_report *r, struct str text);

static void append_text(struct a2a_report *r, struct a2a_made *m, const struct a2a_artifact *a)
{
    AUTO_ARENA mem = { 0 };
    struct str text = joined_text(&mem, a->parts);
    struct blocks others = other_parts(&mem, a->parts);

    m->seen = digest_text(m->seen, text);
    report_text(r, str_of(m->message), str_skip(text, told_of(r, text)));
    report_piece(r, m, a, others, true, false);
}

static void append_parts(struct a2a_report *r, struct a2a_made *m, const struct a2a_artifact *a,
                         bool last)
{
    for (size_t i = 0; i < a->parts.n; i++)
        m->seen = digest_part(m->seen, &a->parts.v[i]);
    report_piece(r, m, a, a->parts, true, last);
}

/* The whole text of a message that may have been reported in part. */
static void replace_text(struct a2a_report *r, struct a2a_made *m, const struct a2a_artifact *a)
{
    AUTO_ARENA mem = { 0 };
    struct str text = joined_text(&mem, a->parts), old = str_head(text, m->seen.n);

    if (same_digest(digest_text(digest_new, old), m->seen))
        text = str_skip(text, old.n);
    else /* another text: another message */
        id_new(loop_wall(r->turn->op.loop), m->message);
    m->seen = digest_text(digest_new, joined_text(&mem, a->parts));
    report_text(r, str_of(m->message), text);
}

static void replace_parts(struct a2a_report *r, struct a2a_made *m, const struct a2a_artifact *a,
                          bool last)
{
    struct digest d = digest_new, old = m->seen;
    size_t known = 0;

    for (size_t i = 0; i < a->parts.n; i++) {
        d = digest_part(d, &a->parts.v[i]);
        if (same_digest(d, old))
            known = i + 1;
    }
    m->seen = d;
    if (known == a->parts.n && known == old.n && (m->ended || !last))
        return;
    report_piece(r, m, a, (struct blocks){ a->parts.v + known, a->parts.n - known }, known > 0,
                 last);
}

void a2a_report_artifact(struct a2a_report *r, const struct a2a_artifact *a, bool append, bool last)
{
    struct a2a_made *m = find_made(r, a->id);
    bool is_new = !m;

    if (!m)
        m = new_made(r, a);
    if (!m)
        return;
    if (m->text && !append && !is_message(a)) {
        m->text = false;
        m->seen = digest_new;
    }
    if (m->text && (append || is_new))
        append_text(r, m, a);
    else if (m->text)
        replace_text(r, m, a);
    else if (append && !is_new)
        append_parts(r, m, a, last);
    else
        replace_parts(r, m, a, last);
}

void a2a_report_task(struct a2a_report *r, const struct a2a_task *task)
{
    bool final = task_state_final(task->status.state);

    for (size_t i = 0; i < task->artifacts; i++)
        a2a_report_artifact(r, &task->artifact[i], false, final);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void report_parts(struct a2a_report *r, const struct a2a_message *m, struct str text)
{
    AUTO_ARENA mem = { 0 };
    const struct a2a_artifact a = { .id = m->id.n ? m->id : STR("message"),
                                    .parts = other_parts(&mem, m->parts) };
    char id[ID_TEXT];

    if (!str_to_c(m->id, id, sizeof(id)) || !id[0])
        id_new(loop_wall(r->turn->op.loop), id);
    report_text(r, str_of(id), text);
    if (a.parts.n)
        a2a_report_artifact(r, &a, false, true);
}

void a2a_report_message(struct a2a_report *r, const struct a2a_message *m)
{
    AUTO_ARENA mem = { 0 };

    report_parts(r, m, a2a_text_of(&mem, m->parts));
}

/* A snapshot repeats the message of the status. */
static bool is_repeated(struct a2a_report *r, const struct a2a_message *m)
{
    if (m->id.n && str_eq(m->id, r->status))
        return true;
    r->status = arena_str(r->mem, m->id);
    return false;
}

void a2a_report_status(struct a2a_report *r, const struct a2a_status *status)
{
    AUTO_ARENA mem = { 0 };
    struct str text;

    if (!status->message || is_repeated(r, status->message))
        return;
    text = a2a_text_of(&mem, status->message->parts);
    if (!text.n)
        return;
    if (r->heard.n)
        buf_putc(&r->heard, '\n');
    buf_put(&r->heard, text);
    report_notice(r, text);
}

/* ---- another trefoil ------------------------------------------------------------------------- */

static bool tells_work(struct a2a_report *r, struct event *ev)
{
    struct event_tool *tool = &ev->tool;

    if (ev->kind == EVENT_TOOL) {
        tool->path = tool->session = STR_NONE;
        tool->trust = "untrusted";
        tool->from = turn_agent(r->turn)->source;
    }
    return ev->kind == EVENT_TOOL || ev->kind == EVENT_THOUGHT || ev->kind == EVENT_PLAN ||
           ev->kind == EVENT_NOTICE || ev->kind == EVENT_USAGE;
}

bool a2a_report_work(struct a2a_report *r, struct str metadata)
{
    const struct json_opts opts = limits_json(r->turn->session->world->limits);
    AUTO_ARENA mem = { 0 };
    struct event ev;
    struct json v;
    struct err e;

    if (!metadata.n || !json_read(&mem, metadata, &opts, &v, &e) ||
        !event_read(&mem, json_get(v, STR("trefoil")), &ev, &e) || !tells_work(r, &ev))
        return false;
    turn_event(r->turn, &ev);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Artifacts whose last piece the agent has not announced are complete now. */
static void end_artifacts(struct a2a_report *r)
{
    for (struct a2a_made *m = r->made; m; m = m->next)
        if (!m->text && !m->ended)
            report_piece(r, m, NULL, (struct blocks){ NULL, 0 }, true, true);
}

void a2a_report_end(struct a2a_report *r, const struct a2a_status *status)
{
    AUTO_ARENA mem = { 0 };
    const struct a2a_message *m = status->message;
    struct str text = m ? a2a_text_of(&mem, m->parts) : STR("");

    end_artifacts(r);
    if (!r->said)
        report_text(r, STR_NONE, buf_str(&r->shown));
    if (m && !is_repeated(r, m)) {
        if (r->said && text.n)
            report_notice(r, text);
        report_parts(r, m, r->said ? STR("") : text);
    }
    if (!r->said)
        report_text(r, STR_NONE, buf_str(&r->heard));
}

/* ---- resuming -------------------------------------------------------------------------------- */

static void add_told(struct a2a_report *r, const struct message *m)
{
    struct str *v = ARENA_ARRAY(r->mem, struct str, r->tolds + m->blocks);

    for (size_t i = 0; i < r->tolds; i++)
        v[i] = r->told[i];
    r->told = v;
    for (size_t i = 0; i < m->blocks; i++)
        if (m->block[i].kind == BLOCK_TEXT && m->block[i].text.n)
            v[r->tolds++] = arena_str(r->mem, m->block[i].text);
}

/* The texts behind the last prompt. */
static void find_told(struct a2a_report *r)
{
    size_t n, from;
    const struct message *m = history_messages(r->turn->session->history, &n);

    for (from = n; from && m[from - 1].role != ROLE_USER; from--)
        ;
    for (; from < n; from++)
        add_told(r, &m[from]);
    r->said = r->tolds > 0;
}

/* Which part of this text has the history? A question may have split it. */
static size_t told_of(struct a2a_report *r, struct str text)
{
    size_t n = 0;

    while (r->tolds && str_starts(str_skip(text, n), r->told[0])) {
        n += r->told[0].n;
        r->told++;
        r->tolds--;
    }
    return n;
}

static void read_made(struct a2a_report *r, struct json v)
{
    struct a2a_made *m = ARENA_NEW(r->mem, struct a2a_made);
    int64_t n = 0, high = 0, low = 0;

    m->id = arena_str(r->mem, json_str(r->mem, json_get(v, STR("id"))));
    if (!json_int(json_get(v, STR("n")), &n) || !json_int(json_get(v, STR("high")), &high) ||
        !json_int(json_get(v, STR("low")), &low))
        return;
    m->seen = (struct digest){ (uint64_t)high << 32 | (uint64_t)low, (size_t)n };
    m->ended = json_true(json_get(v, STR("ended")));
    m->next = r->made;
    r->made = m;
    r->count++;
}

void a2a_report_resume(struct a2a_report *r, struct json made)
{
    find_told(r);
    JSON_EACH(one, made)
    {
        read_made(r, one);
    }
}

void a2a_report_save(const struct a2a_report *r, struct jw *w)
{
    size_t n = 0;

    jw_array(w);
    for (const struct a2a_made *m = r->made; m && n < SAVED_MOST; m = m->next) {
        if (m->text)
            continue;
        n++;
        jw_object(w);
        jw_kstr(w, "id", m->id);
        jw_kint(w, "n", (int64_t)m->seen.n);
        jw_kint(w, "high", (int64_t)(m->seen.sum >> 32));
        jw_kint(w, "low", (int64_t)(m->seen.sum & 0xffffffffu));
        jw_kbool(w, "ended", m->ended);
        jw_object_end(w);
    }
    jw_array_end(w);
}

/* ---- life ------------------------------------------------------------------------------------ */

void a2a_report_init(struct a2a_report *r, struct turn *turn, struct arena *mem)
{
    *r = (struct a2a_report){ .turn = turn, .mem = mem };
    buf_init(&r->heard, HEARD_MOST);
    buf_init(&r->shown, HEARD_MOST);
}

void a2a_report_fini(struct a2a_report *r)
{
    buf_fini(&r->heard);
    buf_fini(&r->shown);
}
