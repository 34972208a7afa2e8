/* What somebody may do, kept as text: it comes back as it was, or not at all. */
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_saved_rights.h"
#include "tap.h"

static struct str deny_list[] = { STR("shell_exec"), STR("file_*") };
static struct str hide_list[] = { STR("memory") };

static const struct guard_scope own = { .name = "[guard]" };
static const struct guard_scope endpoint = {
    .name = "[mcp]",
    .parent = &own,
    .mode = AGENT_READ_ONLY,
    .permission = { [TOOL_FETCH] = PERMISSION_DENY, [TOOL_EDIT] = PERMISSION_ASK },
    .hidden = { hide_list, 1, true },
};
static const struct guard_scope agent = {
    .name = "the agent \"x\"",
    .parent = &endpoint,
    .allowed = { NULL, 0, true },
    .disallowed = { deny_list, 2, true },
    .taint = GUARD_ASK,
    .inside = true,
};

static struct str written(struct arena *mem, const struct guard_scope *s)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, 1 << 16);
    guard_scope_write(&w, s, &own);
    return buf_str(&out);
}

TEST(scopes_come_back_as_they_were)
{
    struct arena mem = { 0 };
    const struct guard_scope *s, *up;
    struct err e;

    s = guard_scope_read(&mem, written(&mem, &agent), &own, &e);
    OK(s != NULL);
    EQ_S(str_of(s->name), "the agent \"x\"");
    OK(s->allowed.set && s->allowed.n == 0);
    EQ(s->disallowed.n, 2);
    EQ_S(s->disallowed.v[1], "file_*");
    EQ(s->taint, GUARD_ASK);
    OK(s->inside && !s->expose_listed && !s->expose.set);
    up = s->parent;
    EQ(up->mode, AGENT_READ_ONLY);
    EQ(up->permission[TOOL_FETCH], PERMISSION_DENY);
    EQ(up->permission[TOOL_EDIT], PERMISSION_ASK);
    EQ(up->permission[TOOL_READ], PERMISSION_UNSET);
    EQ_S(up->hidden.v[0], "memory");
    OK(up->parent == &own);
    OK(guard_is_read_only(s));
    arena_fini(&mem);
}

TEST(the_guards_own_scope_is_not_kept)
{
    struct arena mem = { 0 };
    struct err e;

    EQ_S(written(&mem, &own), "[]");
    OK(guard_scope_read(&mem, STR("[]"), &own, &e) == &own);
    arena_fini(&mem);
}

TEST(what_was_damaged_allows_nothing)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[1]",
        "[{}]",
        "[{\"mode\":\"wild\",\"permission\":{},\"expose_listed\":false,\"inside\":false}]",
        "[{\"mode\":\"read-only\",\"permission\":{\"edit\":\"maybe\"},\"expose_listed\":false,"
        "\"inside\":false}]",
        "[{\"mode\":\"read-only\",\"permission\":{},\"expose_listed\":false,\"inside\":false,"
        "\"more\":1}]",
    };
    struct arena mem = { 0 };
    struct err e;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        OK(guard_scope_read(&mem, str_of(texts[i]), &own, &e) == NULL);
        EQ(e.code, ERR_INVALID);
    }
    arena_fini(&mem);
}

TEST_MAIN()
