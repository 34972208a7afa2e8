/*
 * lock_claim.c - decides which claims conflict. Reads the table, and changes nothing.
 */
#include "core/lock/lock_parts.h"

const struct str lock_turn_prefix = STR("turn/");

bool lock_conflict_named(struct str name, enum lock_conflict *out)
{
    static const struct str names[] = {
        [LOCK_TURNS] = STR("turns"),
        [LOCK_WAIT] = STR("wait"),
        [LOCK_FAIL] = STR("fail"),
        [LOCK_WARN] = STR("warn"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq(name, names[i])) {
            *out = (enum lock_conflict)i;
            return true;
        }
    }
    return false;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Take the next component of a path; empty at its end. */
static struct str next_name(struct str *path)
{
    struct str name = { 0 };

    while (path->n && !name.n)
        name = str_cut(path, '/');
    return name;
}

bool lock_overlaps(struct str a, struct str b)
{
    for (;;) {
        struct str left = next_name(&a), right = next_name(&b);

        if (!left.n || !right.n)
            return true;
        if (!str_eq(left, right))
            return false;
    }
}

static bool paths_overlap(const struct pick_strs *a, const struct pick_strs *b)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (lock_overlaps(a->v[i], b->v[k]))
                return true;
    return false;
}

struct str lock_paths_write(struct arena *mem, const struct pick_strs *paths)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, SIZE_MAX / 2);
    jw_array(&w);
    for (size_t i = 0; i < paths->n; i++)
        jw_str(&w, paths->v[i]);
    jw_array_end(&w);
    return buf_str(&out);
}

struct pick_strs lock_paths_read(struct arena *mem, struct str text)
{
    static struct str root = STR("");
    static const struct json_opts opts = { .max_depth = 2, .max_values = 100000 };
    struct pick_strs out = { .set = true };
    struct json v;
    struct err e;

    if (!json_read(mem, text, &opts, &v, &e) || json_type(v) != JSON_ARRAY)
        return (struct pick_strs){ &root, 1, true };
    out.v = ARENA_ARRAY(mem, struct str, json_count(v) + 1);
    JSON_EACH(path, v)
    {
        out.v[out.n++] = json_str(mem, path);
    }
    return out;
}

/* ---- claims of others ------------------------------------------------------------------------ */

struct lock_entry *lock_entry_of(const struct lock_table *t, struct str task)
{
    struct lock_entry *e = t->first;

    while (e && !str_eq(e->claim.task, task))
        e = e->next;
    return e;
}

struct lock_others lock_others_read(struct arena *mem, const struct lock_table *t,
                                    const struct store_lock_page *page, const struct lock_entry *me)
{
    struct lock_others out = { .v = ARENA_ARRAY(mem, struct lock_claim, page->n + 1) };
    bool met = false;

    for (size_t i = 0; i < page->n; i++) {
        const struct store_lock *row = &page->v[i];
        const struct lock_entry *ours = lock_entry_of(t, row->task);

        met |= ours && ours == me;
        if (ours)
            continue;
        out.v[out.n++] = (struct lock_claim){
            .task = row->task,
            .paths = lock_paths_read(mem, row->paths),
            .exclusive = row->exclusive,
            .turn = str_starts(row->task, lock_turn_prefix),
        };
        if (!met)
            out.before = out.n;
    }
    return out;
}

/* ---- conflicts
 * -------------------------------------------------------------------------------- */

bool lock_clash(const struct lock_claim *a, const struct lock_claim *b)
{
    return !a->turn && !b->turn && (a->exclusive || b->exclusive) && !str_eq(a->task, b->task) &&
           paths_overlap(&a->paths, &b->paths);
}

static bool is_lock_on(const struct lock_claim *lock, const struct lock_claim *a,
                       const struct lock_claim *b)
{
    return !lock->turn && paths_overlap(&lock->paths, &a->paths) &&
           paths_overlap(&lock->paths, &b->paths);
}

/* Does one lock cover paths that both calls write? */
static bool share_a_lock(const struct lock_table *t, const struct lock_others *others,
                         const struct lock_claim *a, const struct lock_claim *b)
{
    for (const struct lock_entry *e = t->first; e; e = e->next)
        if (e->state == LOCK_HAS && is_lock_on(&e->claim, a, b))
            return true;
    for (size_t i = 0; others && i < others->n; i++)
        if (is_lock_on(&others->v[i], a, b))
            return true;
    return false;
}

static bool is_in_the_way(const struct lock_entry *e, const struct lock_others *others,
                          const struct lock_claim *other)
{
    if (!e->claim.turn)
        return lock_clash(&e->claim, other);
    return other->turn && share_a_lock(e->table, others, &e->claim, other);
}

/* The first conflicting claim of this process; an entry that only looks, or leaves, blocks no
 * other. */
static const struct lock_claim *first_of_ours(const struct lock_entry *e,
                                              const struct lock_others *others)
{
    for (const struct lock_entry *p = e->table->first; p && p != e; p = p->next)
        if (p->state != LOCK_LOOKS && p->state != LOCK_LEAVES &&
            is_in_the_way(e, others, &p->claim))
            return &p->claim;
    return NULL;
}

static const struct lock_claim *first_of_others(const struct lock_entry *e,
                                                const struct lock_others *others)
{
    for (size_t i = 0; others && i < others->before; i++)
        if (is_in_the_way(e, others, &others->v[i]))
            return &others->v[i];
    return NULL;
}

enum lock_block lock_blocked(const struct lock_entry *e, const struct lock_others *others,
                             struct str *by)
{
    const struct lock_claim *ours = first_of_ours(e, others);
    const struct lock_claim *theirs = ours ? NULL : first_of_others(e, others);

    if (by && (ours || theirs))
        *by = ours ? ours->task : theirs->task;
    return ours ? LOCK_BY_US : theirs ? LOCK_BY_OTHERS : LOCK_FREE;
}

bool lock_is_locked(const struct lock_entry *e, const struct lock_others *others)
{
    return share_a_lock(e->table, others, &e->claim, &e->claim);
}

bool lock_has_rival(const struct lock_entry *e, const struct lock_others *others)
{
    for (const struct lock_entry *p = e->table->first; p; p = p->next)
        if (p != e && p->state != LOCK_LEAVES && lock_clash(&e->claim, &p->claim))
            return true;
    for (size_t i = 0; others && i < others->n; i++)
        if (lock_clash(&e->claim, &others->v[i]))
            return true;
    return false;
}
