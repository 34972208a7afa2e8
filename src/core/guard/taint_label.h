/*
 * taint_label.h - the label of untrusted data: where it comes from.
 *
 * A label is a list of sources, separated by commas. It is stored with results, prompts and tasks,
 * and every reader of the data adds the sources to its own label. A source is one of
 *
 *   SERVER:TOOL           a tool of an MCP server
 *   https://HOST[:PORT]   a page that web_fetch has read (or http://)
 *   user@PRINCIPAL        a prompt, if [guard] user_trust is "untrusted"
 *   others                all sources beyond the first TAINT_SOURCES_MOST
 *
 * A source whose data looks like an attack (injection_score.h) is suspicious. Then the names of the
 * signals follow: SERVER:TOOL!override+hidden-text. A label without a source is STR_NONE.
 */
#ifndef CORE_GUARD_TAINT_LABEL_H
#define CORE_GUARD_TAINT_LABEL_H

#include "base/arena.h"

enum { TAINT_SOURCES_MOST = 16, TAINT_SOURCE_BYTES = 100, TAINT_SHOWN = 120 };

/*
 * Make a source from a name that trefoil does not control: the name is truncated, and characters
 * with a meaning in a label are replaced. In mem.
 */
struct str taint_source(struct arena *mem, struct str name);

/*
 * Return the source for a URL: its scheme, host and port or, if it has none, the whole text. In
 * mem.
 */
struct str taint_source_of_url(struct arena *mem, struct str url);

/*
 * Return a label with all sources of both labels. In mem, or one of the labels if it contains the
 * other.
 */
struct str taint_join(struct arena *mem, struct str a, struct str b);

/* Return the label with these signals ("a+b") added to each of its sources. In mem. */
struct str taint_suspect(struct arena *mem, struct str label, struct str signals);

/* Does the label contain the source, with any signals or none? */
bool taint_has(struct str label, struct str source);

/* Is a source of the label suspicious? */
bool taint_is_suspicious(struct str label);

/* Do all sources of the label belong to this MCP server? */
bool taint_only_from(struct str label, struct str server);

/* Return the sources without signals, for the frame around untrusted text. In mem. */
struct str taint_sources(struct arena *mem, struct str label);

/*
 * Write the label for people: "calc:echo (suspicious: override), https://x.example". Returns `out`.
 */
const char *taint_shown(struct str label, char out[TAINT_SHOWN]);

/* Remove the first source, with its signals, from *label. False: the label is empty. */
bool taint_next(struct str *label, struct str *source);

#endif
