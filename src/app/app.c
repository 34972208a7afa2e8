#include "app/app.h"

#include "base/auto.h"
#include "base/json.h"

#include <stdio.h>

enum { DONE_MOST = 1 << 16 };

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
