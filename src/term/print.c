#include "term/print.h"

#include "base/auto.h"
#include "base/display.h"
#include "base/version.h"

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

void print_output(const struct buf *out)
{
    if (out->n)
        fwrite(out->p, 1, out->n, stdout);
    fflush(stdout);
}

int print_error(const struct err *e)
{
    complain(e->text);
    return EXIT_FAILED;
}

int print_error_given(const struct err *e)
{
    complain(e->text);
    return e->code == ERR_NOT_FOUND || e->code == ERR_INVALID ? EXIT_USAGE : EXIT_FAILED;
}

int print_usage_error(const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    complain(text);
    return EXIT_USAGE;
}

void print_notice(const char *fmt, ...)
{
    char text[8192];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    complain(text);
}
