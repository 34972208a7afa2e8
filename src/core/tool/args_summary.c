/* args_summary.c - writes arguments with secrets masked and long values truncated. */
#include "core/tool/args_summary.h"

#include "base/secret.h"
#include "base/utf8.h"

/* The limits: bytes of a text, members of a list or object, levels, bytes in total. */
struct most {
    size_t text, items, depth, all;
};

struct brief {
    const struct most *most;
    struct arena *mem;
    struct buf out;
    struct jw w;
    bool cut; /* something was omitted */
};

static struct str head_of(struct brief *b, struct str text)
{
    struct str head = utf8_head(text, b->most->text);

    b->cut |= head.n < text.n;
    return head;
}

static void put_text(struct brief *b, struct str text)
{
    struct str head = head_of(b, text);

    if (head.n < text.n)
        head = arena_printf(b->mem, STR_FMT "... (%zu bytes more)", STR_ARG(head), text.n - head.n);
    jw_str(&b->w, head);
}

static void put(struct brief *b, struct json v, size_t depth);

static void put_object(struct brief *b, struct json v, size_t depth)
{
    size_t n = 0;

    jw_object(&b->w);
    JSON_MEMBERS(key, v)
    {
        struct str name = json_str(b->mem, key);

        if (n++ == b->most->items)
            break;
        jw_key(&b->w, head_of(b, name));
        if (names_secret(name))
            jw_str(&b->w, STR("***"));
        else
            put(b, json_value(key), depth + 1);
    }
    if (n > b->most->items) {
        jw_kint(&b->w, "... more", (int64_t)(json_count(v) - b->most->items));
        b->cut = true;
    }
    jw_object_end(&b->w);
}

static void put_array(struct brief *b, struct json v, size_t depth)
{
    size_t n = 0;

    jw_array(&b->w);
    JSON_EACH(item, v)
    {
        if (n++ == b->most->items)
            break;
        put(b, item, depth + 1);
    }
    if (n > b->most->items) {
        jw_str(&b->w, arena_printf(b->mem, "... (%zu more)", json_count(v) - b->most->items));
        b->cut = true;
    }
    jw_array_end(&b->w);
}

static void put(struct brief *b, struct json v, size_t depth)
{
    enum json_type type = json_type(v);

    if (type == JSON_STRING) {
        put_text(b, json_str(b->mem, v));
    } else if (type != JSON_OBJECT && type != JSON_ARRAY) {
        jw_raw(&b->w, json_raw(v));
    } else if (depth == b->most->depth) {
        jw_str(&b->w, STR("..."));
        b->cut = true;
    } else if (type == JSON_OBJECT) {
        put_object(b, v, depth);
    } else {
        put_array(b, v, depth);
    }
}

static struct str put_args(struct arena *mem, struct json args, const struct most *most, bool *cut)
{
    struct brief b = { .most = most, .mem = mem };

    *cut = false;
    if (json_type(args) != JSON_OBJECT)
        return STR("{}");
    b.w = jw_to(&b.out);
    buf_init_in(&b.out, mem, most->all);
    put(&b, args, 0);
    *cut = b.cut || b.out.full;
    if (!b.out.full)
        return buf_str(&b.out);
    return arena_printf(mem, "{\"...\":\"%zu bytes of arguments, too long to show\"}",
                        json_raw(args).n);
}

struct str args_brief(struct arena *mem, struct json args, bool *cut)
{
    static const struct most most = { .text = 2000, .items = 100, .depth = 8, .all = 64 << 10 };

    return put_args(mem, args, &most, cut);
}

/* The text is stored inside other JSON, which adds levels of nesting. */
struct str args_whole(struct arena *mem, struct json args, const struct limits *limits, bool *cut)
{
    struct most most = { .text = 64 << 10,
                         .items = SIZE_MAX,
                         .depth = (size_t)limits->json_depth - 6,
                         .all = (size_t)limits->store_value_bytes / 4 };

    if (most.all > 256 << 10)
        most.all = 256 << 10;
    return put_args(mem, args, &most, cut);
}
