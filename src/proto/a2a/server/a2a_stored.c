/* a2a_stored.c - what a task stores for A2A: the messages of the client, as version 1.0 writes them. */
#include "base/utf8.h"
#include "proto/a2a/server/a2a_view.h"

/* Answers are short. What is longer, and files, are replaced by their names. */
enum { STORED_TEXT = 32 << 10, STORED_BYTES = 256 << 10 };

static const struct json_opts stored_opts = { .max_depth = 64, .max_values = 1 << 16 };

static struct blocks short_parts(struct arena *mem, struct blocks b)
{
    struct block *v = ARENA_ARRAY(mem, struct block, b.n ? b.n : 1);
    size_t room = STORED_TEXT;

    for (size_t i = 0; i < b.n; i++) {
        v[i] = b.v[i];
        if (v[i].kind == BLOCK_MEDIA || v[i].text.n > room)
            v[i] = (struct block){ .kind = BLOCK_TEXT,
                                   .text = utf8_head(
                                       blocks_words(mem, (struct blocks){ &b.v[i], 1 }), room) };
        room -= v[i].text.n;
    }
    return (struct blocks){ v, b.n };
}

struct str a2a_stored_write(struct arena *mem, enum a2a_dialect dialect,
                            const struct a2a_message *message, bool whole)
{
    struct a2a_message m = *message;
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, STORED_BYTES);
    if (whole)
        m.parts = short_parts(mem, m.parts);
    else
        m.parts = blocks_text(mem, STR("-")); /* the prompt has the parts */
    m.context = m.task = STR_NONE;
    if (m.metadata.n > STORED_TEXT)
        m.metadata = STR_NONE;
    jw_object(&w);
    jw_kstr(&w, "a2a", str_of(a2a_dialects[dialect].version));
    jw_plain_key(&w, STR("message"));
    a2a_write_message(&w, A2A_1_0, &m);
    jw_object_end(&w);
    return out.full ? STR_NONE : buf_str(&out);
}

bool a2a_stored_message(struct arena *mem, const struct limits *limits, struct json client,
                        struct a2a_message *out)
{
    struct json m = json_get(client, STR("message"));
    struct err ignored;

    return json_type(m) == JSON_OBJECT && a2a_read_message(mem, A2A_1_0, limits, m, out, &ignored);
}

struct str a2a_stored_version(struct arena *mem, struct str client)
{
    struct json v;
    struct err ignored;

    if (!client.n || !json_read(mem, client, &stored_opts, &v, &ignored))
        return STR_NONE;
    return json_str(mem, json_get(v, STR("a2a")));
}
