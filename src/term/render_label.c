/* render_label.c - the text after the name of a tool: the file, the command, the pattern, ... */
#include "base/auto.h"
#include "base/display.h"
#include "base/utf8.h"
#include "term/render.h"

enum { ABOUT_MOST = 80, ARGS_MOST = 64 << 10, ARGS_VALUES = 1000, ARGS_DEPTH = 64 };

static struct str below(struct str path, const char *root)
{
    struct str folder = str_of(root);

    if (folder.n && str_starts(path, folder) && path.n > folder.n + 1 && path.p[folder.n] == '/')
        return str_skip(path, folder.n + 1);
    return path;
}

/* argv as somebody would type it. */
static struct str joined(struct arena *mem, struct json words)
{
    struct buf out;

    buf_init_in(&out, mem, ARGS_MOST);
    JSON_EACH(word, words)
    {
        if (out.n)
            buf_putc(&out, ' ');
        buf_put(&out, json_str(mem, word));
    }
    return buf_str(&out);
}

static struct str words_of(struct arena *mem, struct json value)
{
    return json_type(value) == JSON_ARRAY ? joined(mem, value) : json_str(mem, value);
}

/* The first member that is a word, or several: most tools are about that one. */
static struct str first_word(struct arena *mem, struct str args)
{
    struct json_opts opts = { .max_depth = ARGS_DEPTH, .max_values = ARGS_VALUES };
    struct json object;
    struct err e;

    if (!args.n || args.n > ARGS_MOST || !json_read(mem, args, &opts, &object, &e))
        return STR_NONE;
    if (json_type(object) != JSON_OBJECT)
        return STR_NONE;
    JSON_MEMBERS(key, object)
    {
        struct str words = words_of(mem, json_value(key));

        if (words.n)
            return names_secret(json_str(mem, key)) ? STR("***") : words;
    }
    return STR_NONE;
}

void render_tool_label(struct buf *out, struct str name, struct str path, struct str args,
                       const char *root)
{
    AUTO_ARENA mem = { 0 };
    struct str about = path.n ? below(path, root) : first_word(&mem, args);
    struct str line = str_trim(about);
    struct str head = utf8_head(str_cut(&line, '\n'), ABOUT_MOST);

    show_text(out, name);
    if (!head.n)
        return;
    buf_putc(out, ' ');
    show_text(out, head);
    if (head.n < str_trim(about).n)
        buf_put(out, STR("..."));
}
