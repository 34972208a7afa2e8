#include "core/agent/agent_artifacts.h"

#include "base/auto.h"
#include "core/tool/call.h"

static struct str uri_of(struct call *call, const char *session, struct str id, size_t n)
{
    return n ? arena_printf(call->mem, "artifact://%s/" STR_FMT "#%zu", session, STR_ARG(id), n)
             : arena_printf(call->mem, "artifact://%s/" STR_FMT, session, STR_ARG(id));
}

static void write_part(struct call *call, const struct artifact *a, struct block b, struct str uri)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!b.uri.p) {
        b.uri = uri;
        b.type = b.type.p ? b.type : STR("text/plain");
    } else if (!b.name.p) {
        b.name = a->name.p ? a->name : a->id;
    }
    buf_init_in(&out, call->mem, call->content.max);
    block_write(&w, &b);
    if (!out.full)
        call_block(call, buf_str(&out));
}

void agent_made_write(const struct artifact_set *made, struct call *call, const char *session)
{
    for (const struct artifact *a = made->first; a; a = a->next) {
        struct blocks parts = artifact_blocks(a, call->mem);

        for (size_t i = 0; i < parts.n; i++)
            write_part(call, a, parts.v[i], uri_of(call, session, a->id, i));
    }
}
