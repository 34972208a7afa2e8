/*
 * display.h - text from a file, for a person's eyes.
 *
 * What a project's file says is shown before somebody agrees to start it, so it must not be able
 * to move the cursor, turn the text around or hide a part of it; and it may hold secrets.
 */
#ifndef BASE_DISPLAY_H
#define BASE_DISPLAY_H

#include "base/buf.h"
#include "base/secret.h"
#include "base/visible.h"

static inline void show_text(struct buf *out, struct str s)
{
    visible_text(out, s);
}

static inline void show_lines(struct buf *out, struct str s)
{
    visible_lines(out, s);
}

/* What one line of a list says of a thing: the first sentence of its description, cut if long. */
void show_summary(struct buf *out, struct str description);

/* The text as show_text has it, in the arena. */
struct str shown_text(struct arena *mem, struct str s);

/*
 * One word of a command line: quoted where a shell would need it, passwords in URLs and values of
 * --name=value masked when the name is that of a secret.
 */
void show_word(struct buf *out, struct str word);

#endif
