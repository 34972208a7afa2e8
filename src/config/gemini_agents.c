#include "config/gemini_agents.h"

#include "base/utf8.h"

enum { DESCRIPTION_MOST = 500 };

/* Gemini CLI ignores the text below the front matter of a remote agent. */
static const char mark[] = "Written by `trefoil connect gemini --agents`, which may replace it.";

struct str gemini_agent_name(struct arena *mem, struct str name)
{
    char *out = arena_cstr(mem, name);

    for (size_t i = 0; i < name.n; i++) {
        char c = out[i];

        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c - 'A' + 'a');
        else if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            out[i] = '-';
    }
    return (struct str){ out, name.n };
}

/* JSON strings are YAML strings, too. */
static void put_yaml(struct buf *out, const char *key, struct str value)
{
    struct jw w = jw_to(out);

    buf_printf(out, "%s: ", key);
    jw_str(&w, value);
    buf_putc(out, '\n');
}

struct str gemini_agent_file(struct arena *mem, struct str name, struct str card_url,
                             struct str description)
{
    struct str about = utf8_head(description, DESCRIPTION_MOST);
    struct buf out;

    buf_init_in(&out, mem, 6 * about.n + name.n + card_url.n + 1024);
    buf_printf(&out, "---\nkind: remote\nname: " STR_FMT "\n",
               STR_ARG(gemini_agent_name(mem, name)));
    if (about.n)
        put_yaml(&out, "description", about);
    buf_printf(&out, "agent_card_url: " STR_FMT "\n---\n%s\n", STR_ARG(card_url), mark);
    return buf_str(&out);
}

bool gemini_agent_is_ours(struct str text)
{
    return str_find(text, str_of(mark)) >= 0;
}

bool gemini_settings_put(struct arena *mem, const char *file, struct str text, bool enable,
                         enum entry_change *how, struct str *out, struct err *e)
{
    const struct entry_put put = { .file = file,
                                   .text = text,
                                   .map = STR("experimental"),
                                   .name = STR("enableAgents"),
                                   .value = enable ? STR("true") : STR("false"),
                                   .replace = true };

    return json_edit_put(mem, &put, how, out, e);
}
