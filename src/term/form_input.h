/* form_input.h - the values of a form, from words that a person typed. */
#ifndef TERM_FORM_INPUT_H
#define TERM_FORM_INPUT_H

#include "base/json.h"

/* Is it a word that begins so, in either case? "y" says y. */
bool form_says(struct str line, char letter);

/*
 * The values that may be chosen for a property: an array, missing when anything may be typed. Each
 * is a string, or with *member the string of that name in an object.
 */
struct json form_choices(struct json field, struct str *member);
struct str form_choice(struct arena *mem, struct json item, struct str member);

/*
 * Write a member: the key of a property in a schema, and what was typed as a value of its type.
 * False, and nothing written, when that does not fit.
 */
bool form_write(struct jw *w, struct arena *mem, struct json key, struct str word);

#endif
