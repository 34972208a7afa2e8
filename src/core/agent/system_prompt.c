#include "core/agent/system_prompt.h"

#include "base/buf.h"
#include "base/utf8.h"

static void put_block(struct buf *b, struct str text)
{
    text = str_trim(text);
    if (!text.n)
        return;
    if (b->n)
        buf_put(b, STR("\n\n"));
    buf_put(b, text);
}

static bool has_text(const struct prompt_part *part, size_t parts)
{
    for (size_t i = 0; i < parts; i++)
        if (str_trim(part[i].text).n)
            return true;
    return false;
}

static void put_section(struct buf *b, const char *heading, const struct prompt_part *part,
                        size_t parts)
{
    if (!has_text(part, parts))
        return;
    put_block(b, str_of(heading));
    for (size_t i = 0; i < parts; i++) {
        if (!str_trim(part[i].text).n)
            continue;
        buf_printf(b, "\n\n## %s", part[i].origin);
        put_block(b, part[i].text);
    }
}

static void put_skills(struct buf *b, struct str skills)
{
    if (!str_trim(skills).n)
        return;
    put_block(b, STR("# Skills"));
    put_block(b, STR("Instructions for certain kinds of work in this project. If a skill applies, "
                     "load it with the tool `skill` before you begin."));
    put_block(b, skills);
}

static void put_place(struct buf *b, struct str place)
{
    if (!str_trim(place).n)
        return;
    put_block(b, STR("# Where you work"));
    put_block(b, place);
}

static size_t most_bytes(const struct prompt_parts *p)
{
    size_t n = 1024 + p->persona.n + p->skills.n + p->place.n;

    for (size_t i = 0; i < p->rules; i++)
        n += p->rule[i].text.n + strlen(p->rule[i].origin) + 16;
    for (size_t i = 0; i < p->instructions; i++)
        n += p->instruction[i].text.n + strlen(p->instruction[i].origin) + 16;
    return n;
}

struct str prompt_compose(struct arena *mem, const struct prompt_parts *parts, size_t max,
                          bool *out_cut)
{
    struct buf b;
    struct str all;

    buf_init_in(&b, mem, most_bytes(parts));
    put_block(&b, parts->persona);
    put_section(&b, "# Rules", parts->rule, parts->rules);
    put_section(&b, "# System instructions", parts->instruction, parts->instructions);
    put_skills(&b, parts->skills);
    put_place(&b, parts->place);
    all = b.n ? buf_str(&b) : STR("");
    *out_cut = all.n > max;
    return utf8_head(all, max);
}
