/* test_uri_template.c - which URIs a template matches. */
#include "proto/mcp/server/uri_template.h"
#include "tap.h"

static const struct resource page = { .uri = "test://page", .name = "page" };
static const struct resource item = { .uri = "test://item/{id}/data",
                                      .name = "item",
                                      .is_template = true };
static const struct resource *const both[] = { &item, &page };

TEST(a_resource_is_found_by_uri_or_template)
{
    struct offer_source source = { .resource = both, .resources = 2 };
    struct arena mem = { 0 };
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct limits limits;
    struct offer offer;
    struct json vars;

    limits_preset(&limits);
    offer_init(&offer, &(struct host){ .loop = loop, .limits = &limits }, 0);
    offer_join(&offer, &source);
    OK(uri_template_find(&offer, STR("test://page"), &mem, &vars) == &page);
    OK(!json_here(vars));
    OK(uri_template_find(&offer, STR("test://item/a%20b/data"), &mem, &vars) == &item);
    EQ_S(json_str(&mem, json_get(vars, STR("id"))), "a b");
    OK(!uri_template_find(&offer, STR("test://item/{id}/data2"), &mem, &vars));
    while (loop_run_once(loop))
        ;
    offer_fini(&offer);
    loop_free(loop);
    arena_fini(&mem);
}

static bool fits(struct arena *mem, const char *uri_template, const char *uri)
{
    struct json vars;

    return uri_template_match(mem, str_of(uri_template), str_of(uri), &vars);
}

TEST(templates_match_whole_uris)
{
    struct arena mem = { 0 };

    OK(fits(&mem, "a://{x}", "a://1"));
    OK(fits(&mem, "a://{x}.{y}", "a://1.2"));
    OK(!fits(&mem, "a://{x}", "a://"));
    OK(!fits(&mem, "a://{x}", "a://1/2"));
    OK(!fits(&mem, "a://{x}/b", "a://1/bc"));
    OK(!fits(&mem, "a://{x}/b", "a://1"));
    OK(!fits(&mem, "a://{x", "a://1"));
    OK(!fits(&mem, "a://{x}", "a://%ff"));
    OK(fits(&mem, "a://{x}", "a://100%"));
    arena_fini(&mem);
}

TEST_MAIN()
