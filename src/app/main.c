/* main.c - the verbs, and how a command line finds one. */
#include "app/app.h"
#include "sandbox/keep.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int run_help(struct app *app, const void *args, int words, char **word);
static int run_version(struct app *app, const void *args, int words, char **word);

static const struct verb verb_help = {
    .name = "help",
    .words = "[VERB]",
    .summary = "what there is, or what a verb takes",
    .bare = true,
    .run = run_help,
};

static const struct verb verb_version = {
    .name = "version",
    .words = "",
    .summary = "which trefoil this is",
    .bare = true,
    .run = run_version,
};

static const struct verb *const verbs[] = {
    &verb_chat,    &verb_run,   &verb_sessions, &verb_tasks,  &verb_approvals, &verb_locks,
    &verb_serve,   &verb_mcp,   &verb_agents,   &verb_models, &verb_servers,   &verb_tools,
    &verb_connect, &verb_trust, &verb_config,   &verb_doctor, &verb_explain,   &verb_backup,
    &verb_gc,      &verb_init,  &verb_version,  &verb_help,
};

/* Other words for a verb, as another program may say them; help does not list them. */
static const struct alias {
    const char *word[2]; /* the second follows the first */
    const char *verb;
} aliases[] = {
    { { "subagent", "serve" }, "mcp" }, /* mcp offers agents, unless --scope says otherwise */
};

static const struct option global_options[] = {
    { "root", OPTION_TEXT, offsetof(struct app_options, root), "DIR",
      "work in this folder (default: the nearest with trefoil.toml, .trefoil or .git)" },
    { "config", OPTION_TEXT, offsetof(struct app_options, config), "FILE",
      "read this file instead of trefoil.toml and the user's config.toml" },
    { "trust", OPTION_FLAG, offsetof(struct app_options, trust), NULL,
      "start also what the project's files name, this time (see: trefoil trust)" },
    { "log-level", OPTION_TEXT, offsetof(struct app_options, log_level), "LEVEL",
      "error, warn, info, debug or trace; diagnostics go to stderr" },
    { "json", OPTION_FLAG, offsetof(struct app_options, json), NULL, "print JSON" },
    { "help", OPTION_FLAG, offsetof(struct app_options, help), NULL, "show this help" },
};

/* ---- help ------------------------------------------------------------------------------- */

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        if (str_eq(str_of(name), str_of(verbs[i]->name)))
            return verbs[i];
    return NULL;
}

/* The verb that two words stand for; NULL: none. */
static const struct verb *find_alias(const char *first, const char *second)
{
    for (size_t i = 0; second && i < ARRAY_LEN(aliases); i++)
        if (str_eq(str_of(first), str_of(aliases[i].word[0])) &&
            str_eq(str_of(second), str_of(aliases[i].word[1])))
            return find_verb(aliases[i].verb);
    return NULL;
}

static void print_options(const struct option *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        char left[48], letter[8] = "";

        if (option_letter(&row[i]))
            snprintf(letter, sizeof(letter), "-%c, ", option_letter(&row[i]));
        snprintf(left, sizeof(left), "%s--%s %s", letter, option_name(&row[i]),
                 row[i].value ? row[i].value : "");
        printf("  %-22s %s\n", left, row[i].what);
    }
}

static int print_verb_help(const struct verb *v)
{
    printf("usage: " TREFOIL_NAME " %s %s\n\n%s\n", v->name, v->words, v->summary);
    if (v->options)
        printf("\noptions:\n");
    print_options(v->option, v->options);
    printf("\nfor every verb:\n");
    print_options(global_options, ARRAY_LEN(global_options));
    if (v->more)
        printf("\n%s", v->more);
    return EXIT_OK;
}

static int print_help(void)
{
    printf("usage: " TREFOIL_NAME " VERB [options]\n\n");
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    printf("\nfor every verb:\n");
    print_options(global_options, ARRAY_LEN(global_options));
    return EXIT_OK;
}

static int unknown_verb(const char *name)
{
    char list[400] = "";
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(verbs) && n < sizeof(list); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", verbs[i]->name);
    return app_usage("unknown verb %.40s; accepted are: %s", name, list);
}

static int run_help(struct app *app, const void *args, int words, char **word)
{
    const struct verb *v = words ? find_verb(word[0]) : NULL;

    (void)app;
    (void)args;
    if (words && !v)
        return unknown_verb(word[0]);
    return v ? print_verb_help(v) : print_help();
}

static int run_version(struct app *app, const void *args, int words, char **word)
{
    (void)args;
    (void)words;
    (void)word;
    if (app->opt.json)
        printf("{\"name\":\"" TREFOIL_NAME "\",\"version\":\"%s\"}\n", trefoil_version);
    else
        printf(TREFOIL_NAME " %s\n", trefoil_version);
    return EXIT_OK;
}

/* ---- from the command line to a verb ----------------------------------------------------- */

/* The first word that is not an option of ours or its value; 0 when there is none. */
static int verb_index(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct str arg = str_of(argv[i]);
        bool has_value = false;

        if (!str_starts(arg, STR("--")))
            return i;
        for (size_t k = 0; k < ARRAY_LEN(global_options); k++)
            has_value |= global_options[k].kind == OPTION_TEXT &&
                         str_eq(str_skip(arg, 2), str_of(global_options[k].name));
        i += has_value;
    }
    return 0;
}

static bool set_log_level(struct app *app, struct err *e)
{
    if (app->opt.log_level && !log_level_named(str_of(app->opt.log_level), &app->config.log_level))
        return fail(e, ERR_INVALID,
                    "--log-level %.40s: accepted are error, warn, info, debug, trace",
                    app->opt.log_level);
    log_setup(app->config.log_level, app->config.log_json);
    return true;
}

static bool load(struct app *app, const struct verb *v, struct err *e)
{
    config_preset(&app->config);
    if (!v->bare &&
        (!root_find(&app->mem, app->opt.root, &app->root, e) ||
         !config_load(&app->mem, &app->root, app->opt.config, app->opt.trust, &app->config, e)))
        return false;
    if (!set_log_level(app, e))
        return false;
    if (v->serves)
        notes_log(&app->config.notes);
    return true;
}

static int run_verb(struct app *app, const struct verb *v, int argc, char **argv)
{
    void *args = ARENA_ARRAY(&app->mem, char, v->args_size);
    const struct option_set sets[] = {
        { v->option, v->options, args },
        { global_options, ARRAY_LEN(global_options), &app->opt },
    };
    struct err e;

    if (!options_read(sets, ARRAY_LEN(sets), &argc, argv, &e))
        return app_usage("%s: %s", v->name, e.text);
    if (app->opt.help && v != &verb_help)
        return print_verb_help(v);
    if (!load(app, v, &e))
        return app_usage("%s", e.text);
    return v->run(app, args, argc - 1, argv + 1);
}

static void drop_word(int *argc, char **argv, int at)
{
    memmove(argv + at, argv + at + 1, (size_t)(*argc - at) * sizeof(*argv));
    (*argc)--;
}

/* Who starts us may have closed them; what is opened next would be taken for them. */
static void open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
    struct app app = { 0 };
    int at, code;
    const struct verb *v = &verb_help;

    if (argc > 1 && str_eq(str_of(argv[1]), STR("keep")))
        return keep_main(argc - 1, argv + 1);
    open_standard();
    at = verb_index(argc, argv);
    if (at) {
        v = find_alias(argv[at], argv[at + 1]);
        if (v)
            drop_word(&argc, argv, at + 1);
        else
            v = find_verb(argv[at]);
        if (!v)
            return unknown_verb(argv[at]);
        drop_word(&argc, argv, at);
    }
    code = run_verb(&app, v, argc, argv);
    arena_fini(&app.mem);
    return code;
}
