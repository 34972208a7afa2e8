#include "core/args_brief.h"

#include "base/secret.h"
#include "base/utf8.h"

enum { TEXT_MOST = 2000, ITEMS_MOST = 100, DEPTH_MOST = 8, ALL_MOST = 64 << 10 };

static void put_text(struct jw *w, struct arena *mem, struct str text)
{
    struct str head = utf8_head(text, TEXT_MOST);

    if (head.n < text.n)
        head = arena_printf(mem, STR_FMT "... (%zu bytes more)", STR_ARG(head), text.n - head.n);
    jw_str(w, head);
}

static void put(struct jw *w, struct arena *mem, struct json v, int depth);

static void put_object(struct jw *w, struct arena *mem, struct json v, int depth)
{
    size_t n = 0;

    jw_object(w);
    JSON_MEMBERS(key, v)
    {
        struct str name = json_str(mem, key);

        if (n++ == ITEMS_MOST)
            break;
        jw_key(w, utf8_head(name, TEXT_MOST));
        if (names_secret(name))
            jw_str(w, STR("***"));
        else
            put(w, mem, json_value(key), depth + 1);
    }
    if (n > ITEMS_MOST)
        jw_kint(w, "... more", (int64_t)(json_count(v) - ITEMS_MOST));
    jw_object_end(w);
}

static void put_array(struct jw *w, struct arena *mem, struct json v, int depth)
{
    size_t n = 0;

    jw_array(w);
    JSON_EACH(item, v)
    {
        if (n++ == ITEMS_MOST)
            break;
        put(w, mem, item, depth + 1);
    }
    if (n > ITEMS_MOST)
        jw_str(w, arena_printf(mem, "... (%zu more)", json_count(v) - ITEMS_MOST));
    jw_array_end(w);
}

static void put(struct jw *w, struct arena *mem, struct json v, int depth)
{
    enum json_type type = json_type(v);

    if (type == JSON_STRING)
        put_text(w, mem, json_str(mem, v));
    else if (type != JSON_OBJECT && type != JSON_ARRAY)
        jw_raw(w, json_raw(v));
    else if (depth == DEPTH_MOST)
        jw_str(w, STR("..."));
    else if (type == JSON_OBJECT)
        put_object(w, mem, v, depth);
    else
        put_array(w, mem, v, depth);
}

struct str args_brief(struct arena *mem, struct json args)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (json_type(args) != JSON_OBJECT)
        return STR("{}");
    buf_init_in(&out, mem, ALL_MOST);
    put(&w, mem, args, 0);
    if (!out.full)
        return buf_str(&out);
    return arena_printf(mem, "{\"...\":\"%zu bytes of arguments, too many to be shown\"}",
                        json_raw(args).n);
}
