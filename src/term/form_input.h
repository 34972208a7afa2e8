/* form_input.h - convert what the user typed into the values of a form. */
#ifndef TERM_FORM_INPUT_H
#define TERM_FORM_INPUT_H

#include "base/json.h"

/* Does the line begin with this letter, in upper or lower case? "Yes" begins with y. */
bool form_says(struct str line, char letter);

/*
 * form_choices returns the array of values that a property may have; missing if every text is
 * accepted. If it sets *member, each item of the array is an object, whose member of that name is
 * the value; otherwise each item is a string, which is the value. form_choice returns the value of
 * an item.
 */
struct json form_choices(struct json field, struct str *member);
struct str form_choice(struct arena *mem, struct json item, struct str member);

/*
 * Write a member of an object: the key of a property, and the typed text converted to the type of
 * the property. False: the text does not have that type, and nothing was written.
 */
bool form_write(struct jw *w, struct arena *mem, struct json key, struct str word);

#endif
