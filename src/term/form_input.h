/* form_input.h - convert what the user typed into the values of a form. */
#ifndef TERM_FORM_INPUT_H
#define TERM_FORM_INPUT_H

#include "base/json.h"

/* Does the line begin with this letter, in upper or lower case? "Yes" begins with y. */
bool form_says(struct str line, char letter);

/*
 * The array of values that the user can choose for a property; missing if any text is accepted. An
 * item is a string, or, if *member is set, an object with a string of that name.
 */
struct json form_choices(struct json field, struct str *member);
struct str form_choice(struct arena *mem, struct json item, struct str member);

/*
 * Write a member of an object: the key of a property, and the typed text converted to the type of
 * the property. False: the text does not have that type, and nothing was written.
 */
bool form_write(struct jw *w, struct arena *mem, struct json key, struct str word);

#endif
