/* a2a_question.h - the questions of a task as messages, and messages of the client as answers. */
#ifndef PROTO_A2A_SERVER_A2A_QUESTION_H
#define PROTO_A2A_SERVER_A2A_QUESTION_H

#include "core/task/task.h"
#include "proto/a2a/a2a_codec.h"

/*
 * Return a question as a message of the agent, without ids: its text and, for a form, the schema of
 * the answer as data. All data is in mem.
 */
struct a2a_message a2a_question_message(struct arena *mem, enum ask_kind kind, struct str params);

/*
 * Convert a message to the answer of the oldest open question of a task. `client` becomes the
 * member of the answer with that name. A data part is the content of a form, or {"option":ID}; a
 * text is the value of a form with one field, or yes, always or no. False: the message answers the
 * question in no way that is known, so it must be asked again.
 */
bool a2a_question_answer(struct arena *mem, const struct limits *limits,
                         const struct task_info *task, const struct a2a_message *message,
                         struct str client, struct str *out_key, struct json *out);

#endif
