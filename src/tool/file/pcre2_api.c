#include "tool/file/pcre2_api.h"

#include "base/str.h"
#include "loop/shared_lib.h"

#include <pthread.h>

static const struct shared_function functions[] = {
#define PCRE2_API_ROW(field, function) { #function, offsetof(struct pcre2_api, field) },
    PCRE2_API(PCRE2_API_ROW)
#undef PCRE2_API_ROW
};

static const struct shared_lib library = {
    .file = "libpcre2-8.so.0",
    .purpose = "regular expressions need PCRE2",
    .package = "libpcre2-8-0",
    .function = functions,
    .functions = ARRAY_LEN(functions),
};

/* One per process, written once. */
static struct pcre2_api api;
static bool loaded;
static struct err load_error;

static void load_once(void)
{
    loaded = shared_lib_load(&library, &api, &load_error);
}

bool pcre2_api_open(const struct pcre2_api **out, struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_once);
    if (!loaded) {
        *e = load_error;
        return false;
    }
    *out = &api;
    return true;
}
