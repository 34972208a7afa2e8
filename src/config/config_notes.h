/*
 * config_notes.h - warnings of the readers of the configuration.
 *
 * The log is set up only after the configuration is read, and `config check` prints what other
 * commands log: so notes are collected first. Each sentence once.
 */
#ifndef CONFIG_CONFIG_NOTES_H
#define CONFIG_CONFIG_NOTES_H

#include "base/arena.h"
#include "base/log.h"

struct note {
    enum log_level
        level; /* LOG_WARN: needs action; LOG_INFO: shown by `config check` only; LOG_DEBUG: for information */
    struct str text;
};

struct notes {
    struct note *v;
    size_t n, room;
};

/* Without a list, notes are discarded. */
void note(struct arena *mem, struct notes *list, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Give all to the log. */
void notes_log(const struct notes *list);

#endif
