/* help.c - `trefoil help` and `trefoil version`. */
#include "app/help.h"

#include <stdio.h>

enum { LEFT_WIDTH = 22 }; /* width of the column of options and commands */

/* Print a line " LEFT RIGHT". If LEFT is too long for its column, it gets a separate line. */
static void print_line(const char *left, const char *right)
{
    if (strlen(left) > LEFT_WIDTH)
        printf("  %s\n  %-*s  %s\n", left, LEFT_WIDTH, "", right);
    else
        printf("  %-*s  %s\n", LEFT_WIDTH, left, right);
}

/*
 * List the subcommands that take an option, such as "(watch, events)", if the option applies to
 * only some subcommands.
 */
static void name_takers(const struct verb *v, const struct option *o, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < v->subs && n < size; i++)
        if (v->sub[i].options && option_in(o, v->sub[i].options))
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : " (", v->sub[i].name);
    if (n && n < size)
        snprintf(out + n, size - n, ")");
}

static void print_option(const struct option *o, const char *takers)
{
    char left[64], right[200], letter[8] = "";

    if (option_letter(o))
        snprintf(letter, sizeof(letter), "-%c, ", option_letter(o));
    snprintf(left, sizeof(left), "%s--%s%s%s", letter, option_name(o), o->value ? " " : "",
             o->value ? o->value : "");
    snprintf(right, sizeof(right), "%s%s", o->what, takers);
    print_line(left, right);
}

static void print_own_options(struct command c)
{
    const struct verb *v = c.verb;
    const char *title = "\noptions:\n", *names = command_options(c);

    for (size_t i = 0; i < v->options; i++) {
        char takers[80] = "";

        if (!option_in(&v->option[i], names))
            continue;
        if (!c.sub)
            name_takers(v, &v->option[i], takers, sizeof(takers));
        printf("%s", title);
        title = "";
        print_option(&v->option[i], takers);
    }
}

static void print_global_options(void)
{
    printf("\noptions of every command:\n");
    for (size_t i = 0; i < global_options_count; i++)
        print_option(&global_options[i], "");
}

static void print_subcommands(const struct verb *v)
{
    printf("\ncommands:\n");
    for (size_t i = 0; i < v->subs; i++) {
        char left[80];

        if (!v->sub[i].summary)
            continue;
        snprintf(left, sizeof(left), "%s%s%s", v->sub[i].name, v->sub[i].words[0] ? " " : "",
                 v->sub[i].words);
        print_line(left, v->sub[i].summary);
    }
}

int help_print(struct arena *mem, struct command c)
{
    const struct verb *v = c.verb;
    const char *words = command_words(c);

    printf("usage: %s%s%s [options]\n\n%s\n", command_name(mem, c), words[0] ? " " : "", words,
           c.sub ? c.sub->summary : v->summary);
    if (v->subs && !c.sub)
        print_subcommands(v);
    print_own_options(c);
    print_global_options();
    if (v->more)
        printf("\n%s", v->more);
    return EXIT_OK;
}

static int help_print_all(void)
{
    printf("usage: " TREFOIL_NAME " COMMAND [options]\n\ncommands:\n");
    for (size_t i = 0; verb_at(i); i++)
        print_line(verb_at(i)->name, verb_at(i)->summary);
    print_global_options();
    printf("\n" TREFOIL_NAME " help COMMAND shows the options of one command.\n"
           "Exit codes: 0 success, 1 failure, 2 wrong command line or configuration, 3 denied,\n"
           "4 a limit was reached, 5 the model refused, 130 interrupted.\n");
    return EXIT_OK;
}

/* ---- the verbs ---------------------------------------------------------------------------- */

static int run_help(struct app *app, const void *args, int words, char **word)
{
    struct command c = { 0 };

    (void)args;
    if (!words)
        return help_print_all();
    c.verb = verb_named(word[0]);
    if (!c.verb)
        return unknown_verb(word[0]);
    if (words == 1)
        return help_print(&app->project.mem, c);
    if (!c.verb->subs)
        return print_usage_error("help: \"%s\" has no subcommands", c.verb->name);
    c.sub = subcommand_named(c.verb, word[1]);
    return c.sub ? help_print(&app->project.mem, c) : unknown_subcommand(c.verb, word[1]);
}

int help_version(const struct app *app)
{
    if (app->opt.json)
        printf("{\"name\":\"" TREFOIL_NAME "\",\"version\":\"%s\"}\n", trefoil_version);
    else
        printf(TREFOIL_NAME " %s\n", trefoil_version);
    return EXIT_OK;
}

static int run_version(struct app *app, const void *args, int words, char **word)
{
    (void)args;
    (void)words;
    (void)word;
    return help_version(app);
}

const struct verb verb_help = {
    .name = "help",
    .words = "[COMMAND [SUBCOMMAND]]",
    .summary = "Show help for " TREFOIL_NAME " or for one command",
    .most = 2,
    .bare = true,
    .run = run_help,
};

const struct verb verb_version = {
    .name = "version",
    .words = "",
    .summary = "Show the version of " TREFOIL_NAME,
    .bare = true,
    .run = run_version,
};
