#include "app/app.h"

#include "base/auto.h"

#include <stdio.h>

enum { DONE_MOST = 1 << 16, LIST_MOST = 1 << 30 };

int app_done(const struct app *app, const char *done, const char *name, const char *file)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, DONE_MOST);
    if (!app->opt.json) {
        printf("%s %s in %s\n", done, name, file);
        return EXIT_OK;
    }
    jw_object(&w);
    jw_kstr(&w, "done", str_of(done));
    jw_kstr(&w, "name", str_of(name));
    jw_kstr(&w, "file", str_of(file));
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    return EXIT_OK;
}

void app_list_begin(struct app_list *l, const struct app *app)
{
    l->json = app->opt.json;
    buf_init(&l->out, LIST_MOST);
    l->w = jw_to(&l->out);
    if (l->json)
        jw_array(&l->w);
}

void app_list_end(struct app_list *l, bool ok)
{
    if (l->json) {
        jw_array_end(&l->w);
        buf_putc(&l->out, '\n');
    }
    if (ok)
        print_output(&l->out);
    buf_fini(&l->out);
}
