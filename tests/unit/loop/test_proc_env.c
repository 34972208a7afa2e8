/* The environment of a child: the base set, strict, what is named, what is set. */
#include "base/auto.h"
#include "loop/proc_env.h"

#include "tap.h"

static const char *const ours[] = {
    "PATH=/bin",
    "HOME=/u",
    "TMPDIR=/t1",
    "TMP=/t2",
    "TEMP=/t3",
    "USER=u",
    "LOGNAME=u",
    "SHELL=/bin/sh",
    "LANG=C",
    "LC_ALL=C.UTF-8",
    "LC_TIME=C",
    "TERM=dumb",
    "TZ=UTC",
    "SSL_CERT_FILE=/f",
    "SSL_CERT_DIR=/d",
    /* and what must not leak */
    "ANTHROPIC_API_KEY=secret",
    "LC=no",
    "PATHEXT=no",
    "XPATH=no",
    "SSL_KEY=no",
    "SSH_AUTH_SOCK=/s",
    "LD_PRELOAD=/x.so",
    "TREFOIL_ROOT=/r",
    "EMPTY=",
    "no equals sign",
    "=odd",
    "PATH=/second",
    NULL,
};

/* The list, each entry followed by a newline. */
static const char *joined(struct arena *mem, const char *const *list)
{
    struct str all = STR("");

    for (; *list; list++)
        all = arena_printf(mem, STR_FMT "%s\n", STR_ARG(all), *list);
    return all.p;
}

static const char *env_of(struct arena *mem, struct proc_env_opts o)
{
    const char *const *out;
    struct err e;

    o.ours = o.ours ? o.ours : ours;
    if (!proc_env(mem, &o, &out, &e))
        return e.text[0] ? arena_cstr(mem, str_of(e.text)) : "failed";
    return joined(mem, out);
}

TEST(the_base_set_passes_and_nothing_else)
{
    AUTO_ARENA mem = { 0 };

    EQ_STR(env_of(&mem, (struct proc_env_opts){ 0 }),
           "PATH=/bin\nHOME=/u\nTMPDIR=/t1\nTMP=/t2\nTEMP=/t3\nUSER=u\nLOGNAME=u\n"
           "SHELL=/bin/sh\nLANG=C\nLC_ALL=C.UTF-8\nLC_TIME=C\nTERM=dumb\nTZ=UTC\n"
           "SSL_CERT_FILE=/f\nSSL_CERT_DIR=/d\n");
}

TEST(strict_is_path_to_the_letter)
{
    AUTO_ARENA mem = { 0 };

    EQ_STR(env_of(&mem, (struct proc_env_opts){ .strict = true }), "PATH=/bin\n");
}

TEST(what_is_named_passes_too)
{
    AUTO_ARENA mem = { 0 };
    const struct str pass[] = { STR("SSH_AUTH_SOCK"), STR("NOT_SET"), STR("EMPTY"), STR("PATH") };

    EQ_STR(env_of(&mem, (struct proc_env_opts){ .strict = true, .pass = pass, .passes = 4 }),
           "PATH=/bin\nSSH_AUTH_SOCK=/s\nEMPTY=\n");
}

TEST(what_is_set_wins_and_of_equal_names_the_last)
{
    AUTO_ARENA mem = { 0 };
    const struct proc_env_var set[] = {
        { STR("PATH"), STR("/mine") },
        { STR("KEY"), STR("first") },
        { STR("KEY"), STR("a=b c") },
        { STR("NOTHING"), STR_NONE },
    };

    EQ_STR(env_of(&mem, (struct proc_env_opts){ .strict = true, .set = set, .sets = 4 }),
           "PATH=/mine\nKEY=a=b c\nNOTHING=\n");
}

TEST(without_anything_there_is_an_empty_list)
{
    AUTO_ARENA mem = { 0 };
    const char *const nothing[] = { NULL };

    EQ_STR(env_of(&mem, (struct proc_env_opts){ .ours = nothing }), "");
}

TEST(names_and_values_that_cannot_be_are_refused)
{
    static const struct proc_env_var bad[] = {
        { { "", 0 }, { "x", 1 } },
        { { "A=B", 3 }, { "x", 1 } },
        { { "A\0B", 3 }, { "x", 1 } },
        { { "A", 1 }, { "x\0y", 3 } },
    };
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        const char *const *out = NULL;
        struct proc_env_opts o = { .ours = ours, .set = &bad[i], .sets = 1 };
        struct err e = { 0 };

        OK(!proc_env(&mem, &o, &out, &e));
        EQ(e.code, ERR_INVALID);
        OK(!out);
    }
    EQ_STR(
        env_of(&mem, (struct proc_env_opts){ .pass = (struct str[]){ STR("A=B") }, .passes = 1 }),
        "\"A=B\" cannot be the name of an environment variable");
}

TEST_MAIN()
