/*
 * html_text.h - convert an HTML page to readable text. Runs on any thread and accepts any bytes.
 *
 * Paragraphs, headings and lists keep their lines; the target of a link follows its text in
 * parentheses. Scripts, styles and comments are left out.
 *
 * libgumbo builds the tree. Some pages make it use quadratic time and memory (html_text.c), so
 * parsing stops after HTML_PARSE_MS, or when the tree has grown out of proportion to the page. The
 * result is then the text of what was parsed, with `truncated` set.
 */
#ifndef TOOL_HTML_TEXT_H
#define TOOL_HTML_TEXT_H

#include "base/arena.h"
#include "base/err.h"

enum { HTML_PARSE_MS = 5000 };

struct html_text {
    struct str title; /* "" if the page has none */
    struct str text;
    bool truncated; /* parsing stopped before the end of the page */
};

/* At most `most` bytes of text. ERR_SYSTEM: libgumbo is not installed. */
bool html_to_text(struct arena *mem, struct str html, size_t most, struct html_text *out,
                  struct err *e);

#endif
