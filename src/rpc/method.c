#include "rpc/method.h"

const struct method *method_find(struct method_table table, struct str name, enum rpc_kind kind,
                                 int version)
{
    for (size_t i = 0; i < table.rows; i++) {
        const struct method *m = &table.row[i];

        if (m->kind == kind && version >= m->from && version <= m->to && str_eq(name, m->name))
            return m;
    }
    return NULL;
}
