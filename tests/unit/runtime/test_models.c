/* test_models.c - which model works: files, environment, definitions; what a project may not say. */
#include "place.h"
#include "runtime/model_choice.h"
#include "runtime/models.h"

#include <arpa/inet.h>
#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const variables[] = {
    "TREFOIL_PROVIDER", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",     "OPENAI_API_KEY",
    "OPENAI_BASE_URL",  "GEMINI_API_KEY",    "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST",
    "CORP_KEY",         "PRIVATE_THING",
};

/* A place of its own, and an environment that names no provider. */
static struct place place_bare(void)
{
    for (size_t i = 0; i < ARRAY_LEN(variables); i++)
        unsetenv(variables[i]);
    return place_new();
}

struct bench {
    struct config config;
    struct err e;
    bool ok;
    struct loop *loop;
    struct models *models;
    struct agent_model model, fallback;
};

static void bench_load(struct bench *b, struct place *at, bool trust)
{
    const struct root root = { place_file(at, "r"), "test" };

    b->e = (struct err){ 0 };
    b->ok = config_load(&at->mem, &root, NULL, trust, &b->config, &b->e);
}

/* The user's and the project's file, either may be NULL. */
static void bench_write(struct place *at, const char *user, const char *project)
{
    place_write(at, "home/.config/trefoil/config.toml", user ? user : "");
    place_write(at, "r/trefoil.toml", project ? project : "");
}

static void on_closed(void *ctx)
{
    *(bool *)ctx = true;
}

static void bench_fini(struct bench *b)
{
    bool closed = false;

    if (b->models) {
        models_close(b->models, on_closed, &closed);
        OK(!closed);
        loop_run(b->loop);
        OK(closed);
    }
    loop_free(b->loop);
}

#define AUTO_BENCH __attribute__((cleanup(bench_fini))) struct bench

static bool choose(struct bench *b, const struct agent_def *def, const char *wanted)
{
    if (!b->loop)
        b->loop = loop_new(LOOP_FAKE_CLOCK);
    if (!b->models)
        b->models = models_new(b->loop, &b->config);
    else
        models_use(b->models, &b->config);
    b->e = (struct err){ 0 };
    return models_choose(b->models, def, str_of(wanted), &b->model, &b->fallback, &b->e);
}

#define CHOSEN(b, def, wanted, ctx, what)                                                          \
    do {                                                                                           \
        if (!choose(b, def, wanted))                                                               \
            TAP_NOT("%s", (b)->e.text);                                                            \
        else                                                                                       \
            EQ_STR((b)->model.provider->name, ctx);                                                \
        EQ_S((b)->model.name, what);                                                               \
    } while (0)

/* The whole spec that stands behind a word, with its key. */
static struct model_pick picked(struct place *at, const struct bench *b, const char *wanted)
{
    struct model_pick p = { 0 };
    struct err e;

    if (!model_pick(&at->mem, &b->config.models, NULL, str_of(wanted), &p, &e))
        TAP_NOT("%s", e.text);
    return p;
}

static bool noted(const struct config *c, enum log_level level, const char *part)
{
    for (size_t i = 0; i < c->notes.n; i++)
        if (c->notes.v[i].level == level && str_find(c->notes.v[i].text, str_of(part)) >= 0)
            return true;
    return false;
}

static bool same_price(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- who serves ----------------------------------------------------------------------------- */

TEST(the_environment_is_asked_in_order)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    bench_load(&b, &at, false);
    CHOSEN(&b, NULL, NULL, "offline", "offline");
    setenv("OLLAMA_HOST", "127.0.0.1:9", 1);
    CHOSEN(&b, NULL, NULL, "ollama", "llama3.2");
    setenv("GEMINI_API_KEY", "k3", 1);
    CHOSEN(&b, NULL, NULL, "gemini", "gemini-3-flash-preview");
    setenv("OPENAI_API_KEY", "k2", 1);
    CHOSEN(&b, NULL, NULL, "openai", "gpt-5-mini");
    setenv("ANTHROPIC_API_KEY", "k1", 1);
    CHOSEN(&b, NULL, NULL, "anthropic", "claude-sonnet-4-5");
    setenv("TREFOIL_PROVIDER", "gemini", 1);
    CHOSEN(&b, NULL, NULL, "gemini", "gemini-3-flash-preview");
    bench_write(&at, "[providers.corp]\nkind='openai'\nbase_url='http://c.test/v1'\nmodel='m'\n",
                NULL);
    bench_load(&b, &at, false);
    CHOSEN(&b, NULL, NULL, "corp", "m");
}

TEST(the_configuration_names_provider_model_and_tiers)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    struct model_pick p;

    setenv("CORP_KEY", "sesame", 1);
    bench_write(&at,
                "[providers.corp]\nkind='openai'\nbase_url='https://c.test/v1'\n"
                "api_key='env:CORP_KEY'\napi='responses'\nmodel='m'\nhigh='mm'\n"
                "headers={ X-Team = 'a' }\n"
                "[providers.anthropic]\nlow='small'\napi_key='k'\n"
                "[models]\nprovider='anthropic'\n",
                NULL);
    bench_load(&b, &at, false);
    OK(b.ok);
    CHOSEN(&b, NULL, NULL, "anthropic", "claude-sonnet-4-5");
    CHOSEN(&b, NULL, "low", "anthropic", "small");
    CHOSEN(&b, NULL, "corp/high", "corp", "mm");
    CHOSEN(&b, NULL, "corp/low", "corp", "m"); /* another server has no models of the preset */
    p = picked(&at, &b, "corp/x/y");
    EQ_S(p.model, "x/y");
    EQ_S(p.spec.key, "sesame");
    EQ_S(p.spec.base_url, "https://c.test/v1");
    EQ(p.spec.api, API_RESPONSES);
    EQ(p.spec.headers, 1);
    EQ_S(p.spec.header[0].value, "a");
    OK(noted(&b.config, LOG_INFO, "config.toml:11:9: the secret api_key is stored in the file"));
}

TEST(the_default_of_models)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    struct agent_def low = { .name = "a", .tier = TIER_LOW };
    struct agent_def ollama = { .name = "a", .provider = STR("ollama") };

    setenv("ANTHROPIC_API_KEY", "k1", 1);
    setenv("OPENAI_API_KEY", "k2", 1);
    bench_write(&at, "[models]\ndefault='openai/gpt-9'\n", NULL);
    bench_load(&b, &at, false);
    CHOSEN(&b, NULL, NULL, "openai", "gpt-9");
    CHOSEN(&b, &low, NULL, "openai", "gpt-5-nano");
    CHOSEN(&b, &ollama, NULL, "ollama", "llama3.2");
    bench_write(&at, "[models]\ndefault='openai/gpt-9'\n", "[models]\ndefault='high'\n");
    bench_load(&b, &at, false);
    CHOSEN(&b, NULL, NULL, "anthropic", "claude-opus-4-6");
}

/* ---- words and definitions ------------------------------------------------------------------ */

TEST(a_word_is_a_tier_an_alias_a_model_or_both)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    static const struct {
        const char *word, *ctx, *what;
    } rows[] = {
        { "low", "anthropic", "claude-haiku-4-5" },
        { "HIGH", "anthropic", "claude-opus-4-6" },
        { "sonnet", "anthropic", "claude-sonnet-4-5" },
        { "inherit", "anthropic", "claude-sonnet-4-5" },
        { "claude-next", "anthropic", "claude-next" },
        { "gpt-5", "openai", "gpt-5" },                          /* who names it */
        { "gemini-2.5-flash", "anthropic", "gemini-2.5-flash" }, /* but has no key: the default */
        { "openai/opus", "openai", "gpt-5" },
        { "openai/gpt-4", "openai", "gpt-4" },
        { "meta/llama", "anthropic", "meta/llama" },
        { "offline/any", "offline", "offline" },
    };

    setenv("ANTHROPIC_API_KEY", "k1", 1);
    setenv("OPENAI_API_KEY", "k2", 1);
    bench_load(&b, &at, false);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHOSEN(&b, NULL, rows[i].word, rows[i].ctx, rows[i].what);
}

TEST(a_definition_names_provider_model_and_tier)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    struct agent_def def = { .name = "a", .tier = TIER_HIGH };

    setenv("ANTHROPIC_API_KEY", "k1", 1);
    setenv("OPENAI_API_KEY", "k2", 1);
    bench_load(&b, &at, false);
    CHOSEN(&b, &def, NULL, "anthropic", "claude-opus-4-6");
    def.model = STR("inherit");
    CHOSEN(&b, &def, NULL, "anthropic", "claude-opus-4-6");
    def.model = STR("haiku");
    CHOSEN(&b, &def, NULL, "anthropic", "claude-haiku-4-5");
    def.provider = STR("openai");
    CHOSEN(&b, &def, NULL, "openai", "gpt-5-nano");
    def.model = STR("anthropic/claude"); /* a name of openai's, for all we know */
    CHOSEN(&b, &def, NULL, "openai", "anthropic/claude");
    def.model = STR("openai/x");
    CHOSEN(&b, &def, NULL, "openai", "x");
    CHOSEN(&b, &def, "medium", "openai", "gpt-5-mini");
    CHOSEN(&b, &def, "anthropic/opus", "anthropic", "claude-opus-4-6");
    def = (struct agent_def){ .name = "a", .provider = STR("claude") };
    CHOSEN(&b, &def, NULL, "anthropic", "claude-sonnet-4-5");
    def.provider = STR("nobody");
    OK(!choose(&b, &def, NULL));
    EQ(b.e.code, ERR_NOT_FOUND);
    HAS_S(str_of(b.e.text), "unknown provider \"nobody\"");
}

TEST(a_fallback_may_be_of_another_provider)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    struct agent_def def = { .name = "a", .fallback_model = STR("haiku") };

    setenv("ANTHROPIC_API_KEY", "k1", 1);
    setenv("OPENAI_API_KEY", "k2", 1);
    bench_load(&b, &at, false);
    OK(choose(&b, NULL, NULL) && !b.fallback.provider);
    OK(choose(&b, &def, NULL));
    OK(b.fallback.provider == b.model.provider);
    EQ_S(b.fallback.name, "claude-haiku-4-5");
    OK(choose(&b, &def, "low") && !b.fallback.provider); /* it is the model itself */
    def.fallback_model = STR("openai/gpt-5");
    OK(choose(&b, &def, NULL));
    EQ_STR(b.fallback.provider->name, "openai");
    EQ_S(b.fallback.name, "gpt-5");
    EQ(b.fallback.window, 400000);
    def.fallback_model = STR("gpt-5-nano");
    OK(choose(&b, &def, NULL));
    EQ_STR(b.fallback.provider->name, "openai");
    def.fallback_model = STR("gemini/high"); /* has no key: worked without */
    OK(choose(&b, &def, NULL) && !b.fallback.provider);
}

TEST(a_provider_without_its_key_is_said_before_it_is_asked)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("TREFOIL_PROVIDER", "gemini", 1);
    bench_load(&b, &at, false);
    OK(!choose(&b, NULL, NULL));
    EQ(b.e.code, ERR_DENIED);
    EQ_STR(b.e.text,
           "the provider gemini has no key: set GEMINI_API_KEY, or api_key in [providers.gemini]");
    bench_write(&at, "[providers.corp]\nkind='gemini'\napi_key='env:CORP_KEY'\n", NULL);
    bench_load(&b, &at, false);
    OK(b.ok && noted(&b.config, LOG_WARN, "the provider corp is not usable"));
    OK(!choose(&b, NULL, NULL));
    HAS_S(str_of(b.e.text),
          "config.toml:3:9: providers.corp.api_key: the variable CORP_KEY is not set");
    CHOSEN(&b, NULL, "offline/x", "offline", "offline"); /* who names another can work */
}

/* ---- one of each ---------------------------------------------------------------------------- */

TEST(providers_are_opened_once_and_what_was_handed_out_stays)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    struct agent_model first;

    setenv("OPENAI_API_KEY", "k2", 1);
    bench_load(&b, &at, false);
    OK(choose(&b, NULL, "high"));
    first = b.model;
    OK(choose(&b, NULL, "low"));
    OK(b.model.provider == first.provider);
    setenv("OPENAI_API_KEY", "k3", 1);
    OK(choose(&b, NULL, "high"));
    OK(b.model.provider != first.provider);
    OK(b.model.name.p == first.name.p);
    EQ_STR(first.provider->name, "openai");
}

/* Bound but not listening: whoever connects is refused. */
static int refusing_socket(int *port)
{
    struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(sa);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    OK(bind(fd, (struct sockaddr *)&sa, n) == 0);
    OK(getsockname(fd, (struct sockaddr *)&sa, &n) == 0);
    *port = ntohs(sa.sin_port);
    return fd;
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    *(enum err_code *)ctx = e ? e->code : ERR_NONE;
}

TEST(what_was_chosen_can_be_asked)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { .loop = loop_new(LOOP_REAL_CLOCK) };
    const struct model_request request = { .model = STR("m"), .temperature = -1 };
    struct model_turn turn = { .mem = &at.mem, .request = &request };
    enum err_code code = ERR_NONE;
    int port, fd = refusing_socket(&port);

    bench_write(&at,
                arena_printf(&at.mem,
                             "[limits]\nmodel_retries=0\n[providers.corp]\nkind='openai'\n"
                             "base_url='http://127.0.0.1:%d/v1'\n",
                             port)
                    .p,
                NULL);
    bench_load(&b, &at, false);
    OK(choose(&b, NULL, "m"));
    bench_load(&b, &at, false); /* the configuration it was chosen by is gone */
    models_use(b.models, &b.config);
    model_ask(b.model.provider, &turn, NULL, on_answer, &code);
    loop_run(b.loop);
    EQ(code, ERR_CLOSED);
    close(fd);
}

TEST(names_of_models_have_limits)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("OPENAI_API_KEY", "k2", 1);
    bench_load(&b, &at, false);
    b.config.limits.model_names = 2;
    b.config.limits.model_name_bytes = 16;
    OK(choose(&b, NULL, "a") && choose(&b, NULL, "b") && choose(&b, NULL, "a"));
    OK(!choose(&b, NULL, "c") && b.e.code == ERR_LIMIT);
    HAS_S(str_of(b.e.text), "the constant model_names");
    OK(!choose(&b, NULL, "seventeen-letters") && b.e.code == ERR_LIMIT);
    HAS_S(str_of(b.e.text), "the constant model_name_bytes");
}

/* ---- windows and prices --------------------------------------------------------------------- */

TEST(windows_and_prices_of_known_models)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("ANTHROPIC_API_KEY", "k1", 1);
    bench_load(&b, &at, false);
    OK(choose(&b, NULL, "claude-haiku-4-5-20251001"));
    EQ(b.model.window, 200000);
    EQ(b.model.max_tokens, 64000);
    OK(same_price(b.model.price.input, 1) && same_price(b.model.price.output, 5) &&
       same_price(b.model.price.cache_read, 0.1) && same_price(b.model.price.cache_write, 1.25));
    OK(choose(&b, NULL, "claude-haiku-4-5x"));
    EQ(b.model.window, 0);
    OK(b.model.price.input < 0 && b.model.price.cache_read < 0);
    OK(choose(&b, NULL, "offline/"));
    OK(same_price(b.model.price.output, 0));
}

TEST(the_configuration_overrides_them_member_by_member)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("OPENAI_API_KEY", "k2", 1);
    bench_write(&at,
                "[models.'gpt-5']\nwindow=1000\nmax_tokens=50\ninput=2\n"
                "[models.'openai/gpt-5']\nwindow=2000\n[models.own]\ninput=0.5\n",
                NULL);
    bench_load(&b, &at, false);
    OK(choose(&b, NULL, "gpt-5"));
    EQ(b.model.window, 2000);
    EQ(b.model.max_tokens, 50);
    OK(same_price(b.model.price.input, 2) && same_price(b.model.price.output, 10) &&
       same_price(b.model.price.cache_read, 0.125) && b.model.price.cache_write < 0);
    OK(choose(&b, NULL, "own"));
    OK(same_price(b.model.price.input, 0.5) && b.model.price.output < 0);
}

TEST(a_project_makes_nothing_cheap)
{
    static const char project[] = "[models.'gpt-5']\ninput=0\noutput=0\nwindow=9\n"
                                  "[models.own]\ninput=7\n";
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("OPENAI_API_KEY", "k2", 1);
    bench_write(&at, NULL, project);
    bench_load(&b, &at, false);
    OK(choose(&b, NULL, "gpt-5"));
    EQ(b.model.window, 400000);
    OK(same_price(b.model.price.input, 1.25));
    OK(choose(&b, NULL, "own") && same_price(b.model.price.input, 7));
    bench_load(&b, &at, true);
    OK(choose(&b, NULL, "gpt-5"));
    EQ(b.model.window, 9);
    OK(same_price(b.model.price.input, 0));
}

/* ---- a project that may be a stranger's ------------------------------------------------------ */

TEST(a_project_cannot_redirect_keys_or_conversations)
{
    static const char *const projects[] = {
        "[providers.openai]\nbase_url='http://evil.test/v1'\n",
        "[providers.openai]\nbase_url='http://evil.test/v1'\napi_key='env:PRIVATE_THING'\n",
        "[providers.openai]\napi_key='theirs'\n",
        "[providers.openai]\nheaders={ X-It = 'env:PRIVATE_THING' }\n",
        "[providers.openai]\napi_key='file:/nonexistent/at/all'\n",
    };
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("OPENAI_API_KEY", "k2", 1);
    setenv("PRIVATE_THING", "s3cr3t", 1);
    for (size_t i = 0; i < ARRAY_LEN(projects); i++) {
        struct model_pick p;

        bench_write(&at, NULL, projects[i]);
        bench_load(&b, &at, false);
        OK(b.ok);
        OK(noted(&b.config, LOG_WARN,
                 "trefoil.toml:1: the provider openai is ignored: a project cannot choose where"));
        OK(!b.config.models.provider[0].spec.key.n && !b.config.models.provider[0].spec.headers);
        p = picked(&at, &b, NULL);
        EQ_S(p.spec.base_url, "https://api.openai.com/v1");
        EQ_S(p.spec.key, "k2");
        EQ(p.spec.headers, 0);
    }
    bench_load(&b, &at, true);
    OK(b.ok && b.config.models.provider[0].bad);
    bench_write(&at, NULL, projects[0]);
    bench_load(&b, &at, true); /* trusted: there, but without the user's key */
    EQ_S(picked(&at, &b, NULL).spec.base_url, "http://evil.test/v1");
    EQ_S(picked(&at, &b, NULL).spec.key, "");
    bench_write(&at, NULL, projects[1]);
    bench_load(&b, &at, true);
    EQ_S(picked(&at, &b, NULL).spec.key, "s3cr3t");
}

TEST(a_project_cannot_take_over_a_name_of_the_user)
{
    static const char user[] = "[providers.corp]\nkind='openai'\nbase_url='https://c.test/v1'\n"
                               "api_key='sesame'\nmodel='m'\n";
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };
    struct model_pick p;

    bench_write(&at, user, "[providers.corp]\nkind='openai'\nbase_url='http://evil.test/v1'\n");
    bench_load(&b, &at, false);
    p = picked(&at, &b, "corp/low");
    EQ_S(p.spec.base_url, "https://c.test/v1");
    EQ_S(p.model, "m");
    bench_write(&at, user, "[providers.corp]\nkind='gemini'\nlow='tiny'\n");
    bench_load(&b, &at, false);
    p = picked(&at, &b, "corp/low");
    EQ_STR(p.spec.kind, "openai");
    EQ_S(p.spec.key, "sesame");
    EQ_S(p.model, "tiny");
}

TEST(a_project_chooses_among_what_the_user_has)
{
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    setenv("ANTHROPIC_API_KEY", "k1", 1);
    setenv("OPENAI_API_KEY", "k2", 1);
    bench_write(&at, NULL, "[models]\nprovider='openai'\ndefault='low'\n");
    bench_load(&b, &at, false);
    CHOSEN(&b, NULL, NULL, "openai", "gpt-5-nano");
    bench_write(&at, NULL, "[providers.openai]\nlow='gpt-0'\n");
    bench_load(&b, &at, false);
    CHOSEN(&b, NULL, "low", "openai", "gpt-0");
    bench_write(&at, NULL,
                "[models]\nprovider='corp'\n"
                "[providers.corp]\nkind='openai'\nbase_url='http://evil.test/v1'\n");
    bench_load(&b, &at, false);
    OK(b.ok && !choose(&b, NULL, NULL));
    EQ(b.e.code, ERR_DENIED);
    HAS_S(str_of(b.e.text),
          "the provider corp (trefoil.toml:3) is defined by the project and not trusted");
}

/* ---- what is wrong -------------------------------------------------------------------------- */

TEST(errors_name_the_place_and_what_is_accepted)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        { "[providers.x]\n", ":1:1: providers.x: missing required key \"kind\"" },
        { "[providers.x]\nkind='mistral'\n", ":2:6: providers.x.kind: unknown kind; expected" },
        { "[providers.x]\nkind='openai'\nkey='k'\n",
          ":3:1: providers.x.key: unknown key; did you mean \"api_key\"?" },
        { "[providers.x]\nkind='openai'\napi='v2'\n", ":3:5: providers.x.api: expected chat" },
        { "[providers.gemini]\napi='chat'\n", "only providers of kind openai support this key" },
        { "[providers.openai]\nmodel=''\n", ":2:7: providers.openai.model: must not be empty" },
        { "[providers.openai]\nbase_url='ftp://x'\n", "begins with http:// or https://" },
        { "[providers.openai]\nbase_url='http://u:p@x/'\n", "must not contain a user or password" },
        { "[providers.openai]\nbase_url='http://x/?k=1'\n", "a base_url must not contain ? or #" },
        { "[providers.openai]\nheaders={ 'a b' = 'c' }\n", "not a valid header name" },
        { "[providers.'a/b']\nkind='openai'\n", "the name of a provider has 1 to 64 characters" },
        { "[models]\nprovider='nobody'\n", ":2:10: models.provider: unknown provider" },
        { "[models]\ndefault=3\n", ":2:9: models.default: expected a string, found" },
        { "[models]\ntemperature=1\n", ":2:1: models.temperature: unknown key; expected default" },
        { "[models.x]\nwindow=0\n", ":2:8: models.x.window: 0 is out of range" },
        { "[models.x]\ninput=-1\n", ":2:7: models.x.input: expected a price of 0 to" },
        { "[models.x]\noutput=inf\n", ":2:8: models.x.output: " },
        { "[models.x]\ncache=1\n", "unknown key; did you mean \"cache_read\"?" },
    };
    AUTO_PLACE at = place_bare();
    AUTO_BENCH b = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bench_write(&at, rows[i].text, NULL);
        bench_load(&b, &at, false);
        OK(!b.ok);
        HAS_S(str_of(b.e.text), rows[i].error);
    }
}

TEST_MAIN()
