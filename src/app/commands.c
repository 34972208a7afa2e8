#include "app/commands.h"

#include "base/nearest.h"

#include <stdarg.h>
#include <stdio.h>

static const struct verb *const verbs[] = {
    &verb_chat,    &verb_run,     &verb_sessions, &verb_tasks,  &verb_approvals, &verb_locks,
    &verb_serve,   &verb_mcp,     &verb_acp,      &verb_agents, &verb_models,    &verb_a2a,
    &verb_servers, &verb_tools,   &verb_connect,  &verb_trust,  &verb_config,    &verb_sandbox,
    &verb_doctor,  &verb_explain, &verb_audit,    &verb_backup, &verb_gc,        &verb_state,
    &verb_init,    &verb_version, &verb_help,
};

/* Other names of verbs, which other programs use. Help does not list them. */
static const struct alias {
    const char *word[2]; /* the second follows the first */
    const char *verb;
} aliases[] = {
    /* mcp offers agents, unless --scope selects something else */
    { { "subagent", "serve" }, "mcp" },
};

const struct option global_options[] = {
    { "root", OPTION_TEXT, offsetof(struct app_options, root), "DIR",
      "Work in this root folder (default: the nearest one with trefoil.toml, .trefoil or .git)" },
    { "config", OPTION_TEXT, offsetof(struct app_options, config), "FILE",
      "Read this file instead of trefoil.toml and your config.toml" },
    { "trust", OPTION_FLAG, offsetof(struct app_options, trust), NULL,
      "Trust the project's files for this run (see: trefoil trust)" },
    { "log-level", OPTION_TEXT, offsetof(struct app_options, log_level), "LEVEL",
      "Log to stderr at this level: error, warn, info, debug or trace" },
    { "json", OPTION_FLAG, offsetof(struct app_options, json), NULL, "Print JSON" },
    { "h,help", OPTION_FLAG, offsetof(struct app_options, help), NULL, "Show this help" },
    { "V,version", OPTION_FLAG, offsetof(struct app_options, version), NULL, "Show the version" },
};

const size_t global_options_count = ARRAY_LEN(global_options);

const struct verb *verb_at(size_t i)
{
    return i < ARRAY_LEN(verbs) ? verbs[i] : NULL;
}

const struct verb *verb_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        if (str_eq(str_of(name), str_of(verbs[i]->name)))
            return verbs[i];
    return NULL;
}

const struct verb *verb_for_words(const char *first, const char *second)
{
    for (size_t i = 0; second && i < ARRAY_LEN(aliases); i++)
        if (str_eq(str_of(first), str_of(aliases[i].word[0])) &&
            str_eq(str_of(second), str_of(aliases[i].word[1])))
            return verb_named(aliases[i].verb);
    return NULL;
}

const struct subcommand *subcommand_named(const struct verb *v, const char *name)
{
    for (size_t i = 0; i < v->subs; i++)
        if (str_eq(str_of(name), str_of(v->sub[i].name)))
            return &v->sub[i];
    return NULL;
}

/* ---- messages ----------------------------------------------------------------------------- */

const char *command_name(struct arena *mem, struct command c)
{
    return arena_printf(mem, TREFOIL_NAME " %s%s%s", c.verb->name, c.sub ? " " : "",
                        c.sub ? c.sub->name : "")
        .p;
}

const char *command_words(struct command c)
{
    return c.sub ? c.sub->words : c.verb->words;
}

const char *command_options(struct command c)
{
    if (!c.sub)
        return NULL;
    return c.sub->options ? c.sub->options : "";
}

int command_usage(struct arena *mem, struct command c, const char *fmt, ...)
{
    const char *name = command_name(mem, c), *words = command_words(c);
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    print_usage_error("%s: %s", name + strlen(TREFOIL_NAME " "), text);
    fprintf(stderr, "usage: %s%s%s\n", name, words[0] ? " " : "", words);
    return EXIT_USAGE;
}

int unknown_verb(const char *name)
{
    struct nearest n = nearest_to(str_of(name));

    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        nearest_try(&n, str_of(verbs[i]->name));
    return print_usage_error("unknown command \"%.40s\"%s", name,
                             n.best.p ? nearest_hint(&n) : "; see: " TREFOIL_NAME " help");
}

int unknown_subcommand(const struct verb *v, const char *name)
{
    struct nearest n = nearest_to(str_of(name));
    char list[200] = "";
    size_t at = 0;

    for (size_t i = 0; i < v->subs && at < sizeof(list); i++) {
        if (!v->sub[i].summary)
            continue;
        nearest_try(&n, str_of(v->sub[i].name));
        at +=
            (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : "", v->sub[i].name);
    }
    return print_usage_error("%s: unknown command \"%.40s\"%s%s%s", v->name, name, nearest_hint(&n),
                             n.best.p ? "" : "; available commands: ", n.best.p ? "" : list);
}

/* Return the n-th word of a usage line such as "NAME [JSON | -]". */
static struct str nth_word(const char *words, int n)
{
    struct str rest = str_of(words), word = str_cut(&rest, ' ');

    while (n-- && rest.p)
        word = str_cut(&rest, ' ');
    return word;
}

int command_check_words(struct arena *mem, struct command c, int words, char **word)
{
    int least = c.sub ? c.sub->least : c.verb->least, most = c.sub ? c.sub->most : c.verb->most;

    if (words < least)
        return command_usage(mem, c, "missing " STR_FMT,
                             STR_ARG(nth_word(command_words(c), words)));
    if (most != WORDS_ANY && words > most)
        return command_usage(mem, c, "unexpected argument \"%.40s\"", word[most]);
    return EXIT_OK;
}
