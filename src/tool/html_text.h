/*
 * html_text.h - converts an HTML page to readable text. The function can run on any thread and
 * accepts any bytes.
 *
 * Paragraphs, headings and list items are separate lines. After the text of a link, its target
 * follows in parentheses. Scripts, styles and comments are omitted.
 *
 * libgumbo builds the tree. For some pages, it needs quadratic time and memory (html_text.c), so
 * parsing stops after HTML_PARSE_MS, or when the tree has grown out of proportion to the page. The
 * result is then the text of what was parsed, with `truncated` set.
 */
#ifndef TOOL_HTML_TEXT_H
#define TOOL_HTML_TEXT_H

#include "base/arena.h"
#include "base/err.h"

enum { HTML_PARSE_MS = 5000 };

struct html_text {
    struct str title; /* title of the page; "" if there is none */
    struct str text;
    bool truncated; /* parsing stopped before the end of the page */
};

/* Convert a page to at most `most` bytes of text. ERR_SYSTEM: libgumbo is not installed. */
bool html_to_text(struct arena *mem, struct str html, size_t most, struct html_text *out,
                  struct err *e);

#endif
