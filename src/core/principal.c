#include "core/principal.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

const char *const origin_names[ORIGINS] = {
    [ORIGIN_NONE] = "none",     [ORIGIN_TERMINAL] = "terminal", [ORIGIN_STDIO] = "stdio",
    [ORIGIN_SOCKET] = "socket", [ORIGIN_KEY] = "key",           [ORIGIN_LOOPBACK] = "loopback",
};

enum origin origin_named(struct str name)
{
    for (size_t i = 0; i < ORIGINS; i++)
        if (str_eq(name, str_of(origin_names[i])))
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
