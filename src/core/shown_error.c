#include "core/shown_error.h"

#include "base/log.h"
#include "base/str.h"

/* The client may know these parts of a text: they say whether a retry can help. */
static const struct str harmless[] = { STR("the disk is full"), STR("Read-only file system") };

static const struct str *harmless_part(const struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
        if (str_find(str_of(e->text), harmless[i]) >= 0)
            return &harmless[i];
    return NULL;
}

const struct err *shown_error(enum origin origin, const struct err *e, struct err *own)
{
    const struct str *part;

    if (e->code != ERR_SYSTEM || origin_rows[origin].is_user)
        return e;
    LOG(LOG_WARN, "serve", "a request failed", LOG_Z("why", e->text));
    part = harmless_part(e);
    fail(own, ERR_SYSTEM, "a system call failed in trefoil%s" STR_FMT "; its log has the reason",
         part ? ": " : "", STR_ARG(part ? *part : STR("")));
    return own;
}
