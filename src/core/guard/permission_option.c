#include "core/guard/permission_option.h"

#include "base/utf8.h"

const struct permission_row permission_options[PERMISSION_OPTIONS] = {
    [ALLOW_ONCE] = { "allow_once", "allow_once", "Allow once", 'y', PERMISSION_ONCE, true },
    [ALLOW_SESSION] = { "allow_session", "allow_always", "Always allow this call in this session",
                        'a', PERMISSION_SESSION, true },
    [ALLOW_PROJECT] = { "allow_project", "allow_always", "Always allow this call in this project",
                        'p', PERMISSION_PROJECT, true },
    [REJECT_ONCE] = { "reject_once", "reject_once", "Reject once", 'n', PERMISSION_ONCE, false },
    [REJECT_SESSION] = { "reject_session", "reject_always",
                         "Always reject this call in this session", 'r', PERMISSION_SESSION,
                         false },
    [REJECT_PROJECT] = { "reject_project", "reject_always",
                         "Always reject this call in this project", 'x', PERMISSION_PROJECT,
                         false },
};

bool permission_option_named(struct str id, enum permission_option *out)
{
    for (size_t i = 0; i < PERMISSION_OPTIONS; i++)
        if (str_eq(id, str_of(permission_options[i].id))) {
            *out = (enum permission_option)i;
            return true;
        }
    return false;
}

/* ---- offering ------------------------------------------------------------------------------- */

bool permission_offers(struct permission_offer offer, enum permission_option option)
{
    switch (permission_options[option].scope) {
    case PERMISSION_ONCE: return true;
    case PERMISSION_SESSION: return offer.session;
    case PERMISSION_PROJECT: return offer.project;
    }
    return false;
}

static void write_option(struct jw *w, const struct permission_row *row)
{
    jw_object(w);
    jw_kstr(w, "id", str_of(row->id));
    jw_kstr(w, "name", str_of(row->label));
    jw_kstr(w, "kind", str_of(row->kind));
    jw_object_end(w);
}

void permission_offer_write(struct jw *w, struct permission_offer offer)
{
    jw_kraw(w, "requestedSchema",
            offer.session ? STR("{\"type\":\"object\",\"properties\":{\"always\":{\"type\":"
                                "\"boolean\",\"title\":\"Always allow this call in this session\","
                                "\"default\":false}}}")
                          : STR("{\"type\":\"object\",\"properties\":{}}"));
    jw_plain_key(w, STR("options"));
    jw_array(w);
    for (size_t i = 0; i < PERMISSION_OPTIONS; i++)
        if (permission_offers(offer, (enum permission_option)i))
            write_option(w, &permission_options[i]);
    jw_array_end(w);
}

static bool has_kind(struct json option, const char *kind)
{
    return json_is(json_get(option, STR("kind")), str_of(kind));
}

struct json permission_of_kind(struct json options, const char *kind)
{
    JSON_EACH(option, options)
    if (has_kind(option, kind))
        return option;
    return (struct json){ 0 };
}

static bool holds_once(struct json options)
{
    JSON_EACH(option, options)
    if (!json_is(json_get(option, STR("id")), str_of(permission_options[ALLOW_ONCE].id)) &&
        !json_is(json_get(option, STR("id")), str_of(permission_options[REJECT_ONCE].id)))
        return false;
    return true;
}

static void write_members(struct jw *w, struct json options, const char *key, const char *member)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    JSON_EACH(option, options)
    jw_raw(w, json_raw(json_get(option, str_of(member))));
    jw_array_end(w);
}

struct str permission_schema(struct arena *mem, struct json options)
{
    struct json preset = permission_of_kind(options, "allow_once");
    struct buf out;
    struct jw w = jw_to(&out);

    if (holds_once(options))
        return STR("{\"type\":\"object\",\"properties\":{}}");
    buf_init_in(&out, mem, 2 * json_raw(options).n + 256);
    jw_object(&w);
    jw_kstr(&w, "type", STR("object"));
    jw_plain_key(&w, STR("properties"));
    jw_object(&w);
    jw_plain_key(&w, STR("option"));
    jw_object(&w);
    jw_kstr(&w, "type", STR("string"));
    jw_kstr(&w, "title", STR("Decision"));
    write_members(&w, options, "enum", "id");
    write_members(&w, options, "enumNames", "name");
    if (json_here(preset))
        jw_kraw(&w, "default", json_raw(json_get(preset, STR("id"))));
    jw_object_end(&w);
    jw_object_end(&w);
    jw_object_end(&w);
    return buf_str(&out);
}

/* ---- choosing ------------------------------------------------------------------------------- */

static bool kind_allows(struct json option)
{
    return has_kind(option, "allow_once") || has_kind(option, "allow_always");
}

static struct json named_option(struct json answer)
{
    struct json top = json_get(answer, STR("option"));

    return json_here(top) ? top : json_get(json_get(answer, STR("content")), STR("option"));
}

/* The option that an answer without an id chooses. */
static struct json implied_option(struct json options, struct json answer)
{
    struct json always = json_get(json_get(answer, STR("content")), STR("always"));
    struct json option = { 0 };

    if (!json_is(json_get(answer, STR("action")), STR("accept")))
        return permission_of_kind(options, "reject_once");
    if (json_true(always))
        option = permission_of_kind(options, "allow_always");
    /* "always" means the session at most, never the project. */
    if (json_is(json_get(option, STR("id")), str_of(permission_options[ALLOW_PROJECT].id)))
        option = (struct json){ 0 };
    return json_here(option) ? option : permission_of_kind(options, "allow_once");
}

static bool find_option(struct arena *mem, struct json options, struct str id, struct json *out,
                        struct err *e)
{
    struct str all = STR("");

    JSON_EACH(option, options)
    {
        if (json_is(json_get(option, STR("id")), id)) {
            *out = option;
            return true;
        }
        all = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                           STR_ARG(json_str(mem, json_get(option, STR("id")))));
    }
    return fail(e, ERR_INVALID,
                "\"" STR_FMT "\" is not an option of this question; it has " STR_FMT,
                STR_ARG(utf8_head(id, 40)), STR_ARG(utf8_head(all, 160)));
}

bool permission_chosen(struct arena *mem, struct json params, struct json answer,
                       struct permission_choice *out, struct err *e)
{
    struct json options = json_get(params, STR("options")), named = named_option(answer);
    struct json action = json_get(answer, STR("action")), option = implied_option(options, answer);

    if (json_here(named) && !find_option(mem, options, json_str(mem, named), &option, e))
        return false;
    *out = (struct permission_choice){
        .id = json_str(mem, json_get(option, STR("id"))),
        .allows = json_here(named) ? kind_allows(option) : json_is(action, STR("accept")),
    };
    if (out->allows && json_here(action) && !json_is(action, STR("accept")))
        return fail(e, ERR_INVALID,
                    "the answer rejects the call but names the option " STR_FMT ", which allows it",
                    STR_ARG(utf8_head(out->id, 40)));
    return true;
}
