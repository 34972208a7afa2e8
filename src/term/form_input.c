#include "term/form_input.h"

bool form_says(struct str line, char letter)
{
    struct str word = str_trim(line);

    return word.n && (word.p[0] | 0x20) == letter;
}

/* enum, or the const of each oneOf or anyOf; of an array, its items'. */
struct json form_choices(struct json field, struct str *member)
{
    struct json items = json_get(field, STR("items"));
    struct json from = json_here(items) ? items : field;
    static const char *const keys[] = { "enum", "oneOf", "anyOf" };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct json list = json_get(from, str_of(keys[i]));

        *member = i ? STR("const") : STR_NONE;
        if (json_count(list))
            return list;
    }
    return (struct json){ NULL, 0 };
}

struct str form_choice(struct arena *mem, struct json item, struct str member)
{
    return json_str(mem, member.p ? json_get(item, member) : item);
}

static bool is_choice(struct arena *mem, struct json field, struct str word)
{
    struct str member;
    struct json list = form_choices(field, &member);

    if (!json_here(list))
        return true;
    JSON_EACH(item, list)
    if (str_eq(form_choice(mem, item, member), word))
        return true;
    return false;
}

static bool write_number(struct jw *w, struct arena *mem, struct json key, struct str word,
                         bool whole)
{
    struct json_opts opts = { .max_depth = 8, .max_values = 2 };
    struct json v;
    int64_t n;
    struct err e;

    if (!json_read(mem, word, &opts, &v, &e) || json_type(v) != JSON_NUMBER ||
        (whole && !json_int(v, &n)))
        return false;
    jw_key(w, json_str(mem, key));
    jw_raw(w, json_raw(v));
    return true;
}

static bool write_several(struct jw *w, struct arena *mem, struct json key, struct str words)
{
    struct str rest = words;

    while (rest.p)
        if (!is_choice(mem, json_value(key), str_trim(str_cut(&rest, ','))))
            return false;
    jw_key(w, json_str(mem, key));
    jw_array(w);
    while (words.p)
        jw_str(w, str_trim(str_cut(&words, ',')));
    jw_array_end(w);
    return true;
}

static bool write_bool(struct jw *w, struct arena *mem, struct json key, struct str word)
{
    bool yes = form_says(word, 'y') || form_says(word, 't');

    if (!yes && !form_says(word, 'n') && !form_says(word, 'f'))
        return false;
    jw_key(w, json_str(mem, key));
    jw_bool(w, yes);
    return true;
}

bool form_write(struct jw *w, struct arena *mem, struct json key, struct str word)
{
    struct json field = json_value(key), type = json_get(field, STR("type"));

    if (json_is(type, STR("boolean")))
        return write_bool(w, mem, key, word);
    if (json_is(type, STR("integer")) || json_is(type, STR("number")))
        return write_number(w, mem, key, word, json_is(type, STR("integer")));
    if (json_is(type, STR("array")))
        return write_several(w, mem, key, word);
    if (!is_choice(mem, field, word))
        return false;
    jw_key(w, json_str(mem, key));
    jw_str(w, word);
    return true;
}
