#include "core/principal.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

const struct origin_row origin_rows[ORIGINS] = {
    [ORIGIN_NONE] = {
        .name = "none",
        .word = NULL,
        .shown = "an unknown client",
        .scope = "[mcp], not authenticated",
        .caller = "mcp",
        .is_user = false,
        .is_client = true,
    },
    [ORIGIN_TERMINAL] = {
        .name = "terminal",
        .word = "terminal",
        .shown = "a command line verb such as tools call",
        .scope = "the command line",
        .caller = "cli",
        .is_user = true,
        .is_client = false,
    },
    [ORIGIN_RUN] = {
        .name = "run",
        .word = "run",
        .shown = "`run`",
        .scope = "`run`",
        .caller = "cli",
        .is_user = true,
        .is_client = false,
    },
    [ORIGIN_CHAT] = {
        .name = "chat",
        .word = "chat",
        .shown = "`chat`",
        .scope = "`chat`",
        .caller = "cli",
        .is_user = true,
        .is_client = false,
    },
    [ORIGIN_ACP] = {
        .name = "acp",
        .word = "acp",
        .shown = "an editor over ACP",
        .scope = "`acp`",
        .caller = "acp",
        .is_user = true,
        .is_client = false,
    },
    [ORIGIN_STDIO] = {
        .name = "stdio",
        .word = "stdio",
        .shown = "an MCP client on stdio",
        .scope = "[mcp] on stdio",
        .caller = "mcp",
        .is_user = true,
        .is_client = true,
    },
    [ORIGIN_SOCKET] = {
        .name = "socket",
        .word = "socket",
        .shown = "an HTTP client on the Unix socket",
        .scope = "[mcp] on the Unix socket",
        .caller = "mcp",
        .is_user = true,
        .is_client = true,
    },
    [ORIGIN_KEY] = {
        .name = "key",
        .word = "key",
        .shown = "an HTTP client with a key",
        .scope = "[mcp] over HTTP with a key",
        .caller = "mcp",
        .is_user = false,
        .is_client = true,
    },
    [ORIGIN_LOOPBACK] = {
        .name = "loopback",
        .word = "http",
        .shown = "an HTTP client over TCP without a key",
        .scope = "[mcp] over HTTP without a key",
        .caller = "mcp",
        .is_user = false,
        .is_client = true,
    },
};

bool origin_is_terminal(enum origin origin)
{
    return origin_rows[origin].is_user && !origin_rows[origin].is_client;
}

bool origin_may_approve(enum origin origin)
{
    return origin_rows[origin].is_user || origin == ORIGIN_KEY;
}

enum origin origin_named(struct str name)
{
    for (size_t i = 0; i < ORIGINS; i++)
        if (str_eq(name, str_of(origin_rows[i].name)))
            return (enum origin)i;
    return ORIGIN_NONE;
}

struct principal principal_of_user(enum origin origin, uint32_t uid)
{
    struct principal p = { .origin = origin };

    snprintf(p.name, sizeof(p.name), "user:%" PRIu32, uid);
    return p;
}

struct principal principal_of_key(struct str name)
{
    struct principal p = { .origin = ORIGIN_KEY };

    snprintf(p.name, sizeof(p.name), "key:" STR_FMT, STR_ARG(str_head(name, PRINCIPAL_KEY_NAME)));
    return p;
}

struct principal principal_of_loopback(void)
{
    return (struct principal){ ORIGIN_LOOPBACK, "loopback" };
}

struct principal principal_named(enum origin origin, struct str name)
{
    struct principal p = { .origin = origin };

    if (!str_to_c(name, p.name, sizeof(p.name)))
        p.origin = ORIGIN_NONE;
    return p;
}

struct principal principal_self(enum origin origin)
{
    return principal_of_user(origin, geteuid());
}

bool principal_is_operator(struct str name)
{
    struct principal self = principal_self(ORIGIN_NONE);

    return str_eq(name, str_of(self.name));
}

struct str principal_sees(struct str name)
{
    if (principal_is_operator(name))
        return STR_NONE;
    return name.p ? name : STR("");
}

static bool is_key_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

bool principal_key_named(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!is_key_byte(name.p[i]))
            return false;
    return name.n > 0 && name.n <= PRINCIPAL_KEY_NAME;
}
