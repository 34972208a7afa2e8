/* session_export.h - a stored session as text for other programs and people. */
#ifndef APP_SESSION_EXPORT_H
#define APP_SESSION_EXPORT_H

#include "app/store_handle.h"

/*
 * One object per line: the session, then its records as they are stored. Fails as the store does, or
 * with ERR_LIMIT when `out` is full.
 */
bool session_export_jsonl(struct store_handle *s, const struct store_session *session,
                          struct buf *out, struct err *e);

/* The conversation as Markdown; thoughts are omitted. */
bool session_export_markdown(struct store_handle *s, const struct limits *limits,
                             const struct store_session *session, struct buf *out, struct err *e);

/* The members of a session in a list and in the first line of an export. */
void session_write(struct jw *w, const struct store_session *session);

#endif
