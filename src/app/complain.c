/* complain.c - what verbs say when something is wrong, or done. */
#include "app/app.h"
#include "app/show.h"

#include <stdarg.h>
#include <stdio.h>

enum { COMPLAINT_MOST = 1 << 16 };

static void complain(const char *text)
{
    AUTO_BUF out;

    buf_init(&out, COMPLAINT_MOST);
    show_text(&out, str_of(text));
    fprintf(stderr, TREFOIL_NAME ": " STR_FMT "\n", STR_ARG(buf_str(&out)));
}

void app_print(const struct buf *out)
{
    if (out->n)
        fwrite(out->p, 1, out->n, stdout);
    fflush(stdout);
}

int app_fail(const struct err *e)
{
    complain(e->text);
    return EXIT_FAILED;
}

int app_fail_given(const struct err *e)
{
    complain(e->text);
    return e->code == ERR_NOT_FOUND || e->code == ERR_INVALID ? EXIT_USAGE : EXIT_FAILED;
}

int app_usage(const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    complain(text);
    return EXIT_USAGE;
}

void app_notice(const char *fmt, ...)
{
    char text[8192];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    complain(text);
}

int app_done(const struct app *app, const char *done, const char *name, const char *file)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, COMPLAINT_MOST);
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
