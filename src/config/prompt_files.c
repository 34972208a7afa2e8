#include "config/prompt_files.h"

#include "config/markdown_include.h"
#include "loop/file.h"

enum prompt_family { FOR_ALL, FOR_CLAUDE, FOR_GEMINI };

/* Folders with rules, then files with instructions. */
enum { RULE_FOLDERS = 3, INSTRUCTION_FILES = 5, PROMPT_PATHS = RULE_FOLDERS + INSTRUCTION_FILES };

static const char *const prompt_path[PROMPT_PATHS] = {
    ".trefoil/rules",    ".claude/rules", ".gemini/rules",     "AGENTS.md",
    ".claude/CLAUDE.md", "CLAUDE.md",     ".gemini/SYSTEM.md", "GEMINI.md",
};

static const enum prompt_family prompt_path_family[PROMPT_PATHS] = {
    FOR_ALL, FOR_CLAUDE, FOR_GEMINI, FOR_ALL, FOR_CLAUDE, FOR_CLAUDE, FOR_GEMINI, FOR_GEMINI,
};

/* The parts read so far, and which files they are. */
struct prompt_file_parts {
    struct prompt_part *v;
    struct file_id *id;
    size_t n;
};

struct prompt_loading {
    struct arena *mem;
    struct include_opts opts;
    struct notes *notes;
    enum prompt_family family; /* FOR_ALL: any */
};

static enum prompt_family family_of(struct str provider)
{
    if (str_eq(provider, STR("anthropic")) || str_eq(provider, STR("claude")))
        return FOR_CLAUDE;
    if (str_eq(provider, STR("gemini")) || str_eq(provider, STR("gemini-cli")))
        return FOR_GEMINI;
    return FOR_ALL;
}

static bool prompt_files_wanted(const struct prompt_loading *l, enum prompt_family family)
{
    return family == FOR_ALL || l->family == FOR_ALL || family == l->family;
}

static bool have(const struct prompt_file_parts *p, struct file_id id)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->id[i].device == id.device && p->id[i].inode == id.inode)
            return true;
    return false;
}

static void prompt_files_add(struct prompt_loading *l, struct prompt_file_parts *p,
                             const char *file)
{
    struct file_id id;
    struct str text;
    struct err e;

    if (!include_read(l->mem, &l->opts, file, &text, &id, &e)) {
        if (e.code != ERR_NOT_FOUND)
            note(l->mem, l->notes, LOG_WARN, "%s; this file is skipped", e.text);
        return;
    }
    if (have(p, id))
        return;
    p->v = arena_grow(l->mem, p->v, p->n * sizeof(*p->v), (p->n + 1) * sizeof(*p->v));
    p->id = arena_grow(l->mem, p->id, p->n * sizeof(*p->id), (p->n + 1) * sizeof(*p->id));
    p->v[p->n] = (struct prompt_part){ file, text };
    p->id[p->n++] = id;
}

static void add_folder(struct prompt_loading *l, struct prompt_file_parts *p, const char *folder)
{
    struct file_names names = { 0 };
    struct err e;

    if (!file_list_beneath(l->mem, l->opts.root, folder, (size_t)l->opts.limits->agent_files,
                           &names, &e)) {
        if (e.code != ERR_NOT_FOUND)
            note(l->mem, l->notes, LOG_WARN, "%s; its rules are skipped", e.text);
        return;
    }
    for (size_t i = 0; i < names.n; i++)
        if (str_ends(str_of(names.v[i]), STR(".md")))
            prompt_files_add(l, p, arena_printf(l->mem, "%s/%s", folder, names.v[i]).p);
}

void prompt_files_load(struct arena *mem, const char *root, const struct limits *limits,
                       struct str provider, struct notes *notes, struct prompt_parts *out)
{
    struct prompt_loading l = { mem, { root, limits }, notes, family_of(provider) };
    struct prompt_file_parts rules = { 0 }, instructions = { 0 };
    bool missing[PROMPT_PATHS]; /* usually nearly all: this runs for each task */

    file_find_missing(root, prompt_path, PROMPT_PATHS, missing);
    for (size_t i = 0; i < PROMPT_PATHS; i++) {
        if (missing[i] || !prompt_files_wanted(&l, prompt_path_family[i]))
            continue;
        if (i < RULE_FOLDERS)
            add_folder(&l, &rules, prompt_path[i]);
        else
            prompt_files_add(&l, &instructions, prompt_path[i]);
    }
    *out = (struct prompt_parts){ .rule = rules.v,
                                  .rules = rules.n,
                                  .instruction = instructions.v,
                                  .instructions = instructions.n };
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bool only_reads(const struct agent_def *def)
{
    return agent_def_mode(def) == AGENT_READ_ONLY;
}

static struct str place_of_agent(struct arena *mem, const char *root, const struct agent_def *def)
{
    static const char reads[] =
        "You are in read-only mode: you may read files, but change nothing outside of .vault/.",
                      writes[] = "You are in read-write mode: you may change files and run "
                                 "commands, within your permissions.";

    return arena_printf(mem,
                        "The root folder is %s; you can access the files in it. Relative paths "
                        "start at your working folder, %s%s%s unless you are told otherwise. %s",
                        root, root, def->folder ? "/" : "", def->folder ? def->folder : "",
                        only_reads(def) ? reads : writes);
}

struct str prompt_of_agent(struct arena *mem, const struct prompt_opts *o,
                           const struct agent_def *def, struct notes *notes)
{
    struct prompt_parts parts;
    struct str prompt;
    bool cut;

    prompt_files_load(mem, o->root, o->limits, o->provider, notes, &parts);
    parts.persona = def->persona;
    parts.skills = skills_lines(mem, o->skills, (size_t)o->limits->skill_list_bytes);
    parts.place = place_of_agent(mem, o->root, def);
    prompt = prompt_compose(mem, &parts, (size_t)o->limits->prompt_bytes, &cut);
    if (cut)
        note(mem, notes, LOG_WARN,
             "the system prompt of %s is truncated at %lld bytes (prompt_bytes)", def->name,
             (long long)o->limits->prompt_bytes);
    return prompt;
}
