/* Seals of the audit log: what each hangs on, wherever the one before it stands. */
#include "loop/file.h"
#include "place.h"
#include "store/audit_check.h"
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

/* The head as it was before a crash. */
static struct str head_of(struct log *l)
{
    struct str text = STR_NONE;

    OK(file_read(&l->place.mem, place_file(&l->place, "audit.json"), 1 << 20, &text, &l->e));
    return text;
}

static void put_head(struct log *l, struct str head)
{
    OK(file_write(place_file(&l->place, "audit.json"), head, 0600, &l->e));
}

TEST(half_a_seal_is_none)
{
    AUTO_LOG l;
    struct str before, after, head;

    log_init(&l);
    OK(add(&l, STR("{\"a\":1}\n")));
    head = head_of(&l);
    OK(add(&l, STR("{\"a\":2}\n")));
    put_head(&l, head);
    before = text_of(&l);
    OK(truncate(l.path, (off_t)before.n - 5) == 0);
    OK(add(&l, STR("{\"a\":3}\n")));
    after = text_of(&l);
    OK(str_eq(last_prev(after), first_hash(after)));
}

/* ---- looking whether it was changed ---------------------------------------------------------- */

static struct audit_report look(struct log *l)
{
    struct audit_report r = { 0 };

    OK(audit_check(l->place.path, &l->limits, NULL, NULL, &r, &l->e));
    return r;
}

TEST(a_crash_at_any_byte_of_a_batch_does_not_look_like_a_cut)
{
    for (off_t cut = 0;; cut++) {
        AUTO_LOG l;
        struct audit_report r;
        struct str head;
        size_t first;

        log_init(&l);
        OK(add(&l, STR("{\"a\":1}\n")));
        head = head_of(&l);
        first = text_of(&l).n;
        OK(add(&l, STR("{\"a\":2}\n{\"a\":3}\n")));
        if (first + (size_t)cut > text_of(&l).n)
            break;
        OK(truncate(l.path, (off_t)first + cut) == 0);
        put_head(&l, head);
        OK(look(&l).sound);
        OK(add(&l, STR("{\"a\":4}\n")));
        r = look(&l);
        if (!r.sound)
            TAP_NOT("%lld: %s", (long long)cut, r.where);
    }
}

TEST(fewer_files_than_before_are_no_cut)
{
    AUTO_LOG l;

    log_init(&l);
    l.limits.audit_bytes = 600;
    for (int i = 0; i < 30; i++) {
        l.limits.audit_files = i < 15 ? 5 : i < 20 ? 2 : 1;
        OK(add(&l, STR("{\"a\":1}\n{\"a\":2}\n")));
        OK(look(&l).sound);
    }
    EQ(look(&l).files, 1);
}

static void change(struct log *l, const char *from, const char *to)
{
    struct str text = text_of(l);
    ptrdiff_t at = str_find(text, str_of(from));
    AUTO_BUF out;

    OK(at >= 0);
    buf_init(&out, 1 << 20);
    buf_put(&out, str_head(text, (size_t)at));
    buf_put(&out, str_of(to));
    buf_put(&out, str_skip(text, (size_t)at + strlen(from)));
    OK(file_write(l->path, buf_str(&out), 0600, &l->e));
}

TEST(a_log_that_nobody_touched_is_sound_also_across_files)
{
    AUTO_LOG l;
    struct audit_report r;

    log_init(&l);
    r = look(&l);
    OK(r.sound);
    EQ(r.files, 0);
    l.limits.audit_bytes = 600;
    for (int i = 0; i < 9; i++)
        OK(add(&l, STR("{\"a\":1}\n{\"a\":2}\n")));
    r = look(&l);
    OK(r.sound);
    OK(r.files > 2);
    EQ(r.unsealed, 0);
    append_torn(&l, 10);
    OK(add(&l, STR("{\"a\":3}\n")));
    r = look(&l);
    OK(r.sound);
    EQ(r.unsealed, 1);
}

TEST(who_is_killed_as_a_new_file_begins_breaks_no_chain)
{
    AUTO_LOG l;
    struct audit_report r;

    log_init(&l);
    OK(add(&l, STR("{\"a\":1}\n")));
    OK(rename(l.path, place_file(&l.place, "logs/audit.1.jsonl")) == 0);
    OK(add(&l, STR("{\"a\":2}\n")));
    r = look(&l);
    OK(r.sound);
    EQ(r.files, 2);
    EQ(r.records, 2);
}

TEST(a_line_that_was_changed_left_out_or_put_in_shows)
{
    static const struct {
        const char *from, *to, *why;
    } does[] = {
        { "{\"a\":2}", "{\"a\":7}", "audit.jsonl:3: the lines before this seal were modified" },
        { "{\"a\":2}\n", "", "audit.jsonl:2: this seal covers more lines than exist" },
        { "{\"a\":2}\n", "{\"a\":2}\n{\"a\":9}\n",
          "audit.jsonl:4: the lines before this seal were modified" },
    };

    for (size_t i = 0; i < ARRAY_LEN(does); i++) {
        AUTO_LOG l;
        struct audit_report r;

        log_init(&l);
        OK(add(&l, STR("{\"a\":1}\n{\"a\":2}\n")));
        OK(add(&l, STR("{\"a\":3}\n")));
        change(&l, does[i].from, does[i].to);
        r = look(&l);
        OK(!r.sound);
        EQ_STR(r.where, does[i].why);
    }
}

TEST(a_batch_that_was_left_out_with_its_seal_shows)
{
    AUTO_LOG l;
    struct str first;
    struct audit_report r;

    log_init(&l);
    OK(add(&l, STR("{\"a\":1}\n")));
    first = text_of(&l);
    OK(add(&l, STR("{\"a\":2}\n")));
    change(&l, arena_printf(&l.place.mem, STR_FMT, STR_ARG(first)).p, "");
    r = look(&l);
    OK(!r.sound);
    OK(strstr(r.where, "the beginning of the audit log was removed") != NULL);
    OK(add(&l, STR("{\"a\":3}\n")));
    OK(add(&l, STR("{\"a\":4}\n")));
    first = text_of(&l);
    change(&l,
           arena_printf(&l.place.mem, STR_FMT,
                        STR_ARG(str_head(str_skip(first, first.n / 3), first.n / 3)))
               .p,
           "");
    r = look(&l);
    OK(!r.sound);
    OK(strstr(r.where, "does not continue") != NULL);
}

TEST_MAIN()
