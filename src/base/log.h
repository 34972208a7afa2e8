/*
 * log.h - write log messages to stderr, one line each.
 *
 *   2026-11-15T09:30:00.123Z warn mcp "server died" name=calc restarts=3
 *   {"time":"2026-...","level":"warn","room":"mcp","message":"server died","name":"calc","restarts":3}
 *
 * By default only warnings and errors are written. The room of a message is the folder of src/ that
 * logs it. base, loop, wire and rpc log only debug messages: they return errors, and the caller
 * that gives up logs the error. Never pass a secret to the log.
 *
 * trefoil must not block when the reader of stderr stops reading: a line that does not fit into the
 * pipe is dropped and counted, and the next line that fits reports the count.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE };

/* One key=value pair of a message. */
struct log_kv {
    const char *key;
    struct str s; /* p == NULL: n is the value */
    int64_t n;
};

#define LOG_S(key, value) ((struct log_kv){ (key), (value), 0 })
#define LOG_Z(key, value) ((struct log_kv){ (key), str_of(value), 0 })
#define LOG_N(key, value) ((struct log_kv){ (key), STR_NONE, (value) })

void log_setup(enum log_level level, bool json_lines);

/* Parse "error", "warn", "info", "debug" or "trace". False for any other name. */
bool log_level_named(struct str name, enum log_level *out);
extern enum log_level log_level_now;

/* Is this level written? Check it before you build a costly message. */
static inline bool log_on(enum log_level level)
{
    return level <= log_level_now;
}

void log_line(enum log_level level, const char *room, const char *message, const struct log_kv *kv,
              size_t n);

#define LOG(level, room, message, ...)                                                             \
    do {                                                                                           \
        if (log_on(level)) {                                                                       \
            const struct log_kv kv_[] = { LOG_N(NULL, 0), ##__VA_ARGS__ };                         \
            log_line(level, room, message, kv_ + 1, ARRAY_LEN(kv_) - 1);                           \
        }                                                                                          \
    } while (0)

#endif
