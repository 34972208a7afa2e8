/*
 * command_pattern.h - decides whether a call that runs a program matches a pattern such as
 * Bash(git diff:*). Pure.
 *
 * The words of the pattern are compared one by one with the words of the command:
 *
 *   git diff:*     git, diff, and any words after them; not git difftool
 *   make test      these two words and no more
 *   npm run t*     * matches any part of a word; at the very end it also matches further words
 *   git * main     a word that is only * matches one or more words
 *
 * In an allow list, a pattern matches only if it is certain what would run: an argument vector, or
 * a shell text that is one plain command (quotes are allowed; operators, redirections, expansions,
 * backslashes and assignments are not). Where the pattern accepts any word, the command may contain
 * file name patterns and ~.
 *
 * In a deny list, a pattern matches if its words are anywhere in the call: after an operator or
 * another word, in a quoted text or in stdin, or as the last part of a path (/bin/rm). It also
 * matches if a command name cannot be known ($X).
 *
 * A call that sets environment variables cannot be judged, because PATH, LD_PRELOAD or
 * GIT_EXTERNAL_DIFF change what the same words run.
 */
#ifndef CORE_GUARD_COMMAND_PATTERN_H
#define CORE_GUARD_COMMAND_PATTERN_H

#include "core/guard/tool_pattern.h"

/* Does the part of a pattern between the brackets match a call with these arguments? */
bool command_pattern_fits(struct str inner, struct json args, enum pattern_use use);

/* Do the arguments pass environment variables to the program? */
bool command_has_env(struct json args);

#endif
