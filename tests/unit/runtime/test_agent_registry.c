/* test_desk.c - agents put together from their files: what they are told, may do, and may reach. */
#include "runtime/agent_registry.h"

#include "base/container.h"
#include "config/agent_files.h"
#include "core/guard/guard.h"
#include "place.h"
#include "runtime/skill_registry.h"
#include "unit/loop/until.h"

#include <fcntl.h>

struct world {
    struct place f;
    struct loop *loop;
    struct arena mem; /* of the configuration */
    struct config c;
    struct guard guard;
    struct skill_registry handle;
    struct offer offer;
    struct models *models;
    struct agent_registry *registry;
    size_t changed;
    bool closed;
};

/* A provider of each kind, with a model for each tier. */
static const char providers[] =
    "[providers.one]\nkind = 'anthropic'\napi_key = 'k'\n"
    "model = 'one-plain'\nlow = 'one-low'\nmedium = 'one-medium'\nhigh = 'one-high'\n"
    "[providers.two]\nkind = 'gemini'\napi_key = 'k'\nmodel = 'two-plain'\nlow = 'two-low'\n"
    "[providers.three]\nkind = 'openai'\napi_key = 'k'\nmodel = 'three-plain'\n"
    "[models]\nprovider = 'one'\n";

static void on_changed(void *ctx)
{
    ((struct world *)ctx)->changed++;
}

static void on_closed(void *ctx)
{
    ((struct world *)ctx)->closed = true;
}

/* Another configuration, in a memory of its own. */
static void configure(struct world *w, const char *more)
{
    const char *file = place_file(&w->f, "home/own.toml");
    const struct root root = { .path = w->f.path };
    struct err e = { 0 };

    place_write(&w->f, "home/own.toml", arena_printf(&w->f.mem, "%s%s", providers, more).p);
    w->mem = (struct arena){ 0 };
    if (!config_load(&w->mem, &root, file, false, &w->c, &e))
        TAP_NOT("%s", e.text);
}

static void world_open(struct world *w, enum loop_clock clock)
{
    *w = (struct world){ 0 };
    w->f = place_new();
    unsetenv("TREFOIL_PROVIDER");
    w->loop = loop_new(clock);
    configure(w, "");
}

/* Files that are there before this are read. */
static void open_registry(struct world *w)
{
    guard_init(&w->guard, &w->c.limits);
    skill_registry_open(&w->handle, w->loop, &w->c.limits, w->f.path);
    offer_init(&w->offer,
               &(struct host){ .loop = w->loop,
                               .limits = &w->c.limits,
                               .root = w->f.path,
                               .root_fd = open(w->f.path, O_PATH | O_DIRECTORY | O_CLOEXEC),
                               .guard = &w->guard,
                               .skills = &w->handle.list },
               1u << OFFER_TOOLS);
    w->models = models_new(w->loop, &w->c);
    w->registry = agent_registry_new(&(struct agent_registry_opts){ .loop = w->loop,
                                                                    .root = w->f.path,
                                                                    .config = &w->c,
                                                                    .models = w->models,
                                                                    .guard = &w->guard,
                                                                    .offer = &w->offer,
                                                                    .on_changed = on_changed,
                                                                    .ctx = w });
}

static void wait_closed(struct world *w)
{
    while (!w->closed)
        loop_run_once(w->loop);
    w->closed = false;
}

static void world_close(struct world *w)
{
    agent_registry_unwatch(w->registry, on_closed, w);
    wait_closed(w);
    agent_registry_free(w->registry);
    models_close(w->models, on_closed, w);
    wait_closed(w);
    close(w->offer.host.root_fd);
    offer_fini(&w->offer);
    skill_registry_fini(&w->handle);
    guard_fini(&w->guard);
    loop_free(w->loop);
    arena_fini(&w->mem);
    place_fini(&w->f);
}

static struct agent *take_as(struct world *w, const char *name, const char *model, struct err *e)
{
    const struct agent_want want = { .name = str_of(name), .model = str_of(model) };
    struct agent_registry_port *registry = agent_registry_port(w->registry);

    return registry->kind->take(registry, &want, e);
}

/* One that must be there. */
static struct agent *take(struct world *w, const char *name)
{
    static struct agent none;
    struct err e = { 0 };
    struct agent *a = take_as(w, name, NULL, &e);

    if (!a)
        TAP_NOT("%s", e.text);
    return a ? a : &none;
}

static void agent(struct world *w, const char *name, const char *head)
{
    place_write(&w->f, arena_printf(&w->f.mem, ".trefoil/agents/%s.md", name).p,
                arena_printf(&w->f.mem, "---\n%s\n---\nYou.\n", head).p);
}

static size_t cards(struct world *w)
{
    size_t n;

    agent_registry_port(w->registry)->kind->cards(agent_registry_port(w->registry), &n);
    return n;
}

/* ---- who there is -------------------------------------------------------------------------- */

TEST(a_default_agent_is_there_without_any_file)
{
    struct world w;
    struct agent *a, *again;

    world_open(&w, LOOP_FAKE_CLOCK);
    open_registry(&w);
    EQ(cards(&w), 0);
    a = take(&w, NULL);
    again = take(&w, "default");
    OK(a->is_default);
    EQ_STR(a->def->name, "default");
    EQ_S(local_agent_of(a)->model.name, "one-plain");
    OK(str_starts(local_agent_of(a)->system, STR("You are an experienced engineer")));
    EQ_S(local_agent_of(a)->system,
         arena_cstr(&w.f.mem, local_agent_of(again)->system)); /* providers cache by bytes */
    agent_drop(a);
    agent_drop(again);
    agent(&w, "default", "tier: high");
    agent_registry_refresh(w.registry, &w.c);
    a = take(&w, NULL);
    OK(!a->is_default);
    EQ_S(local_agent_of(a)->model.name, "one-high");
    agent_drop(a);
    world_close(&w);
}

TEST(who_is_not_there_or_wrong_is_said)
{
    struct world w;
    struct err e;

    world_open(&w, LOOP_FAKE_CLOCK);
    open_registry(&w);
    OK(!take_as(&w, "nobody", NULL, &e));
    EQ(e.code, ERR_NOT_FOUND);
    EQ_STR(e.text, "there is no agent nobody; there is: default");
    agent(&w, "a", "tier: low");
    agent(&w, "b", "tier: high");
    agent(&w, "odd", "tier: huge");
    agent_registry_refresh(w.registry, &w.c);
    EQ(cards(&w), 2);
    OK(!take_as(&w, "nobody", NULL, &e));
    EQ_STR(e.text, "there is no agent nobody; there are: a, b, default");
    OK(!take_as(&w, "odd", NULL, &e));
    EQ(e.code, ERR_INVALID);
    HAS_S(str_of(e.text), "odd.md:2:7: tier");
    agent(&w, "lost", "provider: nowhere");
    agent_registry_refresh(w.registry, &w.c);
    OK(!take_as(&w, "lost", NULL, &e));
    HAS_S(str_of(e.text), "nowhere");
    world_close(&w);
}

TEST(a_card_tells_an_agent_without_making_it)
{
    struct world w;
    const struct agent_card *card;
    size_t n;

    world_open(&w, LOOP_FAKE_CLOCK);
    agent(&w, "x", "name: reviewer\ndescription: Reads\nmodel: opus\nmode: read-only");
    open_registry(&w);
    card = agent_registry_port(w.registry)->kind->cards(agent_registry_port(w.registry), &n);
    EQ(n, 1);
    EQ_STR(card[0].name, "reviewer");
    EQ_S(card[0].description, "Reads");
    EQ_STR(card[0].tier, "high");
    EQ(card[0].mode, AGENT_READ_ONLY);
    world_close(&w);
}

/* ---- what it is told ----------------------------------------------------------------------- */

static void put_project(struct world *w)
{
    place_write(&w->f, "AGENTS.md", "Run make.");
    place_write(&w->f, ".trefoil/rules/b.md", "Be brief.");
    place_write(&w->f, ".trefoil/rules/a.md", "Be kind.\n@more.txt");
    place_write(&w->f, ".trefoil/rules/more.txt", "And fair.");
    place_write(&w->f, ".claude/CLAUDE.md", "For Claude.");
    place_write(&w->f, ".claude/rules/c.md", "A rule for Claude.");
    place_write(&w->f, ".gemini/SYSTEM.md", "For Gemini.");
    place_write(&w->f, ".gemini/rules/g.md", "A rule for Gemini.");
    place_write(&w->f, ".claude/skills/pdf/SKILL.md",
                "---\ndescription: |\n  Reads\n  PDF files\n---\nUse pdftotext.");
}

#define PLACE(root, folder, mode)                                                                  \
    "\n\n# Where you work\n\nThe root folder is %s; you can access the files in it. Relative "     \
    "paths start at your working folder, %s" folder " unless you are told otherwise. " mode,       \
        root, root

TEST(an_agent_is_told_its_persona_rules_instructions_skills_and_place)
{
    struct world w;
    struct agent *a;

    world_open(&w, LOOP_FAKE_CLOCK);
    put_project(&w);
    agent(&w, "x", "folder: src\nmode: read-only");
    open_registry(&w);
    a = take(&w, "x");
    EQ_S(local_agent_of(a)->system,
         arena_printf(
             &w.f.mem,
             "You.\n\n# Rules\n\n## .trefoil/rules/a.md\n\nBe kind.\nAnd fair.\n\n"
             "## .trefoil/rules/b.md\n\nBe brief.\n\n"
             "## .claude/rules/c.md\n\nA rule for Claude.\n\n"
             "# System instructions\n\n## AGENTS.md\n\nRun make.\n\n"
             "## .claude/CLAUDE.md\n\nFor Claude.\n\n"
             "# Skills\n\nInstructions for certain kinds of work in this project. If a skill "
             "applies, load it with the tool `skill` before you begin.\n\n"
             "- pdf: Reads PDF files" PLACE(
                 w.f.path, "/src",
                 "You are in read-only mode: you may read files, but change nothing outside of "
                 ".vault/."))
             .p);
    agent_drop(a);
    world_close(&w);
}

TEST(files_for_claude_and_gemini_go_by_the_model_that_was_chosen)
{
    static const struct {
        const char *model;
        bool claude, gemini;
    } rows[] = { { "one/x", true, false }, { "two/low", false, true }, { "three/x", true, true } };
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    put_project(&w);
    agent(&w, "x", "tier: low");
    open_registry(&w);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err e = { 0 };
        struct agent *a = take_as(&w, "x", rows[i].model, &e);

        EQ_STR(e.text, "");
        EQ(str_find(local_agent_of(a)->system, STR("A rule for Claude.")) >= 0, rows[i].claude);
        EQ(str_find(local_agent_of(a)->system, STR("For Gemini.")) >= 0, rows[i].gemini);
        agent_drop(a);
    }
    world_close(&w);
}

TEST(a_list_of_skills_that_is_too_long_is_counted)
{
    struct world w;
    struct agent *a;

    world_open(&w, LOOP_FAKE_CLOCK);
    put_project(&w);
    place_write(&w.f, ".trefoil/skills/a/SKILL.md",
                arena_printf(&w.f.mem, "---\ndescription: %0300d\n---\n", 1).p);
    w.c.limits.skill_list_bytes = 256;
    open_registry(&w);
    a = take(&w, NULL);
    HAS_S(local_agent_of(a)->system, "begin.\n\n- and 2 more\n\n# Where");
    agent_drop(a);
    world_close(&w);
}

/* ---- its model ----------------------------------------------------------------------------- */

TEST(tier_model_and_wish_choose_the_model)
{
    static const struct {
        const char *head, *wish, *model;
    } rows[] = {
        { "tier: low", NULL, "one-low" },      { "tier: high\nmodel: sonnet", NULL, "one-medium" },
        { "model: special", NULL, "special" }, { "provider: two\ntier: low", NULL, "two-low" },
        { "tier: low", "high", "one-high" },   { "tier: low", "two/other", "other" },
    };
    struct world w;
    struct agent *a;

    world_open(&w, LOOP_FAKE_CLOCK);
    open_registry(&w);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err e = { 0 };

        agent(&w, "x", rows[i].head);
        agent_registry_refresh(w.registry, &w.c);
        a = take_as(&w, "x", rows[i].wish, &e);
        EQ_STR(e.text, "");
        EQ_S(local_agent_of(a)->model.name, rows[i].model);
        OK(!local_agent_of(a)->fallback.provider);
        agent_drop(a);
    }
    agent(&w, "x", "tier: high\nfallback_model: haiku");
    agent_registry_refresh(w.registry, &w.c);
    a = take(&w, "x");
    EQ_S(local_agent_of(a)->fallback.name, "one-low");
    agent_drop(a);
    world_close(&w);
}

TEST(effort_is_a_word_of_the_definition_or_a_wish)
{
    static const struct {
        const char *head;
        enum model_effort effort;
    } rows[] = {
        { "tier: low", EFFORT_DEFAULT }, { "effort: none", EFFORT_NONE },
        { "effort: low", EFFORT_LOW },   { "effort: medium", EFFORT_MEDIUM },
        { "effort: high", EFFORT_HIGH }, { "effort: max", EFFORT_HIGH },
    };
    struct agent_want want = { .name = STR("x"), .effort = EFFORT_LOW };
    struct world w;
    struct agent *a;
    struct err e;

    world_open(&w, LOOP_FAKE_CLOCK);
    open_registry(&w);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        agent(&w, "x", rows[i].head);
        agent_registry_refresh(w.registry, &w.c);
        a = take(&w, "x");
        EQ(local_agent_of(a)->effort, rows[i].effort);
        agent_drop(a);
    }
    a = agent_registry_port(w.registry)->kind->take(agent_registry_port(w.registry), &want, &e);
    EQ(local_agent_of(a)->effort, EFFORT_LOW);
    agent_drop(a);
    world_close(&w);
}

/* ---- what it may do ------------------------------------------------------------------------ */

TEST(approval_mode_says_what_is_left_to_a_person)
{
    static const struct {
        const char *head;
        enum guard_permission edit, execute;
        enum agent_mode mode;
    } rows[] = {
        { "tier: low", PERMISSION_UNSET, PERMISSION_UNSET, AGENT_READ_WRITE },
        { "approval_mode: default", PERMISSION_ASK, PERMISSION_ASK, AGENT_READ_WRITE },
        { "approval_mode: auto_edit", PERMISSION_UNSET, PERMISSION_ASK, AGENT_READ_WRITE },
        /* a project's file does not waive what is asked for by default */
        { "approval_mode: yolo", PERMISSION_UNSET, PERMISSION_UNSET, AGENT_READ_WRITE },
        { "approval_mode: plan", PERMISSION_UNSET, PERMISSION_UNSET, AGENT_READ_ONLY },
    };
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    open_registry(&w);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent *a;

        agent(&w, "x", rows[i].head);
        agent_registry_refresh(w.registry, &w.c);
        a = take(&w, "x");
        EQ(a->scope.permission[TOOL_EDIT], rows[i].edit);
        EQ(a->scope.permission[TOOL_EXECUTE], rows[i].execute);
        EQ(a->scope.permission[TOOL_READ], PERMISSION_UNSET);
        EQ(a->scope.mode, rows[i].mode);
        HAS_S(local_agent_of(a)->system,
              rows[i].mode == AGENT_READ_ONLY ? "read-only mode" : "read-write mode");
        OK(a->scope.parent == &w.guard.own);
        OK(a->offer == &w.offer);
        agent_drop(a);
    }
    world_close(&w);
}

TEST(included_folders_are_opened_below_the_root)
{
    struct world w;
    struct agent *a;
    struct stat st;

    world_open(&w, LOOP_FAKE_CLOCK);
    place_write(&w.f, "docs/a", "");
    place_write(&w.f, "lib/inner/a", "");
    agent(&w, "x", "include_dirs: [docs/, lib/inner, not/there]");
    open_registry(&w);
    a = take(&w, "x");
    EQ(a->includes, 2);
    EQ_STR(a->include[0].path, place_file(&w.f, "docs"));
    EQ_STR(a->include[1].path, place_file(&w.f, "lib/inner"));
    OK(fstatat(a->include[1].fd, "a", &st, 0) == 0);
    agent_drop(a);
    world_close(&w);
}

/* Between the reading of a definition and its use. */
TEST(a_folder_that_became_a_way_out_is_refused)
{
    struct world w;
    struct err e;

    world_open(&w, LOOP_FAKE_CLOCK);
    place_write(&w.f, "home/x", "");
    place_write(&w.f, "docs/a", "");
    place_write(&w.f, "ok/a", "");
    agent(&w, "x", "include_dirs: [ok, docs]");
    open_registry(&w);
    agent_drop(take(&w, "x"));
    OK(rename(place_file(&w.f, "docs"), place_file(&w.f, "was")) == 0);
    place_link(&w.f, "docs", "/etc");
    OK(!take_as(&w, "x", NULL, &e));
    EQ(e.code, ERR_DENIED);
    HAS_S(str_of(e.text), "include_dirs of the agent x: docs is outside");
    world_close(&w);
}

/* ---- changes ------------------------------------------------------------------------------- */

TEST(an_agent_that_is_held_stays_as_it_was)
{
    struct world w;
    struct arena old;
    struct agent *held, *fresh;

    world_open(&w, LOOP_FAKE_CLOCK);
    arena_fini(&w.mem);
    configure(&w, "[[agents]]\nname = 't'\npersona = 'Before.'\ntier = 'low'\n"
                  "disallowed_tools = ['shell_exec']\n");
    open_registry(&w);
    held = take(&w, "t");
    old = w.mem;
    configure(&w, "[[agents]]\nname = 't'\npersona = 'After.'\ntier = 'high'\n");
    models_use(w.models, &w.c);
    agent_registry_refresh(w.registry, &w.c);
    arena_fini(&old);
    EQ(w.changed, 1);
    fresh = take(&w, "t");
    OK(str_starts(local_agent_of(held)->system, STR("Before.")));
    EQ_S(held->def->persona, "Before.");
    EQ_S(held->scope.disallowed.v[0], "shell_exec");
    EQ_S(local_agent_of(held)->model.name, "one-low");
    OK(str_starts(local_agent_of(fresh)->system, STR("After.")));
    EQ_S(local_agent_of(fresh)->model.name, "one-high");
    agent_drop(fresh);
    agent_drop(agent_hold(held));
    agent_drop(held);
    world_close(&w);
}

static bool has_changed(void *ctx)
{
    return ((struct world *)ctx)->changed > 0;
}

TEST(the_kernel_tells_of_a_new_agent)
{
    struct world w;

    world_open(&w, LOOP_REAL_CLOCK);
    w.c.limits.watch_ms = 3600000;
    place_write(&w.f, ".trefoil/agents/a.md", "You.");
    open_registry(&w);
    agent_registry_watch(w.registry);
    EQ(w.changed, 0);
    agent(&w, "b", "tier: low");
    OK(until(w.loop, has_changed, &w));
    EQ(cards(&w), 2);
    world_close(&w);
}

TEST(where_the_kernel_is_silent_a_look_finds_it)
{
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    EQ(w.c.limits.watch_ms, 5000);
    open_registry(&w);
    agent_registry_watch(w.registry);
    place_write(&w.f, "agents/coder/agent.json", "{}");
    loop_advance(w.loop, 4999);
    EQ(w.changed, 0);
    loop_advance(w.loop, 1);
    EQ(w.changed, 1);
    EQ(cards(&w), 1);
    place_write(&w.f, "agents/coder/agent.json", "{ /* the same in other words */ }");
    loop_advance(w.loop, 5000);
    EQ(w.changed, 1);
    OK(unlink(place_file(&w.f, "agents/coder/agent.json")) == 0);
    loop_advance(w.loop, 5000);
    EQ(w.changed, 2);
    EQ(cards(&w), 0);
    world_close(&w);
}

TEST_MAIN()
