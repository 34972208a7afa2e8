/* block.c - converts blocks to JSON and back. */
#include "core/block.h"

#include "base/auto.h"
#include "base/base64.h"
#include "base/pick.h"

/* ---- lists ----------------------------------------------------------------------------------- */

struct blocks blocks_text(struct arena *mem, struct str text)
{
    struct block *b = ARENA_NEW(mem, struct block);

    b->kind = BLOCK_TEXT;
    b->text = text;
    return (struct blocks){ b, 1 };
}

static struct block block_copy(struct arena *mem, const struct block *b)
{
    struct block to = *b;

    to.text = arena_maybe(mem, b->text);
    to.type = arena_maybe(mem, b->type);
    to.uri = arena_maybe(mem, b->uri);
    to.data = arena_maybe(mem, b->data);
    to.name = arena_maybe(mem, b->name);
    return to;
}

struct blocks blocks_copy(struct arena *mem, struct blocks b)
{
    struct block *v = ARENA_ARRAY(mem, struct block, b.n ? b.n : 1);

    for (size_t i = 0; i < b.n; i++)
        v[i] = block_copy(mem, &b.v[i]);
    return (struct blocks){ v, b.n };
}

bool blocks_say_something(struct blocks b)
{
    for (size_t i = 0; i < b.n; i++)
        if (str_trim(b.v[i].text).n || b.v[i].data.n || b.v[i].uri.n)
            return true;
    return false;
}

bool blocks_are_text(struct blocks b)
{
    return b.n == 1 && b.v->kind == BLOCK_TEXT && !b.v->uri.p && !b.v->type.p;
}

static void put_words(struct buf *out, const struct block *b)
{
    struct str name = b->name.n ? b->name : b->uri.n ? b->uri : b->type;

    if (b->kind == BLOCK_TEXT && !b->uri.p)
        buf_put(out, b->text);
    else
        buf_printf(out, "[" STR_FMT "]", STR_ARG(name));
}

struct str blocks_words(struct arena *mem, struct blocks b)
{
    size_t most = 1;
    struct buf out;

    if (blocks_are_text(b))
        return b.v->text;
    for (size_t i = 0; i < b.n; i++)
        most += b.v[i].text.n + b.v[i].name.n + b.v[i].uri.n + b.v[i].type.n + 3;
    buf_init_in(&out, mem, most);
    for (size_t i = 0; i < b.n; i++) {
        if (i)
            buf_putc(&out, '\n');
        put_words(&out, &b.v[i]);
    }
    return out.n ? buf_str(&out) : STR("");
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_resource(struct jw *w, const struct block *b)
{
    jw_kplain(w, "type", STR("resource"));
    jw_plain_key(w, STR("resource"));
    jw_object(w);
    jw_kstr(w, "uri", b->uri);
    jw_kstr(w, "mimeType", b->type);
    jw_kstr(w, b->kind == BLOCK_MEDIA ? "blob" : "text",
            b->kind == BLOCK_MEDIA ? b->data : b->text);
    jw_object_end(w);
}

static void write_bytes(struct jw *w, const struct block *b)
{
    bool image = str_starts(b->type, STR("image/")), audio = str_starts(b->type, STR("audio/"));

    jw_kplain(w, "type", image ? STR("image") : audio ? STR("audio") : STR("file"));
    jw_kstr(w, "data", b->data);
    jw_kstr(w, "mimeType", b->type);
    jw_kstr(w, "name", b->name);
}

static void write_link(struct jw *w, const struct block *b)
{
    jw_kplain(w, "type", STR("resource_link"));
    jw_kstr(w, "uri", b->uri);
    jw_kstr(w, "name", b->name.n ? b->name : b->uri);
    jw_kstr(w, "mimeType", b->type);
}

void block_write(struct jw *w, const struct block *b)
{
    jw_object(w);
    if (b->uri.p && (b->text.p || b->data.p)) {
        write_resource(w, b);
    } else if (b->uri.p) {
        write_link(w, b);
    } else if (b->kind == BLOCK_MEDIA) {
        write_bytes(w, b);
    } else if (b->is_data) {
        jw_kplain(w, "type", STR("data"));
        jw_kraw(w, "data", b->text);
    } else {
        jw_kplain(w, "type", STR("text"));
        jw_kstr(w, "text", b->text);
        jw_kstr(w, "mimeType", b->type);
    }
    jw_object_end(w);
}

void blocks_write(struct jw *w, struct blocks b)
{
    jw_array(w);
    for (size_t i = 0; i < b.n; i++)
        block_write(w, &b.v[i]);
    jw_array_end(w);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_text(struct arena *mem, struct json v, const char *key, struct str *out,
                      struct err *e)
{
    struct json member = json_get(v, str_of(key));

    *out = json_str(mem, member);
    if (out->p)
        return true;
    return json_here(member) ? json_fail(member, e, "expected a string")
                             : json_fail(v, e, "missing required member \"%s\" (string)", key);
}

static bool read_optional(struct arena *mem, struct json v, const char *key, struct str *out,
                          struct err *e)
{
    struct json member = json_get(v, str_of(key));

    return !json_here(member) || json_type(member) == JSON_NULL || read_text(mem, v, key, out, e);
}

static bool read_base64(struct arena *mem, struct json v, const char *key, struct str *out,
                        struct err *e)
{
    AUTO_ARENA scratch = { 0 };
    struct str bytes;

    if (!read_text(mem, v, key, out, e))
        return false;
    return base64_decode(&scratch, BASE64_PLAIN, *out, &bytes) ||
           json_fail(json_get(v, str_of(key)), e, "expected base64 with padding (RFC 4648)");
}

static bool read_text_block(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    return read_text(mem, v, "text", &b->text, e) && read_optional(mem, v, "mimeType", &b->type, e);
}

/* Images and audio require a media type; for other files it is optional. */
static bool read_media(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    b->kind = BLOCK_MEDIA;
    return read_base64(mem, v, "data", &b->data, e) && read_text(mem, v, "mimeType", &b->type, e) &&
           read_optional(mem, v, "name", &b->name, e);
}

static bool read_file(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    b->kind = BLOCK_MEDIA;
    b->type = STR("application/octet-stream");
    return read_base64(mem, v, "data", &b->data, e) &&
           read_optional(mem, v, "mimeType", &b->type, e) &&
           read_optional(mem, v, "name", &b->name, e);
}

static bool read_link(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    return read_text(mem, v, "uri", &b->uri, e) && read_optional(mem, v, "name", &b->name, e) &&
           read_optional(mem, v, "mimeType", &b->type, e);
}

static bool read_resource(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    struct json r = json_get(v, STR("resource"));

    if (json_type(r) != JSON_OBJECT)
        return json_fail(v, e, "missing required member \"resource\" (object)");
    if (!read_text(mem, r, "uri", &b->uri, e) || !read_optional(mem, r, "mimeType", &b->type, e))
        return false;
    if (!json_here(json_get(r, STR("blob"))))
        return read_text(mem, r, "text", &b->text, e);
    b->kind = BLOCK_MEDIA;
    if (!b->type.p)
        b->type = STR("application/octet-stream");
    return read_base64(mem, r, "blob", &b->data, e);
}

static bool read_data(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    struct json data = json_get(v, STR("data"));

    (void)mem;
    if (!json_here(data))
        return json_fail(v, e, "missing required member \"data\"");
    b->type = STR("application/json");
    b->text = json_raw(data);
    b->is_data = true;
    return true;
}

static const struct {
    struct str type;
    bool (*read)(struct arena *mem, struct json v, struct block *b, struct err *e);
} readers[] = {
    { STR("text"), read_text_block },   { STR("image"), read_media },
    { STR("audio"), read_media },       { STR("file"), read_file },
    { STR("data"), read_data },         { STR("resource_link"), read_link },
    { STR("resource"), read_resource },
};

static bool read_block(struct arena *mem, struct json v, struct block *b, struct err *e)
{
    struct json type = json_get(v, STR("type"));

    if (json_type(v) != JSON_OBJECT || !json_here(type))
        return json_fail(v, e, "expected an object with a member \"type\"");
    for (size_t i = 0; i < ARRAY_LEN(readers); i++)
        if (json_is(type, readers[i].type))
            return readers[i].read(mem, v, b, e);
    return json_fail(type, e,
                     "accepted are text, image, audio, file, data, resource_link, resource");
}

bool blocks_read(struct arena *mem, struct json list, const struct limits *limits,
                 struct blocks *out, struct err *e)
{
    size_t n = 0, most = json_type(list) == JSON_ARRAY ? json_count(list) : 0;
    struct block *v;

    if (json_type(list) != JSON_ARRAY)
        return json_fail(list, e, "expected an array of parts");
    if (limits && (int64_t)most > limits->parts)
        return json_fail(list, e, "has %zu parts; at most %lld are accepted (the constant parts)",
                         most, (long long)limits->parts);
    v = ARENA_ARRAY(mem, struct block, most ? most : 1);
    JSON_EACH(part, list)
    {
        if (!read_block(mem, part, &v[n++], e))
            return false;
    }
    *out = (struct blocks){ v, n };
    return true;
}

bool blocks_pick(struct arena *mem, struct json obj, const char *text_key, struct str text,
                 struct json parts, const struct limits *limits, struct blocks *out, struct err *e)
{
    if (text.p && json_here(parts))
        return json_fail(obj, e, "\"%s\" and \"parts\" exclude each other", text_key);
    if (!text.p && !json_here(parts))
        return json_fail(obj, e, "missing required member \"%s\" (string), or \"parts\" (array)",
                         text_key);
    if (text.p)
        *out = blocks_text(mem, text);
    else if (!blocks_read(mem, parts, limits, out, e))
        return false;
    return blocks_say_something(*out) ||
           json_fail(text.p ? json_get(obj, str_of(text_key)) : parts, e,
                     "is empty: describe what the agent should do");
}
