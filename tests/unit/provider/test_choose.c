/* Which provider serves, with which address, key and models. */
#include "base/limits.h"
#include "provider/provider.h"
#include "tap.h"

/* NAME=value pairs, ended by NULL. */
static const char *look_up(const char *name, void *ctx)
{
    size_t n = strlen(name);

    for (const char *const *v = ctx; *v; v++)
        if (strncmp(*v, name, n) == 0 && (*v)[n] == '=')
            return *v + n + 1;
    return NULL;
}

static const struct {
    const char *vars[5];
    const char *name, *kind, *url, *key;
} rows[] = {
    { { NULL }, "offline", "offline", "", "" },
    { { "ANTHROPIC_API_KEY=k1" }, "anthropic", "anthropic", "https://api.anthropic.com", "k1" },
    { { "ANTHROPIC_API_KEY=k1", "ANTHROPIC_BASE_URL=http://a", "OPENAI_API_KEY=k2" },
      "anthropic",
      "anthropic",
      "http://a",
      "k1" },
    { { "ANTHROPIC_API_KEY=", "OPENAI_API_KEY=k2" },
      "openai",
      "openai",
      "https://api.openai.com/v1",
      "k2" },
    { { "OPENAI_BASE_URL=http://o/v1", "OPENAI_API_KEY= k2 \n" },
      "openai",
      "openai",
      "http://o/v1",
      "k2" },
    { { "GEMINI_API_KEY=k3", "OLLAMA_HOST=x" },
      "gemini",
      "gemini",
      "https://generativelanguage.googleapis.com",
      "k3" },
    { { "GEMINI_API_KEY=k3", "GOOGLE_GEMINI_BASE_URL=http://g" },
      "gemini",
      "gemini",
      "http://g",
      "k3" },
    { { "OLLAMA_HOST=127.0.0.1:9" }, "ollama", "openai", "http://127.0.0.1:9/v1", "" },
    { { "OLLAMA_HOST=box" }, "ollama", "openai", "http://box:11434/v1", "" },
    { { "OLLAMA_HOST=0.0.0.0:9" }, "ollama", "openai", "http://127.0.0.1:9/v1", "" },
    { { "OLLAMA_HOST=[::1]" }, "ollama", "openai", "http://[::1]:11434/v1", "" },
    { { "OLLAMA_HOST=https://far.test/" }, "ollama", "openai", "https://far.test/v1", "" },
    { { "TREFOIL_PROVIDER=offline", "ANTHROPIC_API_KEY=k1" }, "offline", "offline", "", "" },
    { { "TREFOIL_PROVIDER=gemini", "ANTHROPIC_API_KEY=k1" },
      "gemini",
      "gemini",
      "https://generativelanguage.googleapis.com",
      "" },
    { { "TREFOIL_PROVIDER=ollama" }, "ollama", "openai", "http://127.0.0.1:11434/v1", "" },
};

TEST(the_environment_is_asked_in_order)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena mem = { 0 };
        struct provider_choice c = { .env = look_up, .ctx = (void *)rows[i].vars };
        struct provider_spec s = { 0 };
        struct err e;

        OK(provider_choose(&mem, &c, &s, &e));
        EQ_STR(s.name, rows[i].name);
        EQ_STR(s.kind, rows[i].kind);
        EQ_S(s.base_url, rows[i].url);
        EQ_S(s.key, rows[i].key);
        arena_fini(&mem);
    }
}

static const struct provider_spec configured[] = {
    { .name = "mine", .kind = "openai", .base_url = STR("http://mine/v1") },
    { .name = "claude", .kind = "anthropic", .model = { [TIER_HIGH] = STR("big") } },
};

TEST(the_configuration_comes_first)
{
    static const char *const vars[] = { "TREFOIL_PROVIDER=offline", "ANTHROPIC_API_KEY=k1",
                                        "OPENAI_API_KEY=k2", NULL };
    struct provider_choice c = { configured, 2, STR_NONE, look_up, (void *)vars };
    struct arena mem = { 0 };
    struct provider_spec s;
    struct err e;

    OK(provider_choose(&mem, &c, &s, &e));
    EQ_STR(s.name, "mine");
    EQ(s.key.n, 0); /* a key of the environment does not go to an address of the configuration */
    c.wanted = STR("claude");
    OK(provider_choose(&mem, &c, &s, &e));
    EQ_S(s.base_url, "https://api.anthropic.com");
    EQ_S(s.key, "k1");
    c.wanted = STR("gemini");
    OK(provider_choose(&mem, &c, &s, &e));
    EQ_STR(s.kind, "gemini");
    c.wanted = STR("nobody");
    OK(!provider_choose(&mem, &c, &s, &e));
    EQ(e.code, ERR_NOT_FOUND);
    HAS_S(str_of(e.text), "the configured provider: unknown provider \"nobody\"");
    arena_fini(&mem);
}

TEST(a_name_nobody_has_is_an_error_not_a_guess)
{
    static const char *const vars[] = { "TREFOIL_PROVIDER=antropic", NULL };
    struct provider_choice c = { .env = look_up, .ctx = (void *)vars };
    struct arena mem = { 0 };
    struct provider_spec s;
    struct err e;

    OK(!provider_choose(&mem, &c, &s, &e));
    HAS_S(str_of(e.text), "TREFOIL_PROVIDER: unknown provider \"antropic\"");
    arena_fini(&mem);
}

/* ---- models --------------------------------------------------------------------------------- */

TEST(claude_tiers)
{
    struct provider_spec s = { .name = "anthropic", .kind = "anthropic" };

    EQ_S(provider_model(&s, TIER_HIGH), "claude-opus-4-6");
    EQ_S(provider_model(&s, TIER_MEDIUM), "claude-sonnet-4-5");
    EQ_S(provider_model(&s, TIER_LOW), "claude-haiku-4-5");
    EQ_S(provider_model(&s, TIER_NONE), "claude-sonnet-4-5");
}

TEST(gemini_tiers)
{
    struct provider_spec s = { .name = "gemini", .kind = "gemini" };

    EQ_S(provider_model(&s, TIER_HIGH), "gemini-3-pro-preview");
    EQ_S(provider_model(&s, TIER_MEDIUM), "gemini-3-flash-preview");
    EQ_S(provider_model(&s, TIER_LOW), "gemini-2.5-flash");
}

TEST(the_configuration_chooses_models)
{
    EQ_S(provider_model(&configured[1], TIER_HIGH), "big");
    EQ_S(provider_model(&configured[1], TIER_LOW), "claude-haiku-4-5");
}

TEST(a_kind_nobody_knows_is_refused)
{
    struct provider_world world = { 0 };
    struct provider_spec s = { .name = "x", .kind = "magic" };
    struct arena mem = { 0 };
    struct provider p;
    struct err e;

    OK(!provider_open(&p, &mem, &world, &s, &e));
    EQ_STR(e.text, "provider x: unknown kind \"magic\"; expected anthropic, openai, gemini or "
                   "offline");
    arena_fini(&mem);
}

TEST_MAIN()
