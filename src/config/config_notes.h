/*
 * config_notes.h - collects the warnings of the readers of the configuration.
 *
 * Warnings are collected because the log is set up only after the configuration was read, and
 * because `config check` prints the warnings, while other commands write them to the log. Duplicate
 * sentences are dropped.
 */
#ifndef CONFIG_CONFIG_NOTES_H
#define CONFIG_CONFIG_NOTES_H

#include "base/arena.h"
#include "base/log.h"

struct note {
    enum log_level
        /*
         * LOG_WARN: the user should act; LOG_INFO: only `config check` shows the note; LOG_DEBUG:
         * for information
         */
        level;
    struct str text;
};

struct notes {
    struct note *v;
    size_t n, room;
};

/* Add a note, unless the list has the same note. If `list` is NULL, the note is discarded. */
void note(struct arena *mem, struct notes *list, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Write all notes to the log. */
void notes_log(const struct notes *list);

#endif
