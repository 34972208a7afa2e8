#include "store/lease.h"

#include "base/auto.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

enum { MARK_TEXT = HOLDER_TEXT + 32 };

#define SELECT_MARK "SELECT value FROM meta WHERE key = 'lease_clock'"

/* Parse "BOOT LEAD": the lead of the lease clock over the time since that boot. */
static bool read_mark(struct sql *s, struct str boot, int64_t *lead, bool *found, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    sqlite3_stmt *st;
    struct str value;
    uint64_t n;

    *found = false;
    switch (sql_one(s, SELECT_MARK, NULL, 0, &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return true;
    case SQL_ROW: break;
    }
    value = sql_text(st, 0, &mem);
    sql_end(st);
    *found = str_eq(str_cut(&value, ' '), boot) && str_uint(value, 0, INT64_MAX, &n);
    if (*found)
        *lead = (int64_t)n;
    return true;
}

/* Store the lead, unless another process has stored one meanwhile. */
static bool write_mark(struct sql *s, struct str boot, int64_t lead, struct err *e)
{
    char mark[MARK_TEXT];
    int n = snprintf(mark, sizeof(mark), STR_FMT " %" PRId64, STR_ARG(boot), lead);

    return sql_do(s,
                  "INSERT INTO meta VALUES ('lease_clock', ?1) ON CONFLICT DO UPDATE SET"
                  " value = excluded.value WHERE substr(value, 1, length(?2) + 1) <> ?2 || ' '",
                  VALUES(V_TEXT(((struct str){ mark, (size_t)n })), V_TEXT(boot)), e);
}

bool lease_clock_open(struct sql *s, const char *holder, int64_t *lead, struct err *e)
{
    int64_t ours = clock_wall_ms() - clock_boot_ms();
    struct str name = str_of(holder), boot = str_cut(&name, '/');
    struct err ignored;
    bool found;

    *lead = ours > 0 ? ours : 0;
    if (!read_mark(s, boot, lead, &found, e))
        return false;
    /* a store that is only readable: use our value */
    if (found || !write_mark(s, boot, *lead, &ignored))
        return true;
    return read_mark(s, boot, lead, &found, e);
}

int64_t lease_clock(int64_t lead)
{
    return clock_boot_ms() + lead;
}
