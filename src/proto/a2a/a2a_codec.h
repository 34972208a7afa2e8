/*
 * a2a_codec.h - the objects of A2A, and their JSON in every dialect, in both directions.
 *
 * Parts are blocks (core/block.h): a text, bytes with a media type, a link, or JSON data. What a
 * part has beyond that ("metadata") is lost.
 *
 * Writing follows one dialect exactly (a2a_dialect.h). Reading accepts the members of every dialect
 * and both spellings of them (contextId, context_id); unknown members are ignored. The dialect only
 * decides which members are required, and how the data parts of A2A_0_3_REST are unpacked. Strings
 * that were read point into the JSON text or into `mem`.
 */
#ifndef PROTO_A2A_A2A_CODEC_H
#define PROTO_A2A_A2A_CODEC_H

#include "base/limits.h"
#include "base/pick.h"
#include "core/block.h"
#include "proto/a2a/a2a_dialect.h"

/* A raw JSON object; STR_NONE: absent. */
struct a2a_message {
    struct str id, context, task; /* STR_NONE: absent */
    bool from_agent;
    struct blocks parts;
    struct str metadata;
    struct pick_strs references; /* ids of other tasks */
    struct pick_strs extensions;
};

struct a2a_status {
    enum task_state state;
    const struct a2a_message *message; /* NULL: absent */
    struct str time;                   /* "2026-11-15T09:30:00.123Z"; STR_NONE: absent */
};

struct a2a_artifact {
    struct str id, name, description;
    struct blocks parts;
    struct str metadata;
};

struct a2a_task {
    struct str id, context;
    struct a2a_status status;
    const struct a2a_artifact *artifact;
    size_t artifacts;
    const struct a2a_message *history;
    size_t messages;
    struct str metadata;
    bool shows_artifacts; /* write the member "artifacts" even if there are none */
};

enum a2a_update_kind { A2A_TASK, A2A_MESSAGE, A2A_STATUS, A2A_ARTIFACT };

/* One event of a stream, or the result of sending a message (A2A_TASK or A2A_MESSAGE). */
struct a2a_update {
    enum a2a_update_kind kind;
    struct str task_id, context;  /* A2A_STATUS, A2A_ARTIFACT */
    struct a2a_task task;         /* A2A_TASK */
    struct a2a_message message;   /* A2A_MESSAGE */
    struct a2a_status status;     /* A2A_STATUS */
    bool final;                   /* A2A_STATUS: the stream ends here (not in 1.0) */
    struct a2a_artifact artifact; /* A2A_ARTIFACT */
    bool append, last;            /* A2A_ARTIFACT */
    struct str metadata;          /* A2A_STATUS, A2A_ARTIFACT */
};

struct a2a_push {
    struct str id, task; /* STR_NONE: absent */
    struct str url, token;
    struct str scheme, credentials; /* of the header Authorization; STR_NONE: none */
};

/* ---- writing: a2a_write.c -------------------------------------------------------------------- */

void a2a_write_part(struct jw *w, enum a2a_dialect dialect, const struct block *part);
void a2a_write_message(struct jw *w, enum a2a_dialect dialect, const struct a2a_message *message);
void a2a_write_status(struct jw *w, enum a2a_dialect dialect, const struct a2a_status *status);
void a2a_write_artifact(struct jw *w, enum a2a_dialect dialect, const struct a2a_artifact *a);
void a2a_write_task(struct jw *w, enum a2a_dialect dialect, const struct a2a_task *task);

/* Write an event of a stream, in the wrapper {"task":...} if the dialect has one. */
void a2a_write_update(struct jw *w, enum a2a_dialect dialect, const struct a2a_update *update);

/* Write a push configuration with the id of its task, as results of push methods have it. */
void a2a_write_push(struct jw *w, enum a2a_dialect dialect, const struct a2a_push *push);

/* ---- reading: a2a_read.c --------------------------------------------------------------------- */

/*
 * All fail with ERR_INVALID, with the JSON path of the wrong value and what is accepted, or with
 * ERR_LIMIT if there are more than limits.parts parts.
 */

/* Requires a role and at least one part; an id if the dialect has message ids. */
bool a2a_read_message(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                      struct json v, struct a2a_message *out, struct err *e);
bool a2a_read_artifact(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                       struct json v, struct a2a_artifact *out, struct err *e);
bool a2a_read_task(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                   struct json v, struct a2a_task *out, struct err *e);

/* Read an event of a stream or the result of sending a message, with or without a wrapper. */
bool a2a_read_update(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                     struct json v, struct a2a_update *out, struct err *e);

/* Read a push configuration, with or without the wrapper {"taskId","pushNotificationConfig"}. */
bool a2a_read_push(struct arena *mem, struct json v, struct a2a_push *out, struct err *e);

/* Write a name in snake_case: "contextId" becomes "context_id". */
enum { A2A_NAME = 64 };
struct str a2a_snake_case(const char *camel, char out[A2A_NAME]);

/* The member with this name in camelCase or in snake_case; missing if there is neither. */
struct json a2a_get(struct json obj, const char *camel);

#endif
