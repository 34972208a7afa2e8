/*
 * artifact.h - artifacts: files or documents that an agent produces. Events carry artifacts in
 * pieces; this file assembles whole artifacts from the pieces.
 *
 * A piece without `append` replaces all earlier parts of its artifact. A piece with `append` adds
 * its parts. If a piece has both `append` and `joins`, its first part continues the last earlier
 * part, which has the same kind and media type: the texts or bytes of the two parts are
 * concatenated. If a piece has no name or description, the artifact keeps its own.
 *
 * A piece in JSON: {"id","name"?,"description"?,"parts":[...],"append"?,"joins"?,"last"?}; parts
 * are written as in block.h. A whole artifact: {"id","name"?,"description"?,"parts":[...],
 * "complete","cut"?}. "cut" is set if parts are missing because the artifact is too large.
 */
#ifndef CORE_ARTIFACT_H
#define CORE_ARTIFACT_H

#include "core/event.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Write the members of a piece as JSON. The caller opens and closes the JSON object. */
void artifact_piece_write(struct jw *w, const struct event_artifact *a);

/*
 * Parse a piece; the result is in mem. The function also accepts the form that tool results and
 * earlier versions of trefoil use: "text", "data" (base64) or "uri", with "media_type" or "type",
 * instead of "parts". If `limits` is NULL, the number of parts is not limited.
 */
bool artifact_piece_read(struct arena *mem, struct json v, const struct limits *limits,
                         struct event_artifact *out, struct err *e);

/*
 * Like artifact_piece_read, for a piece in a tool result or in a session record. If the piece has
 * no member "last", it is the last piece.
 */
bool artifact_piece_told(struct arena *mem, struct json v, struct event_artifact *out);

/* ---- whole artifacts ------------------------------------------------------------------------- */

struct artifact {
    struct str id, name, description;
    struct artifact_part *part;
    size_t parts, room;
    bool complete; /* the last piece has arrived */
    bool cut;      /* parts are missing, because the artifact is too large */
    struct artifact *next;
};

/* To make an empty set, set `mem` and `most`, and zero all other members. */
struct artifact_set {
    struct arena *mem; /* memory for copies of all data that is added */
    /* maximum size of all artifacts together, in bytes; content beyond it is dropped */
    size_t most;
    size_t bytes;
    struct artifact *first;
};

/* Add a piece to the set. Returns the artifact to which the piece belongs. */
struct artifact *artifact_add(struct artifact_set *s, const struct event_artifact *piece);

/*
 * Return the parts of an artifact as blocks. The list is in mem; the content is borrowed from the
 * set.
 */
struct blocks artifact_blocks(const struct artifact *a, struct arena *mem);

/* Write all artifacts as a JSON array. */
void artifacts_write(struct jw *w, const struct artifact_set *s);

#endif
