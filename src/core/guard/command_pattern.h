/*
 * command_pattern.h - which calls of a tool that runs programs match Bash(...). Pure.
 *
 * A pattern is words, compared with the words of the argument vector one by one:
 *
 *   git diff:*     git, diff, and any words after them; not git difftool
 *   make test      these two words and no more
 *   npm run t*     * is any part of a word; at the very end also any further words
 *   git * main     a word that is only * is one or more words
 *
 * A list that allows matches a call only if it is certain what would run: an argument vector, or
 * a shell text that is one plain command (quotes are fine; no operator, redirection, expansion,
 * backslash or assignment). File name patterns and ~ are accepted where any word is.
 *
 * A list that denies matches a call if the words of the pattern are anywhere in it: after an
 * operator or another word, inside a quoted text or stdin, under a path (/bin/rm), or where a
 * command would be and cannot be known ($X).
 *
 * A call that passes environment variables cannot be judged, since PATH, LD_PRELOAD or
 * GIT_EXTERNAL_DIFF change what the same words run.
 */
#ifndef CORE_GUARD_COMMAND_PATTERN_H
#define CORE_GUARD_COMMAND_PATTERN_H

#include "core/guard/tool_pattern.h"

/* Does the part in brackets match a call with these arguments? */
bool command_pattern_fits(struct str inner, struct json args, enum pattern_use use);

/* Do the arguments pass environment variables to the program? */
bool command_has_env(struct json args);

#endif
