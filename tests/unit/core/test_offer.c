#include "base/container.h"
#include "core/tool/offer.h"
#include "tap.h"

#include <stdio.h>

/* ---- sources ------------------------------------------------------------------------------ */

static const struct tool hammer = { .name = "hammer" };
static const struct tool saw = { .name = "saw" };
static const struct tool other_saw = { .name = "saw", .title = "the other" };
static const struct tool drill = { .name = "mcp_shed_drill", .alias = "shed:drill" };
static const struct tool odd = { .name = "odd", .alias = "saw" };
static const struct tool *const shed[] = { &odd, &drill };
static const struct tool *const wood[] = { &hammer, &saw };
static const struct tool *const metal[] = { &other_saw };
static const struct resource page = { .uri = "test://page", .name = "page" };
static const struct resource item = { .uri = "test://item/{id}/data",
                                      .name = "item",
                                      .is_template = true };
static const struct resource *const handle[] = { &item, &page };
static const struct prompt poem = { .name = "poem" };
static const struct prompt *const paper[] = { &poem };

struct agent_registry {
    struct loop *loop;
    struct limits limits;
    struct offer offer;
    struct offer_source a, b;
    struct offer_watch watch;
    int told[OFFER_PARTS];
    struct str updated;
    struct arena mem;
};

static void on_changed(struct offer_watch *w, enum offer_part part)
{
    CONTAINER_OF(w, struct agent_registry, watch)->told[part]++;
}

static void on_updated(struct offer_watch *w, struct str uri)
{
    CONTAINER_OF(w, struct agent_registry, watch)->updated = uri;
}

static void turn(struct agent_registry *d)
{
    while (loop_run_once(d->loop))
        ;
}

static void begin(struct agent_registry *d)
{
    *d = (struct agent_registry){
        .loop = loop_new(LOOP_FAKE_CLOCK),
        .a = { .tool = wood, .tools = 2, .resource = handle, .resources = 2 },
        .b = { .tool = metal, .tools = 1, .prompt = paper, .prompts = 1 },
        .watch = { .changed = on_changed, .updated = on_updated },
    };
    limits_preset(&d->limits);
    offer_init(&d->offer,
               &(struct host){ .loop = d->loop, .limits = &d->limits, .root_fd = -1, .root = "/" },
               1u << OFFER_TOOLS);
    offer_watch(&d->offer, &d->watch);
}

static void end(struct agent_registry *d)
{
    offer_unwatch(&d->watch);
    offer_fini(&d->offer);
    arena_fini(&d->mem);
    loop_free(d->loop);
}

TEST(the_first_source_wins_a_name)
{
    struct agent_registry d;

    begin(&d);
    offer_join(&d.offer, &d.a);
    offer_join(&d.offer, &d.b);
    OK(offer_tool(&d.offer, STR("saw")) == &saw);
    OK(offer_tool_at(&d.offer, 2) == &other_saw);
    OK(!offer_tool_at(&d.offer, 3));
    OK(!offer_tool(&d.offer, STR("sa")));
    OK(offer_prompt(&d.offer, STR("poem")) == &poem);
    offer_leave(&d.offer, &d.a);
    OK(offer_tool(&d.offer, STR("saw")) == &other_saw);
    offer_join(&d.offer, &d.a); /* the end of the list is still found */
    OK(offer_tool_at(&d.offer, 2) == &saw);
    end(&d);
}

TEST(a_list_that_changes_is_looked_up_as_it_is_now)
{
    static const struct tool *const renewed[] = { &hammer, &other_saw };
    struct agent_registry d;

    begin(&d);
    offer_join(&d.offer, &d.a);
    OK(offer_tool(&d.offer, STR("saw")) == &saw);
    d.a.tool = renewed; /* the same names: no notification is needed */
    OK(offer_tool(&d.offer, STR("saw")) == &other_saw);
    d.a.tool = metal;
    d.a.tools = 1;
    offer_source_changed(&d.a, OFFER_TOOLS);
    OK(offer_tool(&d.offer, STR("saw")) == &other_saw);
    OK(!offer_tool(&d.offer, STR("hammer")));
    d.a.tools = 0;
    offer_source_changed(&d.a, OFFER_TOOLS);
    OK(!offer_tool(&d.offer, STR("saw")));
    end(&d);
}

TEST(every_one_of_many_tools_is_found_by_its_name)
{
    enum { MANY = 300 };
    static struct tool tool[MANY];
    static const struct tool *list[MANY];
    static char name[MANY][16];
    struct offer_source many = { .tool = list, .tools = MANY };
    struct agent_registry d;
    bool all = true;

    for (size_t i = 0; i < MANY; i++) {
        snprintf(name[i], sizeof(name[i]), "tool%zu", i);
        tool[i].name = name[i];
        list[i] = &tool[i];
    }
    begin(&d);
    offer_join(&d.offer, &d.a);
    offer_join(&d.offer, &many);
    for (size_t i = 0; i < MANY; i++)
        all &= offer_tool(&d.offer, str_of(name[i])) == &tool[i];
    OK(all);
    OK(!offer_tool(&d.offer, STR("tool300")));
    OK(offer_tool(&d.offer, STR("saw")) == &saw);
    end(&d);
}

TEST(an_alias_finds_a_tool_unless_another_has_that_name)
{
    struct offer_source of_a_server = { .tool = shed, .tools = 2 };
    struct agent_registry d;

    begin(&d);
    offer_join(&d.offer, &of_a_server);
    offer_join(&d.offer, &d.a);
    OK(offer_tool(&d.offer, STR("shed:drill")) == &drill);
    OK(offer_tool(&d.offer, STR("mcp_shed_drill")) == &drill);
    OK(offer_tool(&d.offer, STR("saw")) == &saw);
    OK(!offer_tool(&d.offer, STR("shed:")));
    OK(!offer_tool(&d.offer, STR("")));
    end(&d);
}

TEST(changes_are_told_once_per_turn)
{
    struct agent_registry d;

    begin(&d);
    offer_join(&d.offer, &d.a);
    offer_join(&d.offer, &d.b);
    offer_source_changed(&d.a, OFFER_TOOLS);
    EQ(d.told[OFFER_TOOLS], 0);
    turn(&d);
    EQ(d.told[OFFER_TOOLS], 1);
    EQ(d.told[OFFER_RESOURCES], 1);
    EQ(d.told[OFFER_PROMPTS], 1);
    offer_source_changed(&d.b, OFFER_PROMPTS);
    turn(&d);
    EQ(d.told[OFFER_PROMPTS], 2);
    EQ(d.told[OFFER_TOOLS], 1);
    offer_source_updated(&d.a, STR("test://page"));
    EQ_S(d.updated, "test://page");
    end(&d);
}

TEST(a_source_may_be_part_of_two_offers)
{
    struct agent_registry d;
    struct offer second;

    begin(&d);
    offer_init(&second, &d.offer.host, 0);
    offer_join(&d.offer, &d.a);
    offer_join(&second, &d.a);
    offer_fini(&second);
    offer_source_changed(&d.a, OFFER_TOOLS);
    turn(&d);
    EQ(d.told[OFFER_TOOLS], 1);
    end(&d);
}

TEST(a_resource_is_found_by_its_uri)
{
    struct agent_registry d;

    begin(&d);
    offer_join(&d.offer, &d.a);
    OK(offer_resource(&d.offer, STR("test://page")) == &page);
    OK(!offer_resource(&d.offer, STR("test://item/{id}/data")));
    OK(offer_template(&d.offer, STR("test://item/{id}/data")) == &item);
    OK(!offer_template(&d.offer, STR("test://page")));
    end(&d);
}

TEST_MAIN()
