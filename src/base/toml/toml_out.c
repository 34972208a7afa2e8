/* toml_out.c - convert the finished tree to a document. */
#include "base/json_build.h"
#include "base/toml/toml_parts.h"

/* Recursion is as deep as the tree, which has a limit. */
static void lay_item(struct json_build *b, const struct toml_item *it)
{
    uint32_t container;

    if (it->type != JSON_OBJECT && it->type != JSON_ARRAY) {
        json_build_scalar(b, (enum json_type)it->type, it->text, it->pos);
        return;
    }
    container = json_build_open(b, (enum json_type)it->type, it->pos);
    for (const struct toml_item *child = it->first; child; child = child->next) {
        if (it->type == JSON_OBJECT)
            json_build_key(b, child->key, child->key_pos);
        lay_item(b, child);
    }
    json_build_close(b, container);
}

struct json toml_lay_out(struct toml *t, struct arena *mem)
{
    struct json_build b;

    json_build_begin(&b, mem, 1 + 2 * t->members + t->elements);
    lay_item(&b, t->root);
    return json_build_end(&b, t->file);
}
