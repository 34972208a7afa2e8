#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"

#include <poll.h>
#include <unistd.h>

/* A pipe that polls writable takes this many bytes at once (PIPE_BUF), so write() cannot block. */
enum { LINE_MAX_BYTES = 4096, VALUE_MAX_BYTES = 1024 };

/* So that a line with its message alone always fits, each byte being escaped. */
enum { MESSAGE_MAX_BYTES = 512 };

enum log_level log_level_now = LOG_WARN;
static bool log_json;
static unsigned long dropped;

static const char *const level_names[] = {
    [LOG_ERROR] = "error", [LOG_WARN] = "warn",   [LOG_INFO] = "info",
    [LOG_DEBUG] = "debug", [LOG_TRACE] = "trace",
};

void log_setup(enum log_level level, bool json_lines)
{
    log_level_now = level;
    log_json = json_lines;
}

bool log_level_named(struct str name, enum log_level *out)
{
    for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
        if (str_eq(name, str_of(level_names[i]))) {
            *out = (enum log_level)i;
            return true;
        }
    }
    return false;
}

/* Quotes only where a reader would need them. */
static void put_text_value(struct jw *w, struct str s)
{
    bool bare = s.n > 0;

    for (size_t i = 0; i < s.n && bare; i++)
        bare = s.p[i] > ' ' && s.p[i] < 0x7f && s.p[i] != '"' && s.p[i] != '=';
    w->comma = false;
    if (bare)
        jw_raw(w, s);
    else
        jw_str(w, s);
}

static void put_text(struct buf *out, const char *when, enum log_level level, const char *room,
                     const char *message, const struct log_kv *kv, size_t n)
{
    struct jw w = jw_to(out);

    buf_printf(out, "%s %s %s ", when, level_names[level], room);
    put_text_value(&w, utf8_head(str_of(message), MESSAGE_MAX_BYTES));
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, " %s=", kv[i].key);
        if (kv[i].s.p)
            put_text_value(&w, utf8_head(kv[i].s, VALUE_MAX_BYTES));
        else
            buf_printf(out, "%lld", (long long)kv[i].n);
    }
}

static void put_json(struct buf *out, const char *when, enum log_level level, const char *room,
                     const char *message, const struct log_kv *kv, size_t n)
{
    struct jw w = jw_to(out);

    jw_object(&w);
    jw_kstr(&w, "time", str_of(when));
    jw_kstr(&w, "level", str_of(level_names[level]));
    jw_kstr(&w, "room", str_of(room));
    jw_kstr(&w, "message", utf8_head(str_of(message), MESSAGE_MAX_BYTES));
    for (size_t i = 0; i < n; i++) {
        if (kv[i].s.p)
            jw_kstr(&w, kv[i].key, utf8_head(kv[i].s, VALUE_MAX_BYTES));
        else
            jw_kint(&w, kv[i].key, kv[i].n);
    }
    jw_object_end(&w);
}

static bool stderr_has_room(void)
{
    struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

    return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

static void format(struct buf *out, enum log_level level, const char *room, const char *message,
                   const struct log_kv *kv, size_t n)
{
    char when[CLOCK_TEXT];

    clock_text(clock_wall_ms(), when);
    if (log_json)
        put_json(out, when, level, room, message, kv, n);
    else
        put_text(out, when, level, room, message, kv, n);
}

/* False when there was no room for the line. */
static bool write_line(enum log_level level, const char *room, const char *message,
                       const struct log_kv *kv, size_t n)
{
    AUTO_BUF out = { .max = LINE_MAX_BYTES - 1 };

    if (!stderr_has_room())
        return false;
    format(&out, level, room, message, kv, n);
    if (out.full) { /* too much to say: say that it happened */
        buf_clear(&out);
        format(&out, level, room, message, NULL, 0);
    }
    out.max = LINE_MAX_BYTES;
    buf_putc(&out, '\n');
    return write(STDERR_FILENO, out.p, out.n) >= 0;
}

void log_line(enum log_level level, const char *room, const char *message, const struct log_kv *kv,
              size_t n)
{
    const struct log_kv lost = LOG_N("count", (int64_t)dropped);

    if (dropped &&
        write_line(LOG_WARN, "log", "log lines were dropped because stderr was not read", &lost, 1))
        dropped = 0;
    if (!write_line(level, room, message, kv, n))
        dropped++;
}
