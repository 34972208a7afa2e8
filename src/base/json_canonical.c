#include "base/json_canonical.h"

#include <stdlib.h>

struct member {
    struct str key;
    struct json at; /* the key in the document */
};

/* Duplicate keys stay in their order. */
static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = str_order(x->key, y->key);

    if (order)
        return order;
    return (x->at.at > y->at.at) - (x->at.at < y->at.at);
}

static void write_object(struct jw *w, struct arena *mem, struct json v)
{
    struct member *member = ARENA_ARRAY(mem, struct member, json_count(v));
    size_t n = 0;

    JSON_MEMBERS(key, v)
    member[n++] = (struct member){ json_str(mem, key), key };
    if (n)
        qsort(member, n, sizeof(*member), by_key);
    jw_object(w);
    for (size_t i = 0; i < n; i++) {
        jw_key(w, member[i].key);
        json_canonical_write(w, mem, json_value(member[i].at));
    }
    jw_object_end(w);
}

void json_canonical_write(struct jw *w, struct arena *mem, struct json v)
{
    if (json_type(v) == JSON_OBJECT) {
        write_object(w, mem, v);
    } else if (json_type(v) == JSON_ARRAY) {
        jw_array(w);
        JSON_EACH(item, v)
        json_canonical_write(w, mem, item);
        jw_array_end(w);
    } else if (json_type(v) == JSON_STRING && !json_has_lone_surrogate(v)) {
        jw_str(w, json_str(mem, v));
    } else {
        jw_raw(w, json_raw(v));
    }
}

struct str json_canonical(struct arena *mem, struct json v)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!json_here(v))
        return STR("");
    buf_init_in(&out, mem, 6 * json_raw(v).n + 16); /* enough even if every byte is escaped */
    json_canonical_write(&w, mem, v);
    return buf_str(&out);
}
