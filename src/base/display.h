/*
 * display.h - make text from a file safe to show on a terminal.
 *
 * Before trefoil starts a command that is defined in a project file, it shows the command to the
 * user and asks for consent. The text must not move the cursor, reverse the reading direction or
 * hide a part of itself, and secrets in it are masked.
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

/* Append a text for one line of a list: the first sentence of the description, truncated if it is
 * long. */
void show_summary(struct buf *out, struct str description);

/* Like show_text, but returns the text, in the arena. */
struct str shown_text(struct arena *mem, struct str s);

/*
 * Append one word of a command line, quoted if a shell would need that. Passwords in URLs are
 * masked. The values of --name=value, "Name: value" and the parameters of a URL are masked if
 * secret.h decides from the name that the value is a secret.
 */
void show_word(struct buf *out, struct str word);

#endif
