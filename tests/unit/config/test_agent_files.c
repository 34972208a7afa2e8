/* test_agents.c - every shape of a definition, who hides whom, and what is refused where. */
#include "base/toml/toml.h"
#include "config/agent_files.h"
#include "config/skill_files.h"
#include "place.h"

struct world {
    struct place f;
    struct config c;
    struct notes notes;
    struct agent_list list;
};

static void world_init(struct world *w)
{
    *w = (struct world){ 0 };
    w->f = place_new();
    config_preset(&w->c);
}

static void world_fini(struct world *w)
{
    place_fini(&w->f);
}

#define AUTO_WORLD __attribute__((cleanup(world_fini))) struct world

static void toml_agents(struct world *w, const char *text)
{
    struct json root;
    struct err e;

    OK(toml_read(&w->f.mem, str_of(text), "trefoil.toml", 16, &root, &e));
    w->c.agents = json_get(root, STR("agents"));
}

static void load(struct world *w)
{
    w->notes = (struct notes){ 0 };
    agents_load(&w->f.mem, w->f.path, &w->c, &w->notes, &w->list);
}

static const struct agent_entry *entry(struct world *w, const char *name)
{
    static const struct agent_entry none;

    for (size_t i = 0; i < w->list.n; i++)
        if (str_eq(str_of(w->list.v[i].def.name), str_of(name)))
            return &w->list.v[i];
    TAP_NOT("no agent %s", name);
    return &none;
}

static bool noted(const struct world *w, enum log_level level, const char *part)
{
    for (size_t i = 0; i < w->notes.n; i++)
        if (w->notes.v[i].level == level && str_find(w->notes.v[i].text, str_of(part)) >= 0)
            return true;
    return false;
}

/* One agent of our own with this head; its error, or "". */
static const char *error_of(struct world *w, const char *head)
{
    place_write(&w->f, ".trefoil/agents/x.md",
                arena_printf(&w->f.mem, "---\n%s\n---\nYou.\n", head).p);
    load(w);
    return w->list.n == 1 ? (w->list.v[0].bad ? w->list.v[0].bad : "") : "not one agent";
}

TEST(markdown_with_every_key)
{
    AUTO_WORLD w;
    const struct agent_def *d;

    world_init(&w);
    place_write(&w.f, ".trefoil/agents/x.md",
                "---\n"
                "name: reviewer\n"
                "description: \"Reads: a change\"\n"
                "tier: HIGH\nmodel: sonnet\nprovider: anthropic\nfallback_model: haiku\n"
                "mode: read-only\n"
                "tools: Read, Bash(git diff:*, x), grep\n"
                "disallowed_tools:\n  - WebFetch\n"
                "max_turns: 12\nbudget: 1.5\neffort: high\noutput_format: json\n"
                "include_dirs: [docs, src/lib]\nfolder: src\n"
                "mcp:\n  expose_tools: [file_read]\n  private_tools: []\n"
                "---\n\nYou review.\n\nKindly.\n");
    load(&w);
    EQ(w.list.n, 1);
    EQ(w.notes.n, 1); /* its pattern of a command needs trust */
    EQ_STR(entry(&w, "reviewer")->loosens, "allowed_tools Bash(git diff:*, x)");
    d = &entry(&w, "reviewer")->def;
    OK(!d->trusted);
    EQ_S(d->description, "Reads: a change");
    EQ_S(d->persona, "You review.\n\nKindly.");
    EQ(d->tier, TIER_HIGH);
    EQ(agent_def_tier(d), TIER_MEDIUM);
    EQ_S(d->fallback_model, "haiku");
    EQ(d->mode, AGENT_READ_ONLY);
    EQ(d->allowed.n, 3);
    EQ_S(d->allowed.v[1], "Bash(git diff:*, x)");
    EQ(d->disallowed.n, 1);
    EQ(d->max_turns, 12);
    OK(d->budget_usd > 1.4 && d->budget_usd < 1.6);
    EQ_S(d->effort, "high");
    EQ_S(d->output_format, "json");
    EQ(d->include_dirs.n, 2);
    EQ_STR(d->folder, "src");
    EQ(d->expose.n, 1);
    OK(d->hidden.set && d->hidden.n == 0);
    EQ_STR(d->origin, ".trefoil/agents/x.md:1");
}

TEST(the_name_is_that_of_the_file_when_nothing_else_is_said)
{
    AUTO_WORLD w;
    const struct agent_def *d;

    world_init(&w);
    place_write(&w.f, ".trefoil/agents/plain.md", "You are plain.");
    place_write(&w.f, ".trefoil/agents/notes.txt", "not an agent");
    load(&w);
    EQ(w.list.n, 1);
    d = &entry(&w, "plain")->def;
    EQ_S(d->persona, "You are plain.");
    OK(!d->allowed.set && !d->disallowed.set);
    EQ(d->mode, AGENT_READ_WRITE);
    EQ(d->tier, TIER_NONE);
}

TEST(lists_of_tools_keep_their_three_states)
{
    AUTO_WORLD w;

    world_init(&w);
    EQ_STR(error_of(&w, "tools: []"), "");
    OK(w.list.v[0].def.allowed.set && w.list.v[0].def.allowed.n == 0);
    EQ_STR(error_of(&w, "tools:"), "");
    OK(!w.list.v[0].def.allowed.set);
    EQ_STR(error_of(&w, "allowed_tools: [a, b]"), "");
    EQ(w.list.v[0].def.allowed.n, 2);
}

TEST(what_is_wrong_is_said_with_file_and_line)
{
    static const struct {
        const char *head, *why;
    } rows[] = {
        { "name: a\nfrob: 1", ".trefoil/agents/x.md:3:1: frob: unknown key" },
        { "name: a b", "x.md:2:7: name: the name of an agent has" },
        { "name: 7", "x.md:2:7: name: " },
        { "mode: readonly", "x.md:2:7: mode: expected read-write or read-only" },
        { "tier: huge", "tier: expected low, medium or high" },
        { "model: two words", "model: expected one word" },
        { "effort: lots", "effort: expected none, low, medium, high, max" },
        { "output_format: xml", "expected text, json, stream-json" },
        { "approval_mode: never", "expected default, auto_edit, yolo, plan" },
        { "max_turns: 0", "x.md:2:12: max_turns" },
        { "max_turns: many", "max_turns" },
        { "budget: 0", "budget: expected a number above 0" },
        { "budget: -1", "budget: expected" },
        { "budget: 2e6", "budget: expected" },
        { "tools: [a, 1]", "tools[1]: expected a string" },
        { "tools: {a: b}", "expected a list of strings" },
        { "tools: Bash(git", "without a closing bracket" },
        { "tools: [a]\nallowed_tools: [b]", "mean the same" },
        { "include_dirs: ../up", "expected a path of a folder below the root" },
        { "include_dirs: [/etc]", "expected a path of a folder below the root" },
        { "folder: a/../../b", "expected a path of a folder below the root" },
        { "name: a: b", "x.md:2:8: not YAML" },
        { "name: &x a", "anchors and tags" },
        { "- a", "must be lines of `key: value`" },
        { "name: a\nname: b", "x.md:3:1:" },
        { "persona: x", "or by the text below" },
    };
    AUTO_WORLD w;

    world_init(&w);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        HAS_S(str_of(error_of(&w, rows[i].head)), rows[i].why);
        OK(noted(&w, LOG_WARN, "this agent is skipped"));
    }
}

TEST(a_bad_definition_leaves_the_others_alone)
{
    AUTO_WORLD w;
    const struct agent_def *d;
    struct err e;

    world_init(&w);
    place_write(&w.f, ".trefoil/agents/bad.md", "---\nfrob: 1\n---\n");
    place_write(&w.f, ".trefoil/agents/open.md", "---\nname: open\n");
    place_write(&w.f, ".trefoil/agents/good.md", "You.");
    place_write(&w.f, ".claude/agents/bad.md", "---\nname: bad\n---\nWeaker, and allowed more.");
    toml_agents(&w, "[[agents]]\nname='t1'\n[[agents]]\nname='t2'\ntier='x'\n[[agents]]\n");
    load(&w);
    OK(agents_find(&w.list, STR("good"), &d, &e));
    OK(agents_find(&w.list, STR("t1"), &d, &e));
    OK(!agents_find(&w.list, STR("open"), &d, &e));
    HAS_S(str_of(e.text), "open.md:1:1: the front matter is not closed");
    OK(!agents_find(&w.list, STR("t2"), &d, &e));
    HAS_S(str_of(e.text), "trefoil.toml:5:");
    OK(noted(&w, LOG_WARN, "trefoil.toml:6:1: agents[2]: an agent needs a name"));
    OK(!agents_find(&w.list, STR("bad"), &d, &e)); /* nothing weaker stands in for it */
    EQ(e.code, ERR_INVALID);
    OK(!agents_find(&w.list, STR("nobody"), &d, &e));
    EQ(e.code, ERR_NOT_FOUND);
}

TEST(the_strongest_of_one_name_counts)
{
    static const struct {
        const char *file, *text;
    } files[] = {
        { ".vaultspec/agents/a.md", "---\ndescription: vaultspec\n---\n" },
        { ".claude/agents/a.md", "---\ndescription: claude\n---\n" },
        { "agents/a/agent.json", "{\"description\": \"json\"}" },
        { NULL, "[[agents]]\nname = 'a'\ndescription = 'toml'\n" },
        { ".trefoil/agents/a.md", "---\ndescription: own\n---\n" },
    };
    static const char *const wins[] = { "vaultspec", "claude", "json", "toml", "own" };
    AUTO_WORLD w;

    world_init(&w);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        if (files[i].file)
            place_write(&w.f, files[i].file, files[i].text);
        else
            toml_agents(&w, files[i].text);
        load(&w);
        EQ(w.list.n, 1);
        EQ_S(entry(&w, "a")->def.description, wins[i]);
        OK(i == 0 || noted(&w, LOG_DEBUG, "is overridden by"));
    }
}

TEST(two_of_one_name_at_one_level_are_an_error_that_names_both)
{
    AUTO_WORLD w;

    world_init(&w);
    place_write(&w.f, ".trefoil/agents/one.md", "---\nname: same\n---\n");
    place_write(&w.f, ".trefoil/agents/two.md", "---\nname: same\n---\n");
    load(&w);
    EQ(w.list.n, 1);
    HAS_S(str_of(entry(&w, "same")->bad), ".trefoil/agents/one.md:1");
    HAS_S(str_of(entry(&w, "same")->bad), ".trefoil/agents/two.md:1");
}

TEST(agent_json_has_comments_and_is_called_by_its_folder)
{
    AUTO_WORLD w;
    const struct agent_def *d;

    world_init(&w);
    place_write(&w.f, "agents/coder/agent.json",
                "{ // a remark\n\"name\": \"The Coder\", \"persona\": \"@agents/coder/me.md\",\n"
                "\"mcp\": {\"expose_tools\": [\"git:status\"], \"private_tools\": [\"x\"],},\n"
                "\"color\": 1}");
    place_write(&w.f, "agents/coder/me.md", "I code.");
    place_write(&w.f, "agents/nothing/readme", "");
    place_write(&w.f, "agents/file.txt", "");
    load(&w);
    EQ(w.list.n, 1);
    d = &entry(&w, "coder")->def;
    EQ_STR(d->title, "The Coder");
    EQ_S(d->persona, "I code.");
    EQ_S(d->expose.v[0], "git:status");
    EQ_S(d->hidden.v[0], "x");
    OK(noted(&w, LOG_INFO, "agents/coder/agent.json:4:1: the key color is not used"));
}

TEST(front_matter_of_others_that_is_no_yaml_is_read_line_by_line)
{
    AUTO_WORLD w;
    const struct agent_def *d;

    world_init(&w);
    place_write(&w.f, ".claude/agents/r.md",
                "---\nname: r\n"
                "description: Use when: x. Examples: <example>Context: \"y\"</example>\n"
                "  and more: of it\n"
                "tools: Read, Grep\n"
                "disallowed_tools:\n  - Bash\n  - \"Write\"\n"
                "model: \"opus\"\nmax_turns: 5\ncolor: red\n"
                "---\nYou.\n");
    place_write(&w.f, ".claude/agents/README.md", "# Not an agent\n");
    load(&w);
    EQ(w.list.n, 1);
    d = &entry(&w, "r")->def;
    EQ_S(d->description,
         "Use when: x. Examples: <example>Context: \"y\"</example>\nand more: of it");
    EQ(d->allowed.n, 2);
    EQ(d->disallowed.n, 2);
    EQ_S(d->disallowed.v[1], "Write");
    EQ_S(d->model, "opus");
    EQ(d->max_turns, 5);
    EQ_S(d->persona, "You.");
    OK(noted(&w, LOG_WARN, ".claude/agents/r.md:3:"));
    OK(noted(&w, LOG_WARN, "read line by line instead"));
    OK(noted(&w, LOG_INFO, "r.md:11:1: the key color is not used"));
}

TEST(examples_in_a_description_are_text_and_not_keys)
{
    AUTO_WORLD w;
    const struct agent_def *d;

    world_init(&w);
    place_write(&w.f, ".claude/agents/r.md",
                "---\nname: r\ndescription: Use it: so. Examples:\n<example>\nuser: \"hi\"\n"
                "model: none\n</example>\n<example>\nuser: \"ho\"\n</example>\nmodel: haiku\n"
                "name: not this\n---\nYou.\n");
    load(&w);
    EQ(w.list.n, 1);
    d = &entry(&w, "r")->def;
    EQ_S(d->description, "Use it: so. Examples:\n<example>\nuser: \"hi\"\nmodel: none\n"
                         "</example>\n<example>\nuser: \"ho\"\n</example>");
    EQ_S(d->model, "haiku");
    OK(!entry(&w, "r")->bad);
}

TEST(a_provider_that_cannot_do_something_is_warned_of)
{
    AUTO_WORLD w;

    world_init(&w);
    EQ_STR(error_of(&w, "provider: claude\napproval_mode: yolo"), "");
    OK(noted(&w, LOG_WARN, "approval_mode is ignored"));
    EQ_STR(error_of(&w, "provider: gemini-cli\nmax_turns: 3\neffort: low"), "");
    OK(noted(&w, LOG_WARN, "max_turns is ignored"));
    OK(noted(&w, LOG_WARN, "effort is ignored"));
    EQ_STR(error_of(&w, "provider: gemini-cli\napproval_mode: auto_edit"), "");
    EQ(w.notes.n, 0);
}

TEST(folders_that_lead_out_of_the_root_are_refused)
{
    AUTO_WORLD w;

    world_init(&w);
    place_link(&w.f, "out", "/etc");
    place_link(&w.f, "in", ".");
    HAS_S(str_of(error_of(&w, "include_dirs: out")), "is outside the root");
    EQ_STR(error_of(&w, "include_dirs: in"), "");
}

TEST(definitions_outside_the_root_are_not_read)
{
    AUTO_WORLD w;

    world_init(&w);
    place_link(&w.f, ".claude/agents", "/etc");
    place_link(&w.f, ".trefoil/agents/passwd.md", "/etc/passwd");
    load(&w);
    EQ(w.list.n, 1);
    HAS_S(str_of(entry(&w, "passwd")->bad), "is outside");
    OK(noted(&w, LOG_WARN, ".claude/agents is outside"));
}

TEST(front_matter_and_persona_and_folders_have_limits)
{
    AUTO_WORLD w;

    world_init(&w);
    w.c.limits.front_matter_bytes = 256;
    HAS_S(str_of(error_of(&w, arena_printf(&w.f.mem, "description: %0300d", 1).p)),
          "the front matter has 314 bytes; at most 256");
    w.c.limits.prompt_bytes = 1024;
    place_write(&w.f, ".trefoil/agents/x.md", arena_printf(&w.f.mem, "%01100d", 1).p);
    load(&w);
    HAS_S(str_of(entry(&w, "x")->bad), "at most 1024");
    w.c.limits.agent_files = 1;
    place_write(&w.f, ".trefoil/agents/y.md", "You.");
    load(&w);
    EQ(w.list.n, 0);
    OK(noted(&w, LOG_WARN, "more than 1 files; its agents are skipped"));
}

TEST(skills_are_listed_with_what_they_are_for)
{
    AUTO_WORLD w;
    struct skill_list skills;

    world_init(&w);
    place_write(&w.f, ".claude/skills/pdf/SKILL.md",
                "---\nname: pdf\ndescription: Reads: PDF files\nlicense: x\n---\nUse pdftotext.\n");
    place_write(&w.f, ".claude/skills/mute/SKILL.md", "Says not what it is for.");
    place_write(&w.f, ".claude/skills/empty/other.md", "");
    place_write(&w.f, ".claude/skills/build/SKILL.md", "---\ndescription: theirs\n---\n");
    place_write(&w.f, ".trefoil/skills/build/SKILL.md",
                "---\ndescription: ours\n---\nRun make.\n@more.md\n");
    place_write(&w.f, ".trefoil/skills/build/more.md", "And test.");
    skills_load(&w.f.mem, w.f.path, &w.c.limits, &w.notes, &skills);
    EQ(skills.n, 2);
    EQ_STR(skills.v[0].name, "build");
    EQ_S(skills.v[0].description, "ours");
    EQ_S(skills.v[0].body, "Run make.\nAnd test.");
    EQ_S(skills_find(&skills, STR("pdf"))->description, "Reads: PDF files");
    OK(!skills_find(&skills, STR("mute")));
    OK(noted(&w, LOG_WARN, "mute/SKILL.md:1: a skill needs a description"));
}

TEST_MAIN()
