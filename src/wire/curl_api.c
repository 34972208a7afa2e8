#include "wire/curl_api.h"

#include "base/str.h"
#include "loop/shared_lib.h"

#define INSTALL "install the package libcurl4 (Debian: apt install libcurl4)"

enum { OLDEST = 0x075700 }; /* 7.87 brought CURLOPT_QUICK_EXIT */

static const struct shared_function functions[] = {
#define CURL_API_ROW(field, function) { #function, offsetof(struct curl_api, field) },
    CURL_API(CURL_API_ROW)
#undef CURL_API_ROW
};

bool curl_api_load(const char *file, struct curl_api *out, struct err *e)
{
    const struct shared_lib library = {
        .file = file,
        .purpose = "HTTP needs libcurl",
        .package = "libcurl4",
        .function = functions,
        .functions = ARRAY_LEN(functions),
    };

    return shared_lib_load(&library, out, e);
}

static bool init(const struct curl_api *api, struct err *e)
{
    const curl_version_info_data *v = api->version_info(CURLVERSION_NOW);

    if (v->version_num < OLDEST)
        return fail(e, ERR_SYSTEM, "libcurl %s is too old, 7.87 is needed; " INSTALL, v->version);
    if (api->global_init(CURL_GLOBAL_DEFAULT))
        return fail(e, ERR_SYSTEM, "libcurl %s cannot be initialized", v->version);
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
