/*
 * trust_answers.c - `trefoil trust answers` and `trust forget`: lists and deletes stored answers.
 */
#include "app/trust.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/display.h"
#include "state/answer_file.h"

#include <stdio.h>
#include <unistd.h>

static void write_answer_json(struct jw *w, const struct answer_entry *a)
{
    char time[CLOCK_TEXT];

    clock_text(a->wall_ms, time);
    jw_object(w);
    jw_kstr(w, "id", str_of(a->id));
    jw_kstr(w, "verdict", str_of(guard_says_names[a->allows ? GUARD_ALLOW : GUARD_DENY]));
    jw_kstr(w, "principal", a->principal);
    jw_kstr(w, "agent", a->agent);
    jw_kstr(w, "tool", a->tool);
    jw_kraw(w, "arguments", a->args);
    jw_kstr(w, "answered", str_of(time));
    jw_object_end(w);
}

static void write_answer_line(struct buf *out, const struct answer_entry *a)
{
    buf_printf(out, "%s  %-6s ", a->id, a->allows ? "allow" : "reject");
    show_text(out, a->agent);
    buf_put(out, STR("  "));
    show_text(out, a->tool);
    buf_putc(out, ' ');
    show_text(out, a->args);
    buf_putc(out, '\n');
}

int trust_answers(struct app *app)
{
    struct answer_file file;
    struct answer_list all;
    struct app_list list;
    struct err e;

    answer_file_init(&file, &app->project.state.port);
    if (!answer_file_read(&file, &app->project.mem, &all, &e))
        return print_error(&e);
    app_list_begin(&list, app);
    for (size_t i = 0; i < all.n; i++)
        if (list.json)
            write_answer_json(&list.w, &all.v[i]);
        else
            write_answer_line(&list.out, &all.v[i]);
    app_list_end(&list, true);
    if (!all.n && !app->opt.json && isatty(STDERR_FILENO))
        fputs("no answers are remembered for this project\n", stderr);
    return EXIT_OK;
}

int trust_forget(struct app *app, int words, char **word)
{
    struct answer_file file;
    size_t n, all = 0;
    struct err e;

    answer_file_init(&file, &app->project.state.port);
    for (int i = 0; i < words; i++) {
        const char *id = str_eq(str_of(word[i]), STR("all")) ? NULL : word[i];

        if (!answer_file_forget(&file, id, &n, &e))
            return e.code == ERR_INVALID ? print_usage_error("%s", e.text) : print_error(&e);
        all += n;
    }
    if (app->opt.json)
        printf("{\"revoked\":%zu}\n", all);
    else
        printf("revoked %zu remembered answer%s\n", all, all == 1 ? "" : "s");
    return EXIT_OK;
}
