/*
 * editor_snippets.h - the code that makes Emacs and Neovim start trefoil as an ACP agent.
 *
 * The configuration of these editors is a program, so trefoil prints the code instead of editing
 * a file.
 */
#ifndef CONFIG_EDITOR_SNIPPETS_H
#define CONFIG_EDITOR_SNIPPETS_H

#include "config/client_programs.h"

/* Append Emacs Lisp for the package agent-shell. */
void emacs_snippet(struct buf *b, const struct client_launch *launch);

/* Append Lua for the plugins CodeCompanion and avante. */
void neovim_snippet(struct buf *b, const struct client_launch *launch);

#endif
