#include "store/audit_check.h"

#include "base/arena.h"
#include "base/auto.h"
#include "loop/file.h"
#include "store/audit_head.h"
#include "store/audit_seal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct check {
    struct audit_report *report;
    struct audit_head head;
    /* the log has seals; the expected first and last seal were found */
    bool has_head, seals, begins, ends;
    const char *name;          /* name of the file in reports */
    char prev[AUDIT_HASH + 1]; /* hash of the previous seal; "": unknown */
    const char *since;         /* position after the last seal, */
    uint64_t lines;            /* and number of lines since then */
    int64_t number;            /* number of the current line */
    int64_t record;            /* number of the last record */
    const struct audit_visitor *visitor;
    struct arena *mem;
    struct err *e;
};

/* It affects the records since the last seal. */
static void complain(struct check *c, const char *why)
{
    struct audit_report *r = c->report;

    if (r->sound)
        snprintf(r->where, sizeof(r->where), "%s:%lld: %s", c->name, (long long)c->number, why);
    r->sound = false;
    if (c->visitor && c->visitor->problem)
        c->visitor->problem(c->visitor, &(struct audit_problem){
                                            .file = c->name,
                                            .line = c->number,
                                            .first = c->record - (int64_t)c->lines + 1,
                                            .last = c->record,
                                            .why = why,
                                        });
}

static void visit_line(struct check *c, struct str line)
{
    c->lines++;
    c->record++;
    if (c->visitor && c->visitor->record)
        c->visitor->record(c->visitor,
                           &(struct audit_record){ c->record, c->name, c->number, line });
}

/* ---- one seal -------------------------------------------------------------------------------- */

static bool check_lines(struct check *c, const struct audit_seal *seal, const char *at)
{
    struct str lines = { c->since, (size_t)(at - c->since) };
    AUTO_BUF sealed;
    bool fits;

    for (uint64_t left = c->lines - seal->lines - seal->torn; left; left--)
        str_cut(&lines, '\n');
    buf_init(&sealed, AUDIT_HASH + lines.n + 1);
    buf_put(&sealed, seal->prev);
    buf_put(&sealed, lines);
    if (!audit_seal_fits(seal, c->head.key, buf_str(&sealed), &fits, c->e))
        return false;
    if (!fits)
        complain(c, "the lines before this seal were modified");
    return true;
}

/* Does the chain begin and end where it should? */
static void compare_head(struct check *c, const struct audit_seal *seal)
{
    struct str first = str_of(c->head.first), last = str_of(c->head.last);

    c->begins |= (!c->seals && str_eq(seal->prev, first)) || str_eq(seal->hash, first);
    c->ends |= (!c->seals && str_eq(seal->prev, last)) || str_eq(seal->hash, last);
    c->seals = true;
}

/* False: it cannot be determined. */
static bool check_seal(struct check *c, const struct audit_seal *seal, const char *at)
{
    bool ok = true;

    compare_head(c, seal);
    if (c->prev[0] && !str_eq(seal->prev, str_of(c->prev)))
        complain(c, "this seal does not continue the previous seal");
    if (seal->lines + seal->torn > c->lines) {
        complain(c, "this seal covers more lines than exist");
    } else {
        ok = check_lines(c, seal, at);
        c->report->records += (int64_t)seal->lines;
        c->report->unsealed += (int64_t)seal->torn;
        if (c->lines > seal->lines + seal->torn)
            complain(c, "lines were inserted before this seal");
    }
    c->lines = 0;
    str_to_c(seal->hash, c->prev, sizeof(c->prev));
    return ok;
}

/* ---- one file -------------------------------------------------------------------------------- */

static bool check_text(struct check *c, struct str text)
{
    while (text.n) {
        const char *at = text.p;
        struct str line = str_cut(&text, '\n');
        struct audit_seal seal;

        c->number++;
        if (!audit_seal_read(line, &seal))
            visit_line(c, line);
        else if (!check_seal(c, &seal, at))
            return false;
        else
            c->since = text.p;
    }
    c->report->unsealed += (int64_t)c->lines;
    return true;
}

/* A batch may pass limits.audit_bytes, once. */
static bool check_file(struct check *c, const struct limits *limits, const char *path)
{
    size_t most = (size_t)(limits->audit_bytes + limits->audit_backlog_bytes) + (1 << 20);
    AUTO_ARENA own = { 0 };
    struct str text, name = str_of(strrchr(path, '/') + 1);

    if (!file_read(c->mem ? c->mem : &own, path, most, &text, c->e))
        return false;
    c->name = arena_cstr(c->mem ? c->mem : &own, name);
    c->number = 0;
    c->since = text.p;
    c->lines = 0;
    c->report->files++;
    return check_text(c, text);
}

/* Check what may be missing: the head, and the beginning and end of the chain. */
static void check_ends(struct check *c)
{
    c->number = 0;
    c->lines = 0;
    c->name = "audit.jsonl";
    if (!c->has_head && c->report->files)
        complain(c, "audit.json, which holds the key of the seals, is missing");
    else if (!c->has_head)
        return;
    else if (!c->seals && !str_eq(str_of(c->head.first), str_of(c->head.last)))
        complain(c, "the audit log was emptied or deleted");
    else if (c->seals && !c->begins)
        complain(c, "the beginning of the audit log was removed");
    else if (c->seals && !c->ends)
        complain(c, "the end of the audit log was removed");
}

/* Lock the log, so that no process starts a new file meanwhile; -1: there is none. */
static int hold(const char *folder)
{
    char path[AUDIT_PATH];
    AUTO_FD fd = -1;
    struct err e;

    if (!audit_file(folder, 0, path, &e))
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || flock(fd, LOCK_SH) != 0)
        return -1;
    return TAKE_FD(fd);
}

bool audit_check(const char *folder, const struct limits *limits, struct arena *mem,
                 const struct audit_visitor *visitor, struct audit_report *out, struct err *e)
{
    struct check c = { .report = out, .visitor = visitor, .mem = mem, .e = e };
    AUTO_FD held = hold(folder);
    char path[AUDIT_PATH];

    (void)held;
    *out = (struct audit_report){ .sound = true };
    c.has_head = audit_head_read(folder, &c.head, e);
    if (!c.has_head && e->code != ERR_NOT_FOUND)
        return false;
    for (int64_t i = AUDIT_FILES_MOST - 1; i >= 0; i--) {
        if (!audit_file(folder, i, path, e))
            return false;
        if (access(path, F_OK) == 0 && !check_file(&c, limits, path))
            return false;
    }
    check_ends(&c);
    return true;
}
