#include "config/skill_files.h"

#include "base/pick.h"
#include "config/front_matter.h"
#include "config/markdown_include.h"
#include "core/agent/agent_def.h"
#include "loop/file.h"

#include <stdlib.h>

static const struct {
    const char *folder;
    bool foreign;
} places[] = {
    { ".trefoil/skills", false },
    { ".claude/skills", true },
};

struct head {
    struct str name, description;
};

/* Files of skills carry keys of many programs; we need these two. */
static const struct pick fields[] = {
    PICK_FIELD("name", PICK_STR, struct head, name, 0),
    PICK_FIELD("description", PICK_STR, struct head, description, 0),
};

struct skill_loading {
    struct arena *mem;
    struct include_opts opts;
    struct notes *notes;
    struct skill_list *list;
};

static bool read_head(struct skill_loading *l, const char *path, bool foreign, struct file_id *id,
                      struct head *head, struct front_matter *fm, struct err *e)
{
    const struct limits *limits = l->opts.limits;
    const struct front_opts opts = { path, limits, foreign, l->notes };
    size_t max = (size_t)(limits->prompt_bytes + limits->front_matter_bytes);
    struct str text;

    if (!file_read_beneath(l->mem, l->opts.root, path, max, &text, id, e) ||
        !front_matter_read(l->mem, text, &opts, fm, e))
        return false;
    if (json_here(fm->head) && !pick(l->mem, fm->head, PICK_TABLE(fields), PICK_LENIENT, head, e))
        return false;
    if (!head->description.n)
        return fail(e, ERR_INVALID, "%s:1: a skill needs a description; agents choose skills by it",
                    path);
    return true;
}

static bool read_skill(struct skill_loading *l, const char *folder, const char *name, bool foreign,
                       struct skill *out, struct err *e)
{
    const char *path = arena_printf(l->mem, "%s/%s/SKILL.md", folder, name).p;
    struct head head = { .name = str_of(name) };
    struct front_matter fm;
    struct file_id id;

    if (!read_head(l, path, foreign, &id, &head, &fm, e))
        return false;
    if (!agent_name_valid(head.name))
        return fail(e, ERR_INVALID,
                    "%s:1: the name of a skill has 1 to %d characters of A-Z a-z 0-9 _ - .", path,
                    AGENT_NAME_MOST);
    *out = (struct skill){ .name = arena_cstr(l->mem, head.name),
                           .description = head.description,
                           .origin = path };
    return include_resolve(l->mem, &l->opts, path, &id, fm.line, fm.body, &out->body, e);
}

static void skill_files_add(struct skill_loading *l, const struct skill *s)
{
    struct skill_list *list = l->list;
    const struct skill *old = skills_find(list, str_of(s->name));

    if (old) {
        note(l->mem, l->notes, LOG_DEBUG, "the skill %s in %s is overridden by %s", s->name,
             s->origin, old->origin);
        return;
    }
    list->v =
        arena_grow(l->mem, list->v, list->n * sizeof(*list->v), (list->n + 1) * sizeof(*list->v));
    list->v[list->n++] = *s;
}

static void read_place(struct skill_loading *l, const char *folder, bool foreign)
{
    struct file_names names = { 0 };
    struct err e;

    if (!file_list_beneath(l->mem, l->opts.root, folder, (size_t)l->opts.limits->agent_files,
                           &names, &e)) {
        if (e.code != ERR_NOT_FOUND)
            note(l->mem, l->notes, LOG_WARN, "%s; its skills are skipped", e.text);
        return;
    }
    for (size_t i = 0; i < names.n; i++) {
        struct skill s;

        if (read_skill(l, folder, names.v[i], foreign, &s, &e))
            skill_files_add(l, &s);
        else if (e.code != ERR_NOT_FOUND)
            note(l->mem, l->notes, LOG_WARN, "%s; this skill is skipped", e.text);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct skill *)a)->name, ((const struct skill *)b)->name);
}

void skills_load(struct arena *mem, const char *root, const struct limits *limits,
                 struct notes *notes, struct skill_list *out)
{
    struct skill_loading l = { mem, { root, limits }, notes, out };

    *out = (struct skill_list){ 0 };
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        read_place(&l, places[i].folder, places[i].foreign);
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_name);
}

struct file_watch_path *skills_places(struct arena *mem, const char *root, size_t *out_n)
{
    struct file_watch_path *p = ARENA_ARRAY(mem, struct file_watch_path, ARRAY_LEN(places));

    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        p[i] = (struct file_watch_path){
            .path = arena_printf(mem, "%s/%s", root, places[i].folder).p,
            .depth = 2,
        };
    *out_n = ARRAY_LEN(places);
    return p;
}
