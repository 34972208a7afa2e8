/*
 * toml_tree.c - build the tree, and decide which statements may extend which table.
 *
 * One look-up table, by parent and key, has the members of all tables, so adding a key to a table
 * of a hundred thousand keys takes no longer than adding one to a small table.
 */
#include "base/hash.h"
#include "base/toml/toml_parts.h"
#include "base/utf8.h"

enum { FIRST_SLOTS = 64 };

void toml_tree_init(struct toml *t)
{
    t->slot = ARENA_ARRAY(t->mem, struct toml_item *, FIRST_SLOTS);
    t->slots = FIRST_SLOTS;
    t->secret = hash_secret();
    t->root = ARENA_NEW(t->mem, struct toml_item);
    t->root->type = JSON_OBJECT;
    t->root->kind = TOML_HEADED;
    t->root->depth = 1;
    t->root->pos = (struct json_pos){ 1, 1 };
}

/* ---- items ------------------------------------------------------------------------------ */

static uint32_t hash_of(struct toml *t, const struct toml_item *parent, struct str key)
{
    return hash_str(t->secret, key) ^ (uint32_t)((uintptr_t)parent >> 4) * 0x9e3779b9u;
}

static struct toml_item *find(struct toml *t, const struct toml_item *table, struct str key)
{
    uint32_t hash = hash_of(t, table, key);
    struct toml_item *it = t->slot[hash & (t->slots - 1)];

    while (it && !(it->hash == hash && it->parent == table && str_eq(it->key, key)))
        it = it->chain;
    return it;
}

static void put_in_slot(struct toml *t, struct toml_item *it)
{
    struct toml_item **slot = &t->slot[it->hash & (t->slots - 1)];

    it->chain = *slot;
    *slot = it;
}

static void more_slots(struct toml *t)
{
    struct toml_item **old = t->slot;
    uint32_t n = t->slots;

    t->slots = n * 2;
    t->slot = ARENA_ARRAY(t->mem, struct toml_item *, t->slots);
    for (uint32_t i = 0; i < n; i++) {
        while (old[i]) {
            struct toml_item *it = old[i];

            old[i] = it->chain;
            put_in_slot(t, it);
        }
    }
}

static struct toml_item *add(struct toml *t, struct toml_item *parent)
{
    struct toml_item *it = ARENA_NEW(t->mem, struct toml_item);

    it->parent = parent;
    if (parent->last)
        parent->last->next = it;
    else
        parent->first = it;
    parent->last = it;
    return it;
}

struct toml_item *toml_append(struct toml *t, struct toml_item *array, struct json_pos pos)
{
    struct toml_item *it = add(t, array);

    it->pos = pos;
    t->elements++;
    return it;
}

static struct toml_item *add_member(struct toml *t, struct toml_item *table,
                                    const struct toml_part *part)
{
    struct toml_item *it = add(t, table);

    it->key = part->name;
    it->key_pos = it->pos = part->pos;
    it->hash = hash_of(t, table, it->key);
    if (t->members == t->slots)
        more_slots(t);
    t->members++;
    put_in_slot(t, it);
    return it;
}

bool toml_contain(struct toml *t, struct toml_item *item, enum json_type type, enum toml_kind kind)
{
    if (item->parent->depth >= t->max_depth)
        return toml_bad_pos(t, item->pos, ERR_LIMIT,
                            "nested too deeply; at most %u levels are allowed", t->max_depth);
    item->type = (uint8_t)type;
    item->kind = (uint8_t)kind;
    item->depth = (uint16_t)(item->parent->depth + 1);
    return true;
}

/* ---- which statements may add to which table ------------------------------------------- */

static const char *kind_text(const struct toml_item *it)
{
    switch ((enum toml_kind)it->kind) {
    case TOML_IMPLIED: return "a table";
    case TOML_DOTTED: return "a table made by dotted keys";
    case TOML_HEADED: return "a table with its own header";
    case TOML_LIST: return "an array of tables";
    case TOML_VALUE: break;
    }
    if (it->type == JSON_OBJECT)
        return "an inline table, which cannot be extended";
    if (it->type == JSON_ARRAY)
        return "an array, which cannot be extended";
    return "a value that is not a table";
}

__attribute__((cold)) static bool taken(struct toml *t, const struct toml_part *part,
                                        const struct toml_item *it)
{
    return toml_bad_pos(t, part->pos, ERR_INVALID, "the key " STR_FMT " is already %s, in line %u",
                        STR_ARG(utf8_head(part->spelled, 64)), kind_text(it), it->key_pos.line);
}

bool toml_put(struct toml *t, struct toml_item *table, const struct toml_part *part,
              struct toml_item **out)
{
    struct toml_item *it = find(t, table, part->name);

    if (it)
        return toml_bad_pos(t, part->pos, ERR_INVALID,
                            "the key " STR_FMT " is already defined in line %u",
                            STR_ARG(utf8_head(part->spelled, 64)), it->key_pos.line);
    *out = add_member(t, table, part);
    return true;
}

/* A member of *at that is not there yet becomes a table. */
static bool make_table(struct toml *t, const struct toml_part *part, enum toml_kind kind,
                       struct toml_item **at)
{
    struct toml_item *it = add_member(t, *at, part);

    if (!toml_contain(t, it, JSON_OBJECT, kind))
        return false;
    *at = it;
    return true;
}

bool toml_enter_dotted(struct toml *t, const struct toml_part *part, struct toml_item **at)
{
    struct toml_item *it = find(t, *at, part->name);

    if (!it)
        return make_table(t, part, TOML_DOTTED, at);
    if (it->kind != TOML_IMPLIED && it->kind != TOML_DOTTED)
        return taken(t, part, it);
    it->kind = TOML_DOTTED;
    *at = it;
    return true;
}

bool toml_enter_header(struct toml *t, const struct toml_part *part, struct toml_item **at)
{
    struct toml_item *it = find(t, *at, part->name);

    if (!it)
        return make_table(t, part, TOML_IMPLIED, at);
    if (it->kind == TOML_VALUE)
        return taken(t, part, it);
    *at = it->kind == TOML_LIST ? it->last : it;
    return true;
}

bool toml_open_table(struct toml *t, const struct toml_part *part, struct json_pos pos,
                     struct toml_item **at)
{
    struct toml_item *it = find(t, *at, part->name);

    if (!it) {
        if (!make_table(t, part, TOML_HEADED, at))
            return false;
    } else if (it->kind != TOML_IMPLIED) {
        return taken(t, part, it);
    } else {
        it->kind = TOML_HEADED;
        it->key_pos = part->pos;
        *at = it;
    }
    (*at)->pos = pos;
    return true;
}

bool toml_open_element(struct toml *t, const struct toml_part *part, struct json_pos pos,
                       struct toml_item **at)
{
    struct toml_item *it = find(t, *at, part->name);

    if (!it) {
        it = add_member(t, *at, part);
        it->pos = pos;
        if (!toml_contain(t, it, JSON_ARRAY, TOML_LIST))
            return false;
    } else if (it->kind != TOML_LIST) {
        return taken(t, part, it);
    }
    *at = toml_append(t, it, pos);
    return toml_contain(t, *at, JSON_OBJECT, TOML_HEADED);
}
