#include "wire/curl_api.h"

#include "base/str.h"

#include <dlfcn.h>

#define INSTALL "install the package libcurl4 (Debian: apt install libcurl4)"

enum { OLDEST = 0x075700 }; /* 7.87 brought CURLOPT_QUICK_EXIT */

static const struct {
    const char *name;
    size_t offset; /* of its pointer in struct curl_api */
} functions[] = {
#define CURL_API_ROW(field, function) { #function, offsetof(struct curl_api, field) },
    CURL_API(CURL_API_ROW)
#undef CURL_API_ROW
};

/* The library handle is never closed, so what dlsym gave stays good. */
bool curl_api_load(const char *file, struct curl_api *out, struct err *e)
{
    struct curl_api api = { 0 };
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!lib)
        return fail(e, ERR_SYSTEM, "HTTP needs libcurl (%.80s); " INSTALL, dlerror());
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        void *p = dlsym(lib, functions[i].name);

        if (!p)
            return fail(e, ERR_SYSTEM, "%s has no %s; " INSTALL, file, functions[i].name);
        memcpy((char *)&api + functions[i].offset, &p, sizeof(p));
    }
    *out = api;
    return true;
}

static bool init(const struct curl_api *api, struct err *e)
{
    const curl_version_info_data *v = api->version_info(CURLVERSION_NOW);

    if (v->version_num < OLDEST)
        return fail(e, ERR_SYSTEM, "libcurl %s is too old, 7.87 is needed; " INSTALL, v->version);
    if (api->global_init(CURL_GLOBAL_DEFAULT))
        return fail(e, ERR_SYSTEM, "libcurl %s does not start", v->version);
    return true;
}

bool curl_api_open(const struct curl_api **out, struct err *e)
{
    /* One per process, as libcurl's own state is. */
    static struct curl_api api;
    static bool open;

    if (!open && !(curl_api_load("libcurl.so.4", &api, e) && init(&api, e)))
        return false;
    open = true;
    *out = &api;
    return true;
}
