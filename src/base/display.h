/*
 * display.h - make text from a file safe to show on a terminal.
 *
 * trefoil shows what a project's file contains before the user agrees to start it. The text must
 * not move the cursor, reverse the reading direction or hide a part of itself, and secrets in it
 * are masked.
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

/* The text for one line of a list: the first sentence of a description, truncated if long. */
void show_summary(struct buf *out, struct str description);

/* The text as show_text has it, in the arena. */
struct str shown_text(struct arena *mem, struct str s);

/*
 * One word of a command line: quoted where a shell would need it, passwords in URLs and values of
 * --name=value masked when the name is that of a secret.
 */
void show_word(struct buf *out, struct str word);

#endif
