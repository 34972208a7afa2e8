/* test_agent_def.c - the words of a definition, the levels of models, the system prompt. */
#include "base/auto.h"
#include "core/agent/agent_def.h"
#include "core/agent/skill.h"
#include "core/agent/system_prompt.h"
#include "tap.h"

TEST(names_are_short_and_plain)
{
    OK(agent_name_valid(STR("reviewer-2.b_C")));
    OK(!agent_name_valid(STR("")));
    OK(!agent_name_valid(STR(".hidden")));
    OK(!agent_name_valid(STR("a/b")));
    OK(!agent_name_valid(STR("a b")));
    OK(!agent_name_valid(STR("tasks")));
    OK(!agent_name_valid(STR("v1")));
    OK(agent_name_valid(STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
    OK(!agent_name_valid(STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
}

TEST(an_alias_is_a_level)
{
    struct agent_def d = { .model = STR("opus"), .tier = TIER_LOW };

    EQ(agent_alias_tier(STR("haiku")), TIER_LOW);
    EQ(agent_alias_tier(STR("sonnet")), TIER_MEDIUM);
    EQ(agent_alias_tier(STR("inherit")), TIER_NONE);
    EQ(agent_alias_tier(STR("claude-opus-4-6")), TIER_NONE);
    EQ(agent_def_tier(&d), TIER_HIGH);
    d.model = STR("inherit");
    EQ(agent_def_tier(&d), TIER_LOW);
}

TEST(what_a_provider_cannot_do_is_named)
{
    const char *key[AGENT_IGNORED_MOST];
    struct agent_def d = { .provider = STR("claude"), .approval_mode = STR("yolo") };

    EQ(agent_def_ignored(&d, key), 1);
    EQ_STR(key[0], "approval_mode");
    d = (struct agent_def){ .provider = STR("gemini-cli"),
                            .approval_mode = STR("yolo"),
                            .max_turns = 3,
                            .budget_usd = 1,
                            .disallowed = { NULL, 0, true },
                            .effort = STR("low"),
                            .fallback_model = STR("x") };
    EQ(agent_def_ignored(&d, key), 5);
    EQ_STR(key[0], "max_turns");
    EQ_STR(key[4], "fallback_model");
    d.provider = STR("openai");
    EQ(agent_def_ignored(&d, key), 0);
}

TEST(words_are_known_or_not)
{
    enum agent_mode m = AGENT_READ_WRITE;
    enum agent_tier t = TIER_NONE;

    OK(agent_mode_named(STR("Read-Only"), &m) && m == AGENT_READ_ONLY);
    OK(!agent_mode_named(STR("readonly"), &m));
    OK(agent_tier_named(STR("HIGH"), &t) && t == TIER_HIGH);
    OK(!agent_tier_named(STR("huge"), &t));
    OK(agent_word_known(STR("effort"), STR("max")));
    OK(!agent_word_known(STR("effort"), STR("ma")));
    OK(!agent_word_known(STR("output_format"), STR("xml")));
    OK(agent_word_known(STR("approval_mode"), STR("auto_edit")));
}

TEST(a_prompt_is_persona_then_rules_then_instructions)
{
    AUTO_ARENA mem = { 0 };
    const struct prompt_part rules[] = { { "r/a.md", STR("Be kind.\n") },
                                         { "r/empty.md", STR(" \n") },
                                         { "r/b.md", STR("Be brief.") } };
    const struct prompt_part more[] = { { "AGENTS.md", STR("Run make.") } };
    const struct prompt_parts parts = { .persona = STR("\nYou review.\n"),
                                        .rule = rules,
                                        .rules = 3,
                                        .instruction = more,
                                        .instructions = 1 };
    bool cut;

    EQ_S(prompt_compose(&mem, &parts, 4096, &cut),
         "You review.\n\n# Rules\n\n## r/a.md\n\nBe kind.\n\n## r/b.md\n\nBe brief.\n\n"
         "# System instructions\n\n## AGENTS.md\n\nRun make.");
    OK(!cut);
}

TEST(skills_and_the_place_come_last)
{
    AUTO_ARENA mem = { 0 };
    struct skill v[] = { { .name = "pdf", .description = STR(" Reads\n  PDF\tfiles. ") },
                         { .name = "x", .description = STR("Y") } };
    const struct skill_list list = { v, ARRAY_LEN(v) }, none = { 0 };
    const struct prompt_parts parts = { .persona = STR("You."),
                                        .skills = skills_lines(&mem, &list, 1000),
                                        .place = STR("Here.") };
    bool cut;

    EQ_S(prompt_compose(&mem, &parts, 4096, &cut),
         "You.\n\n# Skills\n\nInstructions for certain kinds of work in this project. If a skill "
         "applies, load it with the tool `skill` before you begin.\n\n- pdf: Reads PDF files.\n- "
         "x: Y\n\n"
         "# Where you work\n\nHere.");
    EQ_S(skills_lines(&mem, &none, 1000), "");
    EQ_S(skills_lines(&mem, NULL, 1000), "");
}

TEST(a_list_of_skills_ends_at_its_limit)
{
    AUTO_ARENA mem = { 0 };
    struct skill v[3] = { { .name = "a", .description = STR("0123456789") },
                          { .name = "b", .description = STR("0123456789") },
                          { .name = "c", .description = STR("0123456789") } };
    const struct skill_list list = { v, ARRAY_LEN(v) };

    EQ_S(skills_lines(&mem, &list, 32 + 29), "- a: 0123456789\n- and 2 more");
    EQ_S(skills_lines(&mem, &list, 32 + 31), "- a: 0123456789\n- b: 0123456789\n- and 1 more");
    EQ_S(skills_lines(&mem, &list, 32), "- and 3 more");
}

TEST(instructions_are_optional_and_nothing_is_nothing)
{
    AUTO_ARENA mem = { 0 };
    const struct prompt_parts persona = { .persona = STR("You.") }, none = { 0 };
    bool cut;

    EQ_S(prompt_compose(&mem, &persona, 4096, &cut), "You.");
    EQ_S(prompt_compose(&mem, &none, 4096, &cut), "");
}

TEST(a_long_prompt_is_cut_on_a_character)
{
    AUTO_ARENA mem = { 0 };
    const struct prompt_parts parts = { .persona = STR("abc\xc3\xa9") };
    bool cut;

    EQ_S(prompt_compose(&mem, &parts, 4, &cut), "abc");
    OK(cut);
}

TEST_MAIN()
