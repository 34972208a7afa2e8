#include "proto/acp/agent/acp_block.h"

/* ---- reading --------------------------------------------------------------------------------- */

static bool block_allowed(struct json v, unsigned caps, struct err *e)
{
    struct json type = json_get(v, STR("type"));

    if ((json_is(type, STR("image")) || json_is(type, STR("audio"))) && !(caps & AGENT_MEDIA))
        return json_fail(v, e, "the agent of this session accepts neither images nor audio");
    if (json_is(type, STR("file")) || json_is(type, STR("data")))
        return json_fail(type, e, "expected text, image, audio, resource or resource_link");
    return true;
}

bool acp_blocks_read(struct arena *mem, struct json list, const struct limits *limits,
                     unsigned caps, struct blocks *out, struct err *e)
{
    JSON_EACH(v, list)
    {
        if (!block_allowed(v, caps, e))
            return false;
    }
    if (!json_count(list)) {
        *out = blocks_text(mem, STR(""));
        return true;
    }
    return blocks_read(mem, list, limits, out, e);
}

/* ---- writing --------------------------------------------------------------------------------- */

void acp_text_write(struct jw *w, struct str text)
{
    jw_object(w);
    jw_kplain(w, "type", STR("text"));
    jw_kstr(w, "text", text.p ? text : STR(""));
    jw_object_end(w);
}

static void write_media(struct jw *w, const char *type, const struct block *b)
{
    jw_object(w);
    jw_kplain(w, "type", str_of(type));
    jw_kstr(w, "data", b->data);
    jw_kstr(w, "mimeType", b->type);
    jw_object_end(w);
}

/* A file without an address gets one, because ACP requires it. */
static void write_file(struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kplain(w, "type", STR("resource"));
    jw_plain_key(w, STR("resource"));
    jw_object(w);
    jw_kstr(w, "uri", b->name.n ? b->name : STR("file"));
    jw_kstr(w, "mimeType", b->type);
    jw_kstr(w, "blob", b->data);
    jw_object_end(w);
    jw_object_end(w);
}

void acp_block_write(struct jw *w, const struct block *b)
{
    if (b->uri.p)
        block_write(w, b);
    else if (b->kind != BLOCK_MEDIA)
        acp_text_write(w, b->text);
    else if (str_starts(b->type, STR("image/")))
        write_media(w, "image", b);
    else if (str_starts(b->type, STR("audio/")))
        write_media(w, "audio", b);
    else
        write_file(w, b);
}
