/*
 * html_text.h - the readable text of a page. Pure, and tolerant: any bytes give some text.
 *
 * Paragraphs, headings and lists keep their lines, links their targets in brackets; scripts,
 * styles and comments are left out. No tree is built and nothing is validated.
 */
#ifndef TOOL_HTML_TEXT_H
#define TOOL_HTML_TEXT_H

#include "base/arena.h"

struct html_text {
    struct str title; /* "" when the page has none */
    struct str text;
};

/* At most `most` bytes of text. */
struct html_text html_to_text(struct arena *mem, struct str html, size_t most);

#endif
