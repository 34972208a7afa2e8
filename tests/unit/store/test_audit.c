/* Seals of the audit log: what each hangs on, wherever the one before it stands. */
#include "../app/place.h"
#include "base/file.h"
#include "store/audit_log.h"
#include "store/audit_write.h"

#include <fcntl.h>
#include <unistd.h>

enum { CHUNK = 8 << 10, SEAL = 200 }; /* read at once; about as long as a seal */

struct log {
    struct place place;
    struct limits limits;
    const char *path;
    struct err e;
};

static void log_init(struct log *l)
{
    *l = (struct log){ .place = place_new() };
    limits_preset(&l->limits);
    l->path = place_file(&l->place, "logs/audit.jsonl");
}

static void log_fini(struct log *l)
{
    place_fini(&l->place);
}

#define AUTO_LOG __attribute__((cleanup(log_fini))) struct log

static bool add(struct log *l, struct str lines)
{
    return audit_write(l->place.path, &l->limits, lines, &l->e);
}

/* What a crash could have left. */
static void append_torn(struct log *l, size_t n)
{
    char torn[2 * CHUNK];
    int fd = open(l->path, O_WRONLY | O_APPEND | O_CLOEXEC);

    memset(torn, 'x', sizeof(torn));
    OK(write(fd, torn, n) == (ssize_t)n);
    close(fd);
}

static struct str text_of(struct log *l)
{
    struct str text = STR_NONE;

    OK(file_read(&l->place.mem, l->path, 1 << 20, &text, &l->e));
    return text;
}

/* Of the last seal: the hash of the one before it. */
static struct str last_prev(struct str text)
{
    static const struct str key = STR("\"prev\":\"");
    struct str prev = STR_NONE;
    ptrdiff_t at;

    while ((at = str_find(text, key)) >= 0) {
        text = str_skip(text, (size_t)at + key.n);
        prev = str_head(text, AUDIT_HASH);
    }
    return prev;
}

static struct str first_hash(struct str text)
{
    ptrdiff_t at = str_find(text, STR("{\"hash\":\""));

    return at < 0 ? STR_NONE : str_head(str_skip(text, (size_t)at + 9), AUDIT_HASH);
}

TEST(a_batch_ends_with_its_seal)
{
    AUTO_LOG l;
    struct str text;

    log_init(&l);
    OK(add(&l, STR("{\"a\":1}\n{\"a\":2}\n")));
    text = text_of(&l);
    OK(str_starts(text, STR("{\"a\":1}\n{\"a\":2}\n{\"hash\":\"")));
    OK(str_ends(text, STR("\",\"lines\":2}\n")));
    EQ_S(last_prev(text), "0000000000000000000000000000000000000000000000000000000000000000");
}

TEST(the_last_seal_is_found_across_the_edges_of_what_is_read_at_once)
{
    for (size_t n = CHUNK - 2 * SEAL; n < CHUNK + SEAL; n++) {
        AUTO_LOG l;
        struct str text;

        log_init(&l);
        OK(add(&l, STR("{\"a\":1}\n")));
        append_torn(&l, n);
        OK(add(&l, STR("{\"a\":2}\n")));
        text = text_of(&l);
        OK(str_eq(last_prev(text), first_hash(text)));
        OK(str_find(text, STR("x\n{\"a\":2}\n{\"hash\"")) > 0);
    }
}

TEST(half_a_seal_is_none)
{
    AUTO_LOG l;
    struct str before, after;

    log_init(&l);
    OK(add(&l, STR("{\"a\":1}\n")));
    OK(add(&l, STR("{\"a\":2}\n")));
    before = text_of(&l);
    OK(truncate(l.path, (off_t)before.n - 5) == 0);
    OK(add(&l, STR("{\"a\":3}\n")));
    after = text_of(&l);
    OK(str_eq(last_prev(after), first_hash(after)));
}

TEST_MAIN()
