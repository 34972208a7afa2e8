#include "core/guard/guard_saved_rights.h"

#include "core/guard/guard.h"

/* ---- writing ------------------------------------------------------------------------------- */

static void write_says(struct jw *w, const char *key, enum guard_says says)
{
    if (says != GUARD_ALLOW)
        jw_kstr(w, key, str_of(guard_says_names[says]));
}

static void write_one(struct jw *w, const struct guard_scope *s)
{
    jw_object(w);
    jw_kstr(w, "name", str_of(s->name));
    jw_kstr(w, "mode", str_of(agent_mode_name(s->mode)));
    pick_strs_write(w, "allowed", &s->allowed);
    pick_strs_write(w, "disallowed", &s->disallowed);
    pick_strs_write(w, "expose", &s->expose);
    pick_strs_write(w, "hidden", &s->hidden);
    jw_plain_key(w, STR("permission"));
    jw_object(w);
    for (size_t i = 0; i < TOOL_KINDS; i++)
        jw_kstr(w, guard_kind_names[i], str_of(guard_permission_names[s->permission[i]]));
    jw_object_end(w);
    jw_kbool(w, "only_looks", s->only_looks);
    jw_kbool(w, "actor", s->actor);
    jw_kbool(w, "trusted", s->trusted);
    write_says(w, "taint", s->taint);
    write_says(w, "secrets", s->secrets);
    jw_kbool(w, "expose_listed", s->expose_listed);
    jw_kbool(w, "inside", s->inside);
    jw_object_end(w);
}

void guard_scope_write(struct jw *w, const struct guard_scope *s, const struct guard_scope *last)
{
    jw_array(w);
    for (; s && s != last; s = s->parent)
        write_one(w, s);
    jw_array_end(w);
}

/* The reader of the text adds the scope of tasks and the scope of the guard again. */
static const struct guard_scope *saved_until(const struct guard_scope *s, const struct guard *guard)
{
    if (!guard)
        return NULL;
    while (s && s != &guard->tasks)
        s = s->parent;
    return s ? s : &guard->own;
}

struct str guard_scope_text(struct arena *mem, const struct limits *limits,
                            const struct guard_scope *s, const struct guard *guard)
{
    struct buf text;
    struct jw w = jw_to(&text);

    buf_init_in(&text, mem, (size_t)limits->message_bytes);
    guard_scope_write(&w, s, saved_until(s, guard));
    return buf_str(&text);
}

/* ---- reading ------------------------------------------------------------------------------- */

struct kept {
    struct str name, mode, taint, secrets;
    struct pick_strs allowed, disallowed, expose, hidden;
    struct json permission;
    bool expose_listed, only_looks, inside, actor, trusted;
};

static const struct pick kept_fields[] = {
    PICK_FIELD("name", PICK_STR, struct kept, name, 0),
    PICK_FIELD("mode", PICK_STR, struct kept, mode, PICK_MUST),
    PICK_FIELD("taint", PICK_STR, struct kept, taint, 0),
    PICK_FIELD("secrets", PICK_STR, struct kept, secrets, 0),
    PICK_FIELD("allowed", PICK_STRS, struct kept, allowed, 0),
    PICK_FIELD("disallowed", PICK_STRS, struct kept, disallowed, 0),
    PICK_FIELD("expose", PICK_STRS, struct kept, expose, 0),
    PICK_FIELD("hidden", PICK_STRS, struct kept, hidden, 0),
    PICK_FIELD("permission", PICK_OBJECT, struct kept, permission, PICK_MUST),
    PICK_FIELD("expose_listed", PICK_BOOL, struct kept, expose_listed, PICK_MUST),
    PICK_FIELD("inside", PICK_BOOL, struct kept, inside, PICK_MUST),
    PICK_FIELD("only_looks", PICK_BOOL, struct kept, only_looks, 0),
    PICK_FIELD("actor", PICK_BOOL, struct kept, actor, 0),
    PICK_FIELD("trusted", PICK_BOOL, struct kept, trusted, 0),
};

static bool fail_word(struct str word, struct err *e)
{
    return fail(e, ERR_INVALID, "rights: unknown word \"" STR_FMT "\"",
                STR_ARG(str_head(word, 20)));
}

/* An absent word means the default; an unknown word is an error. */
static bool read_says(struct str word, enum guard_says *out, struct err *e)
{
    if (!word.p)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(guard_says_names); i++)
        if (str_eq(word, str_of(guard_says_names[i]))) {
            *out = (enum guard_says)i;
            return true;
        }
    return fail_word(word, e);
}

static bool read_permissions(struct arena *mem, const struct kept *k, struct guard_scope *out,
                             struct err *e)
{
    for (size_t i = 0; i < TOOL_KINDS; i++) {
        struct json at = json_get(k->permission, str_of(guard_kind_names[i]));
        struct str word = json_str(mem, at);

        if (json_here(at) && !guard_permission_named(word, &out->permission[i]))
            return fail_word(word, e);
    }
    return read_says(k->taint, &out->taint, e) && read_says(k->secrets, &out->secrets, e);
}

static struct guard_scope *read_one(struct arena *mem, struct json text, struct err *e)
{
    struct guard_scope *s = ARENA_NEW(mem, struct guard_scope);
    struct kept k = { 0 };

    if (!pick(mem, text, PICK_TABLE(kept_fields), PICK_STRICT, &k, e) ||
        !read_permissions(mem, &k, s, e))
        return NULL;
    if (!agent_mode_named(k.mode, &s->mode)) {
        fail(e, ERR_INVALID, "rights: unknown mode");
        return NULL;
    }
    s->name = k.name.p ? arena_cstr(mem, k.name) : NULL;
    s->allowed = k.allowed;
    s->disallowed = k.disallowed;
    s->expose = k.expose;
    s->hidden = k.hidden;
    s->expose_listed = k.expose_listed;
    s->inside = k.inside;
    s->only_looks = k.only_looks;
    s->actor = k.actor;
    s->trusted = k.trusted;
    return s;
}

/* guard_scope_write never writes more than this. */
static const struct json_opts kept_opts = { .max_depth = 8, .max_values = 1 << 20 };

const struct guard_scope *guard_scope_read(struct arena *mem, struct str text,
                                           const struct guard_scope *last, struct err *e)
{
    const struct guard_scope *first = last, **end = &first;
    struct json all;

    if (!json_read(mem, arena_str(mem, text), &kept_opts, &all, e))
        return NULL;
    if (json_type(all) != JSON_ARRAY) {
        fail(e, ERR_INVALID, "rights: expected a list");
        return NULL;
    }
    JSON_EACH(one, all)
    {
        struct guard_scope *s = read_one(mem, one, e);

        if (!s)
            return NULL;
        s->parent = last;
        *end = s;
        end = &s->parent;
    }
    return first;
}
