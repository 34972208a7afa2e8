/*
 * artifact.h - artifacts: pieces as events carry them, and whole ones put together from pieces.
 *
 * A piece that does not append replaces all parts that its artifact had. A piece that appends adds
 * its parts; with `joins` its first part continues the last part, which has the same kind and media
 * type: text is concatenated, and so are bytes. A name or description that a piece does not give
 * stays as it was.
 *
 * A piece in JSON: {"id","name"?,"description"?,"parts":[...],"append"?,"joins"?,"last"?}; the parts
 * are those of block.h. A whole artifact: {"id","name"?,"description"?,"parts":[...],"complete",
 * "cut"?}; cut says that parts are missing because the artifact is too large.
 */
#ifndef CORE_ARTIFACT_H
#define CORE_ARTIFACT_H

#include "core/event.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Write the members of a piece; the caller writes the object around them. */
void artifact_piece_write(struct jw *w, const struct event_artifact *a);

/*
 * Parse a piece, in mem. Also accepts the form of earlier versions and of tool results: "text",
 * "data" (base64) or "uri", with "media_type" or "type", instead of "parts". limits NULL: any
 * number of parts.
 */
bool artifact_piece_read(struct arena *mem, struct json v, const struct limits *limits,
                         struct event_artifact *out, struct err *e);

/*
 * The same for the result of a tool and for a record of a session. A piece without the member
 * "last" is the last one.
 */
bool artifact_piece_told(struct arena *mem, struct json v, struct event_artifact *out);

/* ---- whole artifacts ------------------------------------------------------------------------- */

struct artifact {
    struct str id, name, description;
    struct artifact_part *part;
    size_t parts, room;
    bool complete; /* its last piece has arrived */
    bool cut;
    struct artifact *next;
};

/* To start with an empty set, set mem and most and zero the rest. */
struct artifact_set {
    struct arena *mem; /* everything is copied into it */
    size_t most;       /* limit on the bytes of all artifacts; content above it is omitted */
    size_t bytes;
    struct artifact *first;
};

/* Add a piece; returns the artifact it belongs to. */
struct artifact *artifact_add(struct artifact_set *s, const struct event_artifact *piece);

/* The parts as blocks, in mem; their content is borrowed from the set. */
struct blocks artifact_blocks(const struct artifact *a, struct arena *mem);

/* All artifacts as a JSON array. */
void artifacts_write(struct jw *w, const struct artifact_set *s);

#endif
