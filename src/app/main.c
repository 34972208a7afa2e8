/* main.c - parses the command line and runs a verb. */
#include "app/help.h"
#include "sandbox/keep.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

/* ---- finding the verb ---------------------------------------------------------------------- */

static void drop_word(int *argc, char **argv, int at)
{
    memmove(argv + at, argv + at + 1, (size_t)(*argc - at) * sizeof(*argv));
    (*argc)--;
}

/*
 * Remove the verb from argv and return it. If there is no verb to run, returns NULL and sets *code.
 */
static const struct verb *take_verb(int *argc, char **argv, int *code)
{
    const struct option_set sets[] = { { global_options, global_options_count, NULL, NULL } };
    int at = options_first_word(sets, ARRAY_LEN(sets), *argc, argv);
    const struct verb *v;

    if (!at)
        return &verb_help;
    v = verb_for_words(argv[at], argv[at + 1]);
    if (v)
        drop_word(argc, argv, at + 1);
    else
        v = verb_named(argv[at]);
    if (v)
        drop_word(argc, argv, at);
    else
        *code = unknown_verb(argv[at]);
    return v;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static bool set_log_level(struct app *app, struct err *e)
{
    if (app->opt.log_level &&
        !log_level_named(str_of(app->opt.log_level), &app->project.config.log_level))
        return fail(e, ERR_INVALID, "--log-level %.40s: expected error, warn, info, debug or trace",
                    app->opt.log_level);
    log_setup(app->project.config.log_level, app->project.config.log_json);
    return true;
}

static bool main_load(struct app *app, const struct verb *v, struct err *e)
{
    struct project *p = &app->project;

    p->config_file = app->opt.config;
    p->trust = app->opt.trust;
    config_preset(&p->config);
    if (!v->bare && !root_find(&p->mem, app->opt.root, &p->root, e))
        return false;
    if (!v->bare)
        state_dir_init(&p->state, p->root.path);
    if (!v->bare && !config_load(&p->mem, &p->root, p->config_file, p->trust, &p->config, e))
        return false;
    if (!set_log_level(app, e))
        return false;
    if (v->serves)
        notes_log(&p->config.notes);
    return true;
}

/*
 * Is help requested? This is checked before the options are parsed, so that help is shown even if
 * the rest of the command line is wrong.
 */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && !str_eq(str_of(argv[i]), STR("--")); i++)
        if (str_eq(str_of(argv[i]), STR("-h")) || str_eq(str_of(argv[i]), STR("--help")))
            return true;
    return false;
}

/*
 * Find the subcommand that the words name or, without a name, the default subcommand. If the verb
 * has no such subcommand, sets *code and returns false.
 */
static bool find_subcommand(struct command *c, const char *name, int *code)
{
    if (!c->verb->subs)
        return true;
    if (name)
        c->sub = subcommand_named(c->verb, name);
    else if (!c->verb->needs_subcommand)
        c->sub = &c->verb->sub[0];
    if (name && !c->sub)
        *code = unknown_subcommand(c->verb, name);
    return c->sub || !name;
}

static int run_command(struct app *app, struct command c, void *args, int words, char **word)
{
    bool named = c.sub && words; /* the first word is the name of the subcommand */
    int code;
    struct err e;

    if (c.verb->needs_subcommand && !c.sub)
        return command_usage(&app->project.mem, c, "missing command");
    code = command_check_words(&app->project.mem, c, words - named, word + named);
    if (code != EXIT_OK)
        return code;
    if (!main_load(app, c.verb, &e))
        return print_usage_error("%s", e.text);
    return c.verb->run(app, args, words, word);
}

/* `name` is "trefoil VERB SUBCOMMAND", or "trefoil" when no verb was given. */
static int fail_options(const char *name, struct command c, const struct err *e)
{
    bool runs_command = strstr(command_words(c), "-- COMMAND") != NULL;
    const char *verb = strchr(name, ' ');

    return print_usage_error("%s%s%s%s", verb ? verb + 1 : "", verb ? ": " : "", e->text,
                             runs_command ? " (write -- before a command that has options)" : "");
}

static int run_verb(struct app *app, const struct verb *v, int argc, char **argv)
{
    void *args = ARENA_ARRAY(&app->project.mem, char, v->args_size);
    struct option_set sets[] = {
        { v->option, v->options, args, NULL },
        { global_options, global_options_count, &app->opt, NULL },
    };
    struct command c = { v, NULL };
    int named = options_first_word(sets, ARRAY_LEN(sets), argc, argv), code;
    const char *name;
    struct err e;

    if (!find_subcommand(&c, named ? argv[named] : NULL, &code))
        return code;
    if (asks_for_help(argc, argv) && v != &verb_help)
        return help_print(&app->project.mem, named ? c : (struct command){ v, NULL });
    sets[0].only = command_options(c);
    name = v == &verb_help ? TREFOIL_NAME : command_name(&app->project.mem, c);
    if (!options_read(sets, ARRAY_LEN(sets), name, &argc, argv, &e))
        return fail_options(name, c, &e);
    if (app->opt.version)
        return help_version(app);
    return run_command(app, c, args, argc - 1, argv + 1);
}

/* ---- the process --------------------------------------------------------------------------- */

/*
 * Open stdin, stdout and stderr if the parent process has closed them. Otherwise the next opened
 * file would get one of their numbers.
 */
static void open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(EXIT_FAILED);
}

/* Flush stdout. Lost output is a failure, unless the reader has closed the pipe. */
static int flush_output(int code)
{
    struct pollfd out = { .fd = STDOUT_FILENO };
    struct err e;

    if ((fflush(stdout) == 0 && !ferror(stdout)) ||
        (poll(&out, 1, 0) == 1 && (out.revents & POLLERR)))
        return code;
    fail_sys(&e, "cannot write to stdout");
    return print_error(&e);
}

int main(int argc, char **argv)
{
    struct app app = { 0 };
    const struct verb *v;
    int code = EXIT_OK;

    if (argc > 1 && str_eq(str_of(argv[1]), STR("keep")))
        return keep_main(argc - 1, argv + 1);
    open_standard();
    v = take_verb(&argc, argv, &code);
    if (v)
        code = run_verb(&app, v, argc, argv);
    arena_fini(&app.project.mem);
    return flush_output(code);
}
