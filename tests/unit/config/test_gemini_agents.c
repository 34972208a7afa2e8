#include "base/auto.h"
#include "config/gemini_agents.h"
#include "tap.h"

TEST(a_file_names_the_card)
{
    AUTO_ARENA mem = { 0 };
    struct str url = STR("http://localhost:1/x/.well-known/agent.json");

    HAS_S(gemini_agent_file(&mem, STR("a"), url, STR("")),
          "\nagent_card_url: http://localhost:1/x/.well-known/agent.json\n");
    EQ(str_find(gemini_agent_file(&mem, STR("a"), url, STR("")), STR("description")), -1);
    HAS_S(gemini_agent_file(&mem, STR("a"), url, STR("says \"x\": y\nz")),
          "\ndescription: \"says \\\"x\\\": y\\nz\"\n");
    OK(gemini_agent_is_ours(gemini_agent_file(&mem, STR("a"), url, STR(""))));
    OK(!gemini_agent_is_ours(STR("---\nname: a\n---\n")));
}

TEST(names_are_those_that_gemini_accepts)
{
    AUTO_ARENA mem = { 0 };

    EQ_S(gemini_agent_name(&mem, STR("Code.Reviewer_2-x")), "code-reviewer_2-x");
}

TEST(the_setting_is_turned_on_and_off)
{
    AUTO_ARENA mem = { 0 };
    struct str text = STR("{ \"a\": 1 }\n");
    enum entry_change how;
    struct err e;

    OK(gemini_settings_put(&mem, "f", text, true, &how, &text, &e));
    EQ(how, ENTRY_CHANGED);
    HAS_S(text, "\"a\": 1");
    HAS_S(text, "\"enableAgents\": true");
    OK(gemini_settings_put(&mem, "f", text, true, &how, &text, &e));
    EQ(how, ENTRY_SAME);
    OK(gemini_settings_put(&mem, "f", text, false, &how, &text, &e));
    EQ(how, ENTRY_CHANGED);
    HAS_S(text, "\"enableAgents\": false");
    OK(!gemini_settings_put(&mem, "f", STR("[]"), true, &how, &text, &e));
}

TEST_MAIN()
