/*
 * acp_client_content.c - prompts as ACP content blocks, and content blocks of the agent as text.
 *
 * Core's blocks have the same JSON as those of ACP (core/block.h), except data and files. What the
 * agent does not announce in promptCapabilities is converted to text, or refused.
 */
#include "base/auto.h"
#include "base/utf8.h"
#include "core/block.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_preset.h"

/* ---- prompts --------------------------------------------------------------------------------- */

static void write_text(struct jw *w, struct str text)
{
    jw_object(w);
    jw_kplain(w, "type", STR("text"));
    jw_kstr(w, "text", text);
    jw_object_end(w);
}

/* An agent that takes no embedded context gets the resource as text with its URI. */
static void write_resource_as_text(struct jw *w, const struct block *b)
{
    struct arena mem = { 0 };

    write_text(w, arena_printf(&mem, "[" STR_FMT "]\n" STR_FMT, STR_ARG(b->uri), STR_ARG(b->text)));
    arena_fini(&mem);
}

static void write_link(struct jw *w, const struct block *b)
{
    jw_object(w);
    jw_kplain(w, "type", STR("resource_link"));
    jw_kstr(w, "uri", b->uri);
    jw_kstr(w, "name", b->name.n ? b->name : b->uri);
    jw_kstr(w, "mimeType", b->type);
    jw_object_end(w);
}

static bool refuse_media(const struct acp_turn *t, const struct block *b, struct err *e)
{
    return fail(e, ERR_INVALID, "the agent %s does not accept " STR_FMT " in prompts",
                t->session->agent->def->name,
                STR_ARG(b->type.n ? utf8_head(b->type, 60) : STR("files")));
}

static bool write_media(struct jw *w, const struct acp_turn *t, const struct block *b,
                        struct err *e)
{
    const struct acp_abilities *can = &t->session->conn->can;
    bool image = str_starts(b->type, STR("image/")), audio = str_starts(b->type, STR("audio/"));

    if (image ? !can->image : audio ? !can->audio : !can->embedded)
        return refuse_media(t, b, e);
    if (image || audio || b->uri.p) {
        block_write(w, b);
        return true;
    }
    return refuse_media(t, b, e);
}

static bool write_block(struct jw *w, const struct acp_turn *t, const struct block *b,
                        struct err *e)
{
    if (b->kind == BLOCK_MEDIA)
        return write_media(w, t, b, e);
    if (b->uri.p && !b->text.n)
        write_link(w, b);
    else if (b->uri.p && t->session->conn->can.embedded)
        block_write(w, b);
    else if (b->uri.p)
        write_resource_as_text(w, b);
    else
        write_text(w, b->text);
    return true;
}

/* Does the agent get its instructions only in the first prompt? */
static bool needs_instructions(const struct acp_turn *t)
{
    const struct acp_driven *s = t->session;

    return s->fresh && s->program->instructions.n &&
           s->program->preset->prompt_way == ACP_PROMPT_FIRST;
}

/* What an agent reads instead of a prompt if its turn is resumed. */
#define RESUME_TEXT                                                                                \
    "Your last turn was interrupted, because the program that runs you was stopped. It is "        \
    "unknown "                                                                                     \
    "whether your last tool call took effect. Check that, and then continue with the task."

static void write_transcript(struct jw *w, const struct acp_turn *t)
{
    struct arena mem = { 0 };
    struct str text = acp_transcript(t, &mem);

    if (text.n)
        write_text(w, text);
    arena_fini(&mem);
}

bool acp_prompt_write(struct jw *w, const struct acp_turn *t, struct err *e)
{
    const struct agent_prompt *p = t->prompt;

    jw_array(w);
    if (needs_instructions(t))
        write_text(w, t->session->program->instructions);
    if (t->session->fresh)
        write_transcript(w, t);
    if (!p->blocks)
        write_text(w, STR(RESUME_TEXT));
    for (size_t i = 0; i < p->blocks; i++)
        if (!write_block(w, t, &p->block[i], e))
            return false;
    jw_array_end(w);
    return true;
}

/* ---- content --------------------------------------------------------------------------------- */

struct str acp_content_text(struct arena *mem, struct json block)
{
    struct str type = json_str(mem, json_get(block, STR("type")));
    struct json resource = json_get(block, STR("resource"));

    if (str_eq(type, STR("text")))
        return json_str(mem, json_get(block, STR("text")));
    if (str_eq(type, STR("resource_link")))
        return arena_printf(mem, "[" STR_FMT "]",
                            STR_ARG(json_str(mem, json_get(block, STR("uri")))));
    if (str_eq(type, STR("resource")) && json_here(json_get(resource, STR("text"))))
        return json_str(mem, json_get(resource, STR("text")));
    return type.n ? arena_printf(mem, "[" STR_FMT "]", STR_ARG(utf8_head(type, 40))) : STR_NONE;
}
