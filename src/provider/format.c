#include "provider/format.h"

struct str ask_url(const struct model_call *a, const char *version, const char *path)
{
    struct str base = a->spec->base_url;

    while (str_ends(base, STR("/")))
        base.n--;
    return arena_printf(a->mem, STR_FMT "%s%s", STR_ARG(base),
                        str_ends(base, str_of(version)) ? "" : version, path);
}

bool ask_sealed(const struct model_call *a, const struct block *b)
{
    return b->sealed.p && b->by && strcmp(b->by, a->spec->name) == 0;
}

struct str ask_args(const struct model_call *a, const struct block *call)
{
    if (!call->args.n)
        return STR("{}");
    if (call->args.p[0] == '{')
        return call->args;
    return arena_printf(a->mem, "{\"invalid_arguments\":" STR_FMT "}", STR_ARG(call->args));
}

static const struct block *call_in(const struct message *m, struct str id)
{
    for (size_t i = 0; i < m->blocks; i++)
        if (m->block[i].kind == BLOCK_CALL && str_eq(m->block[i].id, id))
            return &m->block[i];
    return NULL;
}

const struct block *ask_result_call(const struct model_call *a, const struct block *result)
{
    const struct block *call = NULL;

    for (size_t i = a->req->messages; i-- > 0 && !call;)
        call = call_in(&a->req->message[i], result->id);
    return call;
}

struct str ask_result_name(const struct model_call *a, const struct block *result)
{
    const struct block *call = result->name.n ? NULL : ask_result_call(a, result);
    struct str name = call ? call->name : result->name;

    return name.n ? name : STR("unknown");
}

bool ask_is_media(const struct block *b, const char *type)
{
    return b->kind == BLOCK_MEDIA && str_starts(b->type, str_of(type));
}

/* The media type comes from an untrusted sender, so the model gets only a fixed word. */
static const char *media_kind(struct str type)
{
    if (str_starts(type, STR("image/")))
        return "an image";
    if (str_starts(type, STR("audio/")))
        return "audio";
    return "a file";
}

struct str ask_left_out(const struct model_call *a, const struct block *media)
{
    return arena_printf(a->mem, "[%s omitted: %s does not support it]", media_kind(media->type),
                        a->spec->name);
}

struct str ask_data_url(const struct model_call *a, const struct block *media)
{
    return arena_printf(a->mem, "data:" STR_FMT ";base64," STR_FMT, STR_ARG(media->type),
                        STR_ARG(media->data));
}

void ask_write_tool(struct jw *w, const struct model_tool *t, const char *schema_key)
{
    jw_kstr(w, "name", t->name);
    jw_kstr(w, "description", t->description);
    jw_kraw(w, schema_key, t->schema);
}

void ask_write_tools(const struct model_call *a, struct jw *w, const char *key,
                     void (*one)(struct jw *w, const struct model_tool *t, bool last))
{
    if (!a->req->tools)
        return;
    jw_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < a->req->tools; i++) {
        jw_object(w);
        one(w, &a->req->tool[i], i + 1 == a->req->tools);
        jw_object_end(w);
    }
    jw_array_end(w);
}

const char *ask_effort(const struct model_call *a)
{
    switch (a->req->effort) {
    case EFFORT_DEFAULT: break;
    case EFFORT_NONE: return "none";
    case EFFORT_LOW: return "low";
    case EFFORT_MEDIUM: return "medium";
    case EFFORT_HIGH: return "high";
    }
    return NULL;
}

/* Larger counts are invalid, and a sum of a few must not overflow. */
enum { COUNT_MOST = INT32_MAX };

int64_t count_at(struct json v, const char *path)
{
    struct str rest = str_of(path);
    int64_t n;

    while (rest.p)
        v = json_get(v, str_cut(&rest, '.'));
    if (!json_int(v, &n) || n < 0)
        return 0;
    return n < COUNT_MOST ? n : COUNT_MOST;
}
