/* test_include.c - files put into files, and the rules and instructions of a project. */
#include "config/markdown_include.h"
#include "config/prompt_files.h"
#include "place.h"

struct world {
    struct place f;
    struct limits limits;
    struct notes notes;
};

static void world_init(struct world *w)
{
    *w = (struct world){ 0 };
    w->f = place_new();
    limits_preset(&w->limits);
}

static void world_fini(struct world *w)
{
    place_fini(&w->f);
}

#define AUTO_WORLD __attribute__((cleanup(world_fini))) struct world

/* The text of a file with its includes, or the error. */
static struct str whole(struct world *w, const char *file)
{
    const struct include_opts opts = { w->f.path, &w->limits };
    struct str text;
    struct err e;

    if (!include_read(&w->f.mem, &opts, file, &text, NULL, &e))
        return arena_str(&w->f.mem, str_of(e.text));
    return text;
}

TEST(a_file_is_put_in_from_beside_or_from_the_root)
{
    AUTO_WORLD w;

    world_init(&w);
    place_write(&w.f, "rules/a.md", "one\n@b.md\n@shared/c.md\nlast\n");
    place_write(&w.f, "rules/b.md", "beside\n@sub/d.md\n");
    place_write(&w.f, "rules/sub/d.md", "deeper");
    place_write(&w.f, "shared/c.md", "\nfrom the root\n\n");
    EQ_S(whole(&w, "rules/a.md"), "one\nbeside\ndeeper\nfrom the root\nlast");
}

TEST(what_only_looks_like_one_stays)
{
    AUTO_WORLD w;
    const char *text = "ask @bob.md about it\n@everyone\n@\n@@a.md\n```\n@not/there.md\n```\nend";

    world_init(&w);
    place_write(&w.f, "a.md", text);
    EQ_S(whole(&w, "a.md"), text);
}

TEST(a_file_that_includes_itself_is_refused)
{
    AUTO_WORLD w;

    world_init(&w);
    place_write(&w.f, "a.md", "\n\n@b.md\n");
    place_write(&w.f, "b.md", "x\n@c.md\n");
    place_link(&w.f, "c.md", "a.md"); /* the same file by another name */
    HAS_S(whole(&w, "a.md"), "b.md:2: @c.md: this file includes itself");
}

TEST(the_same_file_twice_is_no_cycle)
{
    AUTO_WORLD w;

    world_init(&w);
    place_write(&w.f, "a.md", "@b.md\n@b.md\n");
    place_write(&w.f, "b.md", "b");
    EQ_S(whole(&w, "a.md"), "b\nb");
}

TEST(too_deep_is_refused)
{
    AUTO_WORLD w;

    world_init(&w);
    w.limits.include_depth = 2;
    place_write(&w.f, "a.md", "@b.md");
    place_write(&w.f, "b.md", "@c.md");
    place_write(&w.f, "c.md", "c");
    EQ_S(whole(&w, "a.md"), "c");
    place_write(&w.f, "c.md", "@d.md");
    place_write(&w.f, "d.md", "d");
    HAS_S(whole(&w, "a.md"), "c.md:1: @d.md: includes are nested more than 2 levels deep");
}

TEST(nothing_outside_the_root_is_put_in)
{
    static const char *const outside[] = { "@../secret.md", "@/etc/passwd", "@link.md",
                                           "@folder/passwd", "@sub/../../secret.md" };
    AUTO_WORLD w;
    struct include_opts opts = { .limits = &w.limits };
    struct str text;
    struct err e;

    world_init(&w);
    place_write(&w.f, "secret.md", "secret");
    place_write(&w.f, "root/sub/x.md", "x");
    place_link(&w.f, "root/link.md", place_file(&w.f, "secret.md"));
    place_link(&w.f, "root/folder", "/etc");
    opts.root = place_file(&w.f, "root");
    for (size_t i = 0; i < ARRAY_LEN(outside); i++) {
        place_write(&w.f, "root/a.md", outside[i]);
        OK(!include_read(&w.f.mem, &opts, "a.md", &text, NULL, &e));
        HAS_S(str_of(e.text), "is outside");
    }
    place_write(&w.f, "root/a.md", "@sub/../sub/x.md"); /* climbs, and stays inside */
    OK(include_read(&w.f.mem, &opts, "a.md", &text, NULL, &e));
    EQ_S(text, "x");
}

TEST(what_cannot_be_read_is_said)
{
    AUTO_WORLD w;

    world_init(&w);
    place_write(&w.f, "a.md", "x\n@not/there.md");
    HAS_S(whole(&w, "a.md"), "a.md:2: @not/there.md: open not/there.md");
    place_write(&w.f, "a.md", "@b.md");
    place_write(&w.f, "b.md", "\xff");
    HAS_S(whole(&w, "a.md"), "a.md:1: @b.md: not UTF-8");
    place_write(&w.f, "a.md", "@sub/.");
    place_write(&w.f, "sub/x", "");
    HAS_S(whole(&w, "a.md"), "is not a regular file");
}

TEST(all_together_has_a_limit)
{
    AUTO_WORLD w;

    world_init(&w);
    w.limits.prompt_bytes = 1024;
    place_write(&w.f, "a.md", "@b.md\n@b.md\n@b.md");
    place_write(&w.f, "b.md", arena_printf(&w.f.mem, "%0400d", 1).p);
    HAS_S(whole(&w, "a.md"), "b.md:1: with its includes the text is longer than 1024 bytes");
}

/* ---- the files of a project --------------------------------------------------------------- */

static struct str prompt(struct world *w, const char *provider)
{
    const struct agent_def def = { .name = "a", .persona = STR("You.") };
    const struct prompt_opts opts = { .root = w->f.path,
                                      .limits = &w->limits,
                                      .provider = str_of(provider) };

    return prompt_of_agent(&w->f.mem, &opts, &def, &w->notes);
}

/* Without its end, which says where the agent works. */
static struct str of_files(struct world *w, const char *provider)
{
    struct str all = prompt(w, provider);
    ptrdiff_t end = str_find(all, STR("\n\n# Where you work\n\nThe root folder is /"));

    OK(end >= 0);
    return str_head(all, end < 0 ? all.n : (size_t)end);
}

static void fill(struct world *w)
{
    place_write(&w->f, "AGENTS.md", "agents");
    place_write(&w->f, ".claude/CLAUDE.md", "claude");
    place_write(&w->f, ".claude/rules/b.md", "claude b\n@part.txt");
    place_write(&w->f, ".claude/rules/a.md", "claude a");
    place_write(&w->f, ".claude/rules/part.txt", "part");
    place_write(&w->f, ".gemini/SYSTEM.md", "gemini");
    place_write(&w->f, ".gemini/rules/g.md", "gemini g");
    place_link(&w->f, "GEMINI.md", "AGENTS.md");
}

TEST(a_claude_model_reads_the_files_for_claude)
{
    AUTO_WORLD w;

    world_init(&w);
    fill(&w);
    EQ_S(of_files(&w, "anthropic"),
         "You.\n\n# Rules\n\n## .claude/rules/a.md\n\nclaude a\n\n## .claude/rules/b.md\n\n"
         "claude b\npart\n\n# System instructions\n\n## AGENTS.md\n\nagents\n\n"
         "## .claude/CLAUDE.md\n\nclaude");
}

TEST(a_gemini_model_reads_the_files_for_gemini)
{
    AUTO_WORLD w;

    world_init(&w);
    fill(&w);
    EQ_S(of_files(&w, "gemini"), "You.\n\n# Rules\n\n## .gemini/rules/g.md\n\ngemini g\n\n"
                                 "# System instructions\n\n## AGENTS.md\n\nagents\n\n"
                                 "## .gemini/SYSTEM.md\n\ngemini");
}

TEST(any_other_model_reads_all_and_each_once)
{
    AUTO_WORLD w;
    struct str all;

    world_init(&w);
    fill(&w);
    all = prompt(&w, NULL);
    HAS_S(all, "claude a");
    HAS_S(all, "## .gemini/SYSTEM.md\n\ngemini");
    OK(str_find(all, STR("GEMINI.md")) < 0); /* a link to AGENTS.md */
}

TEST(a_file_that_is_wrong_is_left_out_with_a_note)
{
    AUTO_WORLD w;

    world_init(&w);
    place_write(&w.f, "AGENTS.md", "agents");
    place_write(&w.f, ".claude/rules/bad.md", "@not/there.md");
    EQ_S(of_files(&w, NULL), "You.\n\n# System instructions\n\n## AGENTS.md\n\nagents");
    EQ(w.notes.n, 1);
    HAS_S(w.notes.v[0].text, ".claude/rules/bad.md:1: @not/there.md");
    w.limits.prompt_bytes = 1024;
    place_write(&w.f, "AGENTS.md", arena_printf(&w.f.mem, "%01020d", 1).p);
    EQ(prompt(&w, NULL).n, 1024);
    HAS_S(w.notes.v[w.notes.n - 1].text, "is truncated at 1024 bytes");
}

TEST_MAIN()
