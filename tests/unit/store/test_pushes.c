/* Push configurations over the real database. */
#include "store_world.h"

static void create_task(struct world *w, const char *id)
{
    static const struct store_event submitted = { .kind = STR("status"), .body = STR("{}") };
    struct store_step s = { STORE_TASK_CREATE, .task = { .id = str_of(id),
                                                         .context = STR("c"),
                                                         .owner = STR("user:1"),
                                                         .agent = STR("coder"),
                                                         .state = STR("submitted"),
                                                         .spec = STR("{\"text\":\"do\"}"),
                                                         .event = &submitted,
                                                         .events = 1 } };

    OK(world_ask(w, &s));
}

static bool put_push(struct world *w, const char *task, const char *id, const char *owner)
{
    struct store_step s = { STORE_PUSH_PUT, .push = { .task = str_of(task),
                                                      .id = str_of(id),
                                                      .owner = str_of(owner),
                                                      .setup = STR("{}"),
                                                      .most = 2,
                                                      .total = 3 } };

    return world_ask(w, &s);
}

static void mark_sent(struct world *w, const char *task, const char *id, int64_t sent, bool done)
{
    struct store_step s = {
        STORE_PUSH_SENT,
        .push = { .task = str_of(task), .id = str_of(id), .sent = sent, .done = done }
    };

    OK(world_ask(w, &s));
}

/* task NULL: those of all tasks that are not done. */
static struct store_push_page list_pushes(struct world *w, const char *task)
{
    struct store_step s = { STORE_PUSHES, .pushes = { .task = str_of(task) } };

    OK(world_ask(w, &s));
    return s.pushes;
}

TEST(a_configuration_needs_its_task)
{
    AUTO_WORLD w;

    world_init(&w);
    OK(world_open(&w));
    OK(!put_push(&w, "t", "p", "a"));
    EQ(w.e.code, ERR_NOT_FOUND);
    create_task(&w, "t");
    OK(put_push(&w, "t", "p", "a"));
    EQ(list_pushes(&w, "t").n, 1);
    EQ(list_pushes(&w, "u").n, 0);
}

TEST(progress_is_kept_and_never_goes_back)
{
    AUTO_WORLD w;
    struct store_push_page p;

    world_init(&w);
    OK(world_open(&w));
    create_task(&w, "t");
    OK(put_push(&w, "t", "p", "a"));
    mark_sent(&w, "t", "p", 7, false);
    mark_sent(&w, "t", "p", 5, false);
    world_close(&w);
    OK(world_open(&w));
    p = list_pushes(&w, NULL);
    EQ(p.n, 1);
    EQ(p.v[0].sent, 7);
    EQ_S(p.v[0].task, "t");
    mark_sent(&w, "t", "p", 8, true);
    EQ(list_pushes(&w, NULL).n, 0);
    EQ(list_pushes(&w, "t").n, 1);
    /* one that was deleted meanwhile is no error */
    mark_sent(&w, "t", "other", 1, true);
}

TEST(unfinished_configurations_are_limited)
{
    AUTO_WORLD w;

    world_init(&w);
    OK(world_open(&w));
    create_task(&w, "t");
    create_task(&w, "u");
    create_task(&w, "v");
    OK(put_push(&w, "t", "1", "a"));
    OK(put_push(&w, "u", "1", "a"));
    OK(!put_push(&w, "v", "1", "a")); /* the owner has reached its limit */
    EQ(w.e.code, ERR_LIMIT);
    OK(put_push(&w, "u", "1", "a")); /* replaces */
    OK(put_push(&w, "t", "2", "b"));
    OK(!put_push(&w, "t", "3", "c")); /* the limits of the task and of all owners are reached */
    mark_sent(&w, "t", "1", 1, true);
    OK(put_push(&w, "v", "1", "a"));
}

TEST(a_configuration_leaves_with_its_task)
{
    AUTO_WORLD w;
    struct store_step end = { STORE_TASK_UPDATE, .task = { .id = STR("t"),
                                                           .fence = 1,
                                                           .state = STR("completed"),
                                                           .final = true,
                                                           .expires = 1 } };
    struct store_step expire = { .what = STORE_TASKS_EXPIRE };
    struct store_step drop = { STORE_PUSH_DELETE, .push = { .task = STR("u"), .id = STR("p") } };

    world_init(&w);
    OK(world_open(&w));
    create_task(&w, "t");
    create_task(&w, "u");
    OK(put_push(&w, "t", "p", "a"));
    OK(put_push(&w, "u", "p", "b"));
    OK(world_ask(&w, &end));
    OK(world_ask(&w, &expire));
    EQ(list_pushes(&w, NULL).n, 1);
    OK(world_ask(&w, &drop));
    OK(world_ask(&w, &drop));
    EQ(list_pushes(&w, NULL).n, 0);
}

TEST_MAIN()
