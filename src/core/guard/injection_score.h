/*
 * injection_score.h - signs that a text from outside tries to instruct the model that reads it.
 *
 * Each sign (signal) adds to a score. A text with a score of INJECTION_SUSPICIOUS or more is
 * suspicious: its taint label (taint_label.h) contains the signals, and later calls that could do
 * harm need approval (guard_taint.h). The signals:
 *
 *   override         "ignore previous instructions" and similar phrases
 *   concealment      "do not tell the user" and similar phrases
 *   imitated-mark    text that imitates the frame around untrusted data, or the markup of roles
 *   hidden-tags      Unicode tag characters, which are invisible and spell letters
 *   hidden-text      several zero-width characters in a row
 *   bidi             characters that change the direction of the text that follows
 *   comment          an HTML comment that addresses the model
 *   encoded          base64 or hexadecimal text that decodes to a script or to one of the phrases
 *
 * The time is linear in the length of the text, which the caller limits (limits.injection_bytes).
 * No memory is allocated. These are heuristics: a text without signals may still be an attack.
 */
#ifndef CORE_GUARD_INJECTION_SCORE_H
#define CORE_GUARD_INJECTION_SCORE_H

#include "base/str.h"

enum { INJECTION_SUSPICIOUS = 10, INJECTION_NAMES = 128 };

enum injection_signal {
    INJECTION_OVERRIDE,
    INJECTION_CONCEALMENT,
    INJECTION_IMITATED_MARK,
    INJECTION_HIDDEN_TAGS,
    INJECTION_HIDDEN_TEXT,
    INJECTION_BIDI,
    INJECTION_COMMENT,
    INJECTION_ENCODED,
    INJECTION_SIGNALS,
};

/* Zero it. */
struct injection {
    unsigned signals; /* bits by enum injection_signal */
    int score;        /* sum of the scores of the signals; each signal counts once */
};

/*
 * Add the signals of a text to *to. If `json` is true, the text is JSON, and its escapes are
 * decoded. At most `most` bytes are read.
 */
void injection_scan(struct str text, bool json, size_t most, struct injection *to);

/* Write the names of the signals, joined by +, for a label. Returns `out`. */
const char *injection_names(const struct injection *i, char out[INJECTION_NAMES]);

#endif
