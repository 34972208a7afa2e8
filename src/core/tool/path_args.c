#include "core/tool/path_args.h"

#include "core/tool/path_below.h"

/* The arguments of writing tools that are paths, of our tools and of the tools that they
 * replace. */
static const struct str names[] = {
    STR("path"), STR("file_path"), STR("notebook_path"), STR("from"), STR("to"),
};

bool path_args(struct arena *mem, const struct host *host, struct json args, struct pick_strs *out)
{
    bool all = true;

    *out = (struct pick_strs){ ARENA_ARRAY(mem, struct str, ARRAY_LEN(names)), 0, true };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct json at = json_get(args, names[i]);
        struct str below;

        if (!json_here(at))
            continue;
        if (json_type(at) == JSON_STRING &&
            path_below(mem, host->root, host->cwd, json_str(mem, at), &below))
            out->v[out->n++] = below;
        else
            all = false;
    }
    return all;
}
