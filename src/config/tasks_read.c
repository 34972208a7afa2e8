#include "config/tasks_read.h"

struct tasks_table {
    struct str lock_conflict;
    bool isolate;
};

static const struct pick tasks_fields[] = {
    PICK_FIELD("lock_conflict", PICK_STR, struct tasks_table, lock_conflict, 0),
    PICK_FIELD("isolate", PICK_BOOL, struct tasks_table, isolate, 0),
};

bool tasks_read(struct arena *mem, struct json table, enum lock_conflict *conflict, bool *isolate,
                struct err *e)
{
    struct tasks_table t = { .isolate = *isolate };

    if (!json_here(table))
        return true;
    if (!pick(mem, table, PICK_TABLE(tasks_fields), PICK_STRICT, &t, e))
        return false;
    if (t.lock_conflict.p && !lock_conflict_named(t.lock_conflict, conflict))
        return json_fail(json_get(table, STR("lock_conflict")), e,
                         "expected \"turns\", \"wait\", \"fail\" or \"warn\"");
    *isolate = t.isolate;
    return true;
}
