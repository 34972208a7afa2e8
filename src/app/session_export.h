/* session_export.h - exports a stored session as text, for other programs and people. */
#ifndef APP_SESSION_EXPORT_H
#define APP_SESSION_EXPORT_H

#include "app/store_handle.h"

/*
 * Write the session and then its stored records, each as a JSON object on one line. Fails with an
 * error of the store, or with ERR_LIMIT if `out` is full.
 */
bool session_export_jsonl(struct store_handle *s, const struct store_session *session,
                          struct buf *out, struct err *e);

/* Write the conversation as Markdown, without thoughts. */
bool session_export_markdown(struct store_handle *s, const struct limits *limits,
                             const struct store_session *session, struct buf *out, struct err *e);

/* Write a session as it appears in a list and in the first line of an export. */
void session_write(struct jw *w, const struct store_session *session);

#endif
