/* a2a_write.c - write the objects of A2A in one dialect. */
#include "base/auto.h"
#include "base/base64.h"
#include "proto/a2a/a2a_codec.h"

static void write_kind(struct jw *w, const struct a2a_dialect_row *d, const char *kind)
{
    if (d->kinds)
        jw_kplain(w, "kind", str_of(kind));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool is_link(const struct block *b)
{
    return b->uri.p && !b->text.p && !b->data.p;
}

static bool is_file(const struct block *b)
{
    return b->kind == BLOCK_MEDIA || b->uri.p;
}

/* 0.1, 0.3: data is an object; another value becomes a text. */
static bool is_data(const struct a2a_dialect_row *d, const struct block *b)
{
    return b->is_data && (d->part == A2A_PART_MEMBERS || (b->text.n && b->text.p[0] == '{'));
}

/* The bytes of a file: media, or the text of a resource. */
static void write_bytes(struct jw *w, const char *key, const struct block *b)
{
    AUTO_ARENA scratch = { 0 };

    if (b->kind == BLOCK_MEDIA)
        jw_kstr(w, key, b->data);
    else
        jw_kstr(w, key, base64_encode(&scratch, BASE64_PLAIN, b->text));
}

static void write_content(struct jw *w, const char *bytes_key, const char *link_key,
                          const struct block *b)
{
    if (is_link(b))
        jw_kstr(w, link_key, b->uri);
    else
        write_bytes(w, bytes_key, b);
}

static struct str maybe(struct str s)
{
    return s.n ? s : STR_NONE;
}

/* A part has a content, even if it is empty. */
static struct str text_of(const struct block *b)
{
    return b->text.p ? b->text : STR("");
}

/* Core names a link that has no name by its URI. */
static struct str file_name(const struct block *b)
{
    return str_eq(b->name, b->uri) ? STR_NONE : maybe(b->name);
}

static void write_member_part(struct jw *w, const struct block *b)
{
    if (is_file(b)) {
        write_content(w, "raw", "url", b);
        jw_kstr(w, "filename", file_name(b));
        jw_kstr(w, "mediaType", maybe(b->type));
    } else if (b->is_data) {
        jw_kraw(w, "data", b->text);
    } else {
        jw_kstr(w, "text", text_of(b));
        jw_kstr(w, "mediaType", maybe(b->type));
    }
}

static void write_tagged_part(struct jw *w, const struct a2a_dialect_row *d, const struct block *b)
{
    jw_kplain(w, d->part_tag, is_file(b) ? STR("file") : is_data(d, b) ? STR("data") : STR("text"));
    if (is_file(b)) {
        jw_plain_key(w, STR("file"));
        jw_object(w);
        write_content(w, "bytes", "uri", b);
        jw_kstr(w, "name", file_name(b));
        jw_kstr(w, "mimeType", maybe(b->type));
        jw_object_end(w);
    } else if (is_data(d, b)) {
        jw_kraw(w, "data", b->text);
    } else {
        jw_kstr(w, "text", text_of(b));
    }
}

static void write_proto_part(struct jw *w, const struct a2a_dialect_row *d, const struct block *b)
{
    if (is_file(b)) {
        jw_plain_key(w, STR("file"));
        jw_object(w);
        write_content(w, "fileWithBytes", "fileWithUri", b);
        jw_kstr(w, "mimeType", maybe(b->type));
        jw_kstr(w, "name", file_name(b));
        jw_object_end(w);
    } else if (is_data(d, b)) {
        jw_plain_key(w, STR("data"));
        jw_object(w);
        jw_kraw(w, "data", b->text);
        jw_object_end(w);
    } else {
        jw_kstr(w, "text", text_of(b));
    }
}

static void write_flat_part(struct jw *w, const struct a2a_dialect_row *d, const struct block *b)
{
    jw_kplain(w, d->part_tag, is_file(b) ? STR("file") : is_data(d, b) ? STR("data") : STR("text"));
    if (is_file(b)) {
        jw_kstr(w, "name", b->name.p ? b->name : STR(""));
        jw_kstr(w, "mimeType", b->type.n ? b->type : STR("application/octet-stream"));
        write_content(w, "data", "uri", b);
    } else if (is_data(d, b)) {
        jw_kplain(w, "mimeType", STR("application/json"));
        jw_kraw(w, "data", b->text);
    } else {
        jw_kstr(w, "text", text_of(b));
    }
}

void a2a_write_part(struct jw *w, enum a2a_dialect dialect, const struct block *part)
{
    const struct a2a_dialect_row *d = &a2a_dialects[dialect];

    jw_object(w);
    switch (d->part) {
    case A2A_PART_MEMBERS: write_member_part(w, part); break;
    case A2A_PART_TAGGED: write_tagged_part(w, d, part); break;
    case A2A_PART_PROTO: write_proto_part(w, d, part); break;
    case A2A_PART_FLAT: write_flat_part(w, d, part); break;
    }
    jw_object_end(w);
}

static void write_parts(struct jw *w, enum a2a_dialect dialect, const char *key, struct blocks b)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < b.n; i++)
        a2a_write_part(w, dialect, &b.v[i]);
    jw_array_end(w);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void write_message_members(struct jw *w, enum a2a_dialect dialect,
                                  const struct a2a_message *m)
{
    const struct a2a_dialect_row *d = &a2a_dialects[dialect];

    write_kind(w, d, "message");
    if (d->message_ids) {
        jw_kstr(w, "messageId", m->id.p ? m->id : STR(""));
        jw_kstr(w, "contextId", maybe(m->context));
        jw_kstr(w, "taskId", maybe(m->task));
    }
    jw_kplain(w, "role", str_of(m->from_agent ? d->agent : d->user));
    write_parts(w, dialect, d->message_parts, m->parts);
    jw_kraw(w, "metadata", m->metadata);
    if (d->message_ids && m->extensions.n)
        pick_strs_write(w, "extensions", &m->extensions);
    if (d->message_ids && m->references.n)
        pick_strs_write(w, "referenceTaskIds", &m->references);
}

void a2a_write_message(struct jw *w, enum a2a_dialect dialect, const struct a2a_message *message)
{
    jw_object(w);
    write_message_members(w, dialect, message);
    jw_object_end(w);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

void a2a_write_status(struct jw *w, enum a2a_dialect dialect, const struct a2a_status *status)
{
    const struct a2a_dialect_row *d = &a2a_dialects[dialect];

    if (d->status_word) {
        jw_plain(w, str_of(d->state[status->state]));
        return;
    }
    jw_object(w);
    jw_kplain(w, "state", str_of(d->state[status->state]));
    if (status->message) {
        jw_plain_key(w, STR("message"));
        a2a_write_message(w, dialect, status->message);
    }
    jw_kstr(w, "timestamp", maybe(status->time));
    jw_object_end(w);
}

static void write_artifact_members(struct jw *w, enum a2a_dialect dialect,
                                   const struct a2a_artifact *a)
{
    jw_kstr(w, "artifactId", a->id);
    jw_kstr(w, "name", maybe(a->name));
    jw_kstr(w, "description", maybe(a->description));
    write_parts(w, dialect, "parts", a->parts);
    jw_kraw(w, "metadata", a->metadata);
}

void a2a_write_artifact(struct jw *w, enum a2a_dialect dialect, const struct a2a_artifact *a)
{
    jw_object(w);
    write_artifact_members(w, dialect, a);
    jw_object_end(w);
}

static void write_artifacts(struct jw *w, enum a2a_dialect dialect, const struct a2a_task *t)
{
    jw_plain_key(w, STR("artifacts"));
    jw_array(w);
    for (size_t i = 0; i < t->artifacts; i++)
        a2a_write_artifact(w, dialect, &t->artifact[i]);
    jw_array_end(w);
}

static void write_history(struct jw *w, enum a2a_dialect dialect, const struct a2a_task *t)
{
    jw_plain_key(w, str_of(a2a_dialects[dialect].history));
    jw_array(w);
    for (size_t i = 0; i < t->messages; i++)
        a2a_write_message(w, dialect, &t->history[i]);
    jw_array_end(w);
}

static void write_task_members(struct jw *w, enum a2a_dialect dialect, const struct a2a_task *t)
{
    const struct a2a_dialect_row *d = &a2a_dialects[dialect];

    write_kind(w, d, "task");
    jw_kstr(w, "id", t->id);
    jw_kstr(w, d->context, maybe(t->context));
    jw_plain_key(w, STR("status"));
    a2a_write_status(w, dialect, &t->status);
    if (t->artifacts || t->shows_artifacts || d->status_word)
        write_artifacts(w, dialect, t);
    if (t->messages || d->status_word)
        write_history(w, dialect, t);
    jw_kraw(w, "metadata", t->metadata);
}

void a2a_write_task(struct jw *w, enum a2a_dialect dialect, const struct a2a_task *task)
{
    jw_object(w);
    write_task_members(w, dialect, task);
    jw_object_end(w);
}

/* ---- updates --------------------------------------------------------------------------------- */

static void write_update_ids(struct jw *w, const struct a2a_dialect_row *d,
                             const struct a2a_update *u)
{
    jw_kstr(w, d->task_of_update, u->task_id);
    if (d->message_ids)
        jw_kstr(w, d->context, u->context);
}

static void write_status_update(struct jw *w, enum a2a_dialect dialect, const struct a2a_update *u)
{
    const struct a2a_dialect_row *d = &a2a_dialects[dialect];

    jw_object(w);
    write_kind(w, d, "status-update");
    write_update_ids(w, d, u);
    jw_plain_key(w, STR("status"));
    a2a_write_status(w, dialect, &u->status);
    if (d->finals)
        jw_kbool(w, "final", u->final);
    jw_kraw(w, "metadata", u->metadata);
    jw_object_end(w);
}

static void write_flags(struct jw *w, const struct a2a_update *u)
{
    jw_kbool(w, "append", u->append);
    jw_kbool(w, "lastChunk", u->last);
}

static void write_artifact_update(struct jw *w, enum a2a_dialect dialect,
                                  const struct a2a_update *u)
{
    const struct a2a_dialect_row *d = &a2a_dialects[dialect];

    jw_object(w);
    write_kind(w, d, "artifact-update");
    write_update_ids(w, d, u);
    jw_plain_key(w, STR("artifact"));
    jw_object(w);
    write_artifact_members(w, dialect, &u->artifact);
    if (d->flags_inside)
        write_flags(w, u);
    jw_object_end(w);
    if (!d->flags_inside)
        write_flags(w, u);
    jw_kraw(w, "metadata", u->metadata);
    jw_object_end(w);
}

void a2a_write_update(struct jw *w, enum a2a_dialect dialect, const struct a2a_update *update)
{
    static const char *const wrappers[] = {
        [A2A_TASK] = "task",
        [A2A_MESSAGE] = "message",
        [A2A_STATUS] = "statusUpdate",
        [A2A_ARTIFACT] = "artifactUpdate",
    };
    bool wraps = a2a_dialects[dialect].wraps;

    if (wraps) {
        jw_object(w);
        jw_plain_key(w, str_of(wrappers[update->kind]));
    }
    switch (update->kind) {
    case A2A_TASK: a2a_write_task(w, dialect, &update->task); break;
    case A2A_MESSAGE: a2a_write_message(w, dialect, &update->message); break;
    case A2A_STATUS: write_status_update(w, dialect, update); break;
    case A2A_ARTIFACT: write_artifact_update(w, dialect, update); break;
    }
    if (wraps)
        jw_object_end(w);
}

/* ---- push configurations --------------------------------------------------------------------- */

/* 0.3 has a list of schemes, 1.0 has one. */
static void write_push_members(struct jw *w, const struct a2a_push *p, bool list)
{
    jw_kstr(w, "id", maybe(p->id));
    jw_kstr(w, "url", p->url);
    jw_kstr(w, "token", maybe(p->token));
    if (!p->scheme.n)
        return;
    jw_plain_key(w, STR("authentication"));
    jw_object(w);
    if (list) {
        pick_strs_write(
            w, "schemes",
            &(struct pick_strs){ .v = (struct str[]){ p->scheme }, .n = 1, .set = true });
    } else {
        jw_kstr(w, "scheme", p->scheme);
    }
    jw_kstr(w, "credentials", maybe(p->credentials));
    jw_object_end(w);
}

void a2a_write_push(struct jw *w, enum a2a_dialect dialect, const struct a2a_push *push)
{
    AUTO_ARENA scratch = { 0 };

    jw_object(w);
    if (dialect == A2A_1_0) {
        jw_kstr(w, "taskId", push->task);
        write_push_members(w, push, false);
        jw_object_end(w);
        return;
    }
    if (dialect == A2A_0_3_REST)
        jw_kstr(w, "name",
                arena_printf(&scratch, "tasks/" STR_FMT "/pushNotificationConfigs/" STR_FMT,
                             STR_ARG(push->task), STR_ARG(push->id)));
    else
        jw_kstr(w, dialect == A2A_0_3 ? "taskId" : "id", push->task);
    jw_plain_key(w, STR("pushNotificationConfig"));
    jw_object(w);
    write_push_members(w, push, true);
    jw_object_end(w);
    jw_object_end(w);
}
