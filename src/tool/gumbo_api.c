#include "tool/gumbo_api.h"

#include "base/str.h"
#include "loop/shared_lib.h"

#include <pthread.h>

static const struct shared_function functions[] = {
    { "gumbo_parse_with_options", offsetof(struct gumbo_api, parse) },
    { "gumbo_get_attribute", offsetof(struct gumbo_api, attribute) },
};

static const struct shared_lib library = {
    .file = "libgumbo.so.1",
    .purpose = "reading HTML pages needs libgumbo",
    .package = "libgumbo1",
    .function = functions,
    .functions = ARRAY_LEN(functions),
};

/* One per process, written once. */
static struct gumbo_api api;
static bool loaded;
static struct err load_error;

static void load_gumbo(void)
{
    loaded = shared_lib_load(&library, &api, &load_error);
}

bool gumbo_api_open(const struct gumbo_api **out, struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_gumbo);
    if (!loaded) {
        *e = load_error;
        return false;
    }
    *out = &api;
    return true;
}
