/* config_verb.c - `trefoil config check` and `trefoil config limits`. */
#include "app/app.h"

#include <stdio.h>

/* Loading has checked everything before we get here; say what was found. */
static int check(struct app *app)
{
    const struct config *c = &app->config;
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1 << 16);
    if (app->opt.json) {
        jw_object(&w);
        jw_kbool(&w, "ok", true);
        jw_kstr(&w, "root", str_of(app->root.path));
        jw_key(&w, STR("files"));
        jw_array(&w);
        for (size_t i = 0; i < c->file_count; i++)
            jw_str(&w, str_of(c->files[i]));
        jw_array_end(&w);
        jw_object_end(&w);
        printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
        return EXIT_OK;
    }
    printf("root %s (%s)\n", app->root.path, app->root.from);
    for (size_t i = 0; i < c->file_count; i++)
        printf("ok   %s\n", c->files[i]);
    if (!c->file_count)
        printf("ok   no configuration file: all defaults\n");
    return EXIT_OK;
}

static int64_t value_of(const struct limits *l, const struct limit_row *row)
{
    return *(const int64_t *)(const void *)((const char *)l + row->offset);
}

static void print_limits_json(const struct limits *l)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1 << 16);
    jw_object(&w);
    for (size_t i = 0; i < limit_count; i++)
        jw_kint(&w, limit_rows[i].name, value_of(l, &limit_rows[i]));
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static int limits(struct app *app)
{
    if (app->opt.json) {
        print_limits_json(&app->config.limits);
        return EXIT_OK;
    }
    for (size_t i = 0; i < limit_count; i++) {
        const struct limit_row *r = &limit_rows[i];

        printf("%-24s %10lld %-5s %s\n", r->name, (long long)value_of(&app->config.limits, r),
               r->unit, r->what);
    }
    return EXIT_OK;
}

static int run(struct app *app, const void *args, int words, char **word)
{
    (void)args;
    if (words == 1 && str_eq(str_of(word[0]), STR("check")))
        return check(app);
    if (words == 1 && str_eq(str_of(word[0]), STR("limits")))
        return limits(app);
    return app_usage("config: expected check or limits");
}

const struct verb verb_config = {
    .name = "config",
    .words = "check | limits",
    .summary = "is the configuration right; every limit and its value",
    .run = run,
};
