/* test_values.c - what env:, file: and ${...} stand for. */
#include "base/display.h"
#include "config/config_values.h"
#include "place.h"

static const struct {
    const char *text, *want; /* want NULL: an error */
} expansions[] = {
    { "plain", "plain" },
    { "", "" },
    { "${V}", "val" },
    { "a${V}b${V}c", "avalbvalc" },
    { "${V:-x}", "val" },
    { "${NOT_SET:-x}", "x" },
    { "${NOT_SET:-}", "" },
    { "${EMPTY:-x}", "x" },
    { "${EMPTY}", "" },
    { "${env:V}", "val" },
    { "${env:NOT_SET:-d}", "d" },
    { "${workspaceFolder}/x", "/some/folder/x" },
    { "${workspaceFolderBasename}", "folder" },
    { "${pathSeparator}${/}", "//" },
    { "$V $$ {V}", "$V $$ {V}" },
    { "${NOT_SET}", NULL },
    { "${env:NOT_SET}", NULL },
    { "${input:token}", NULL },
    { "${command:x}", NULL },
    { "${V", NULL },
};

TEST(variables_are_put_in)
{
    AUTO_ARENA mem = { 0 };

    setenv("V", "val", 1);
    setenv("EMPTY", "", 1);
    unsetenv("NOT_SET");
    for (size_t i = 0; i < ARRAY_LEN(expansions); i++) {
        struct str out = STR("-");
        struct err e = { 0 };
        bool ok = value_expand(&mem, str_of(expansions[i].text), "/some/folder", &out, &e);

        EQ(ok, expansions[i].want != NULL);
        if (ok)
            EQ_S(out, expansions[i].want);
    }
}

TEST(secrets_come_from_the_environment_or_a_file)
{
    AUTO_PLACE at = place_new();
    struct str out = STR_NONE;
    struct err e = { 0 };

    setenv("V", "val", 1);
    unsetenv("NOT_SET");
    place_write(&at, "key", "hush\r\n\n");
    OK(value_resolve(&at.mem, STR("env:V"), at.path, 100, &out, &e));
    EQ_S(out, "val");
    OK(value_resolve(&at.mem, STR("file:key"), at.path, 100, &out, &e));
    EQ_S(out, "hush");
    OK(value_resolve(&at.mem, arena_printf(&at.mem, "file:%s/key", at.path), "/", 100, &out, &e));
    EQ_S(out, "hush");
    place_write(&at, "home/key", "at home");
    OK(value_resolve(&at.mem, STR("file:~/key"), "/", 100, &out, &e));
    EQ_S(out, "at home");
    OK(value_resolve(&at.mem, STR("literal"), "/", 100, &out, &e));
    EQ_S(out, "literal");
    OK(!value_resolve(&at.mem, STR("env:NOT_SET"), "/", 100, &out, &e));
    OK(strstr(e.text, "NOT_SET is not set"));
    OK(!value_resolve(&at.mem, STR("file:none"), at.path, 100, &out, &e));
    OK(!value_resolve(&at.mem, STR("file:key"), at.path, 3, &out, &e));
    EQ(e.code, ERR_LIMIT);
    OK(chmod(place_file(&at, "key"), 0644) == 0);
    OK(!value_resolve(&at.mem, STR("file:key"), at.path, 100, &out, &e));
    EQ(e.code, ERR_DENIED);
    place_write(&at, "empty", "\n");
    OK(!value_resolve(&at.mem, STR("file:empty"), at.path, 100, &out, &e));
}

TEST(what_is_shown_cannot_deceive)
{
    AUTO_ARENA mem = { 0 };

    EQ_S(shown_text(&mem, STR("caf\xc3\xa9 \xe6\x96\x87")), "caf\xc3\xa9 \xe6\x96\x87");
    EQ_S(shown_text(&mem, STR("a\x1b[1mb\r\n")), "a\\u{1b}[1mb\\u{d}\\u{a}");
    EQ_S(shown_text(&mem, STR("\xe2\x80\xae"
                              "evil")),
         "\\u{202e}evil");
    EQ_S(shown_text(&mem, STR("x\xe2\x80\x8by")), "x\\u{200b}y");
    EQ_S(shown_text(&mem, STR("\xff")), "\\u{ff}");
    EQ_S(shown_text(&mem, STR("\xc2\x9b")), "\\u{9b}");
}

TEST(names_of_secrets_are_known)
{
    static const char *const secret[] = { "Authorization",  "X-Api-Key",   "GITHUB_TOKEN",
                                          "--token",        "DB_PASSWORD", "client_secret",
                                          "OPENAI_API_KEY", "Cookie",      "GH_PAT" };
    static const char *const plain[] = { "Accept", "PATH", "MONKEY", "X-Trace", "--keyboard" };

    for (size_t i = 0; i < ARRAY_LEN(secret); i++)
        OK(names_secret(str_of(secret[i])));
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        OK(!names_secret(str_of(plain[i])));
}

TEST_MAIN()
