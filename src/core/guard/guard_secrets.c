#include "core/guard/guard_secrets.h"

#include "base/auto.h"
#include "core/guard/guard_check_parts.h"
#include "core/guard/secret_scan.h"

static bool sends_away(const struct tool *t)
{
    return t->alias || t->kind == TOOL_FETCH || t->messages;
}

struct guard_secret guard_secret_in(const struct own_secrets *own, const struct tool *tool,
                                    struct json args)
{
    AUTO_ARENA mem = { 0 };
    const struct own_secret *mine;
    struct guard_secret found = { 0 };
    struct secret_match m;
    struct str text;

    if (!sends_away(tool) || !json_here(args))
        return found;
    text = secret_decode(&mem, json_raw(args));
    mine = own ? own_secrets_find(own, text) : NULL;
    if (mine)
        found.own = mine->name;
    if (secret_find(text, 0, &m))
        found.kind = m.kind;
    return found;
}

void guard_check_secrets(const struct guard_facts *f, struct guard_check_finding *to)
{
    enum guard_says says = GUARD_ALLOW;

    guard_pass(to, "it sends no secret away");
    if (f->secret.own.n) {
        guard_say(to, GUARD_DENY,
                  "its arguments contain the value of " STR_FMT ", a secret of trefoil",
                  STR_ARG(str_head(f->secret.own, 80)));
        return;
    }
    if (!f->secret.kind)
        return;
    for (const struct guard_scope *s = f->scope; s; s = s->parent)
        says = s->secrets > says ? s->secrets : says;
    if (says == GUARD_ALLOW)
        guard_pass(to, "[guard] secrets is auto");
    else
        guard_say(to, says, "its arguments contain text that looks like %s", f->secret.kind);
}
