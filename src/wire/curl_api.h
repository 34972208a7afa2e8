/*
 * curl_api.h - open libcurl when it is first needed.
 *
 * Linking libcurl costs every start of the program 3 to 5 ms and 4 MB, even if it never fetches
 * anything. So only its headers are used at build time, and its functions are called through
 * this table. The library is never closed: a thread of its resolver may outlive every handle.
 */
#ifndef WIRE_CURL_API_H
#define WIRE_CURL_API_H

#include "base/err.h"

#define CURL_DISABLE_DEPRECATION /* curl_multi_socket_all: see http_client.c */
#include <curl/curl.h>

/* X(field of the table, function of libcurl) */
#define CURL_API(X)                                                                                \
    X(global_init, curl_global_init)                                                               \
    X(version_info, curl_version_info)                                                             \
    X(easy_init, curl_easy_init)                                                                   \
    X(easy_cleanup, curl_easy_cleanup)                                                             \
    X(easy_setopt, curl_easy_setopt)                                                               \
    X(easy_getinfo, curl_easy_getinfo)                                                             \
    X(easy_strerror, curl_easy_strerror)                                                           \
    X(multi_init, curl_multi_init)                                                                 \
    X(multi_cleanup, curl_multi_cleanup)                                                           \
    X(multi_setopt, curl_multi_setopt)                                                             \
    X(multi_add_handle, curl_multi_add_handle)                                                     \
    X(multi_remove_handle, curl_multi_remove_handle)                                               \
    X(multi_socket_action, curl_multi_socket_action)                                               \
    X(multi_socket_all, curl_multi_socket_all)                                                     \
    X(multi_assign, curl_multi_assign)                                                             \
    X(multi_info_read, curl_multi_info_read)                                                       \
    X(slist_append, curl_slist_append)                                                             \
    X(slist_free_all, curl_slist_free_all)                                                         \
    X(url, curl_url)                                                                               \
    X(url_cleanup, curl_url_cleanup)                                                               \
    X(url_set, curl_url_set)                                                                       \
    X(url_get, curl_url_get)                                                                       \
    X(url_strerror, curl_url_strerror)                                                             \
    X(release, curl_free)

struct curl_api {
#define CURL_API_FIELD(field, function) __typeof__(function) *field;
    CURL_API(CURL_API_FIELD)
#undef CURL_API_FIELD
};

/* Get the table. The first call opens libcurl; if that fails, the next call tries again. */
bool curl_api_open(const struct curl_api **out, struct err *e);

/* Fill a table from a library file; for curl_api_open and tests. The ERR_SYSTEM message names the
 * package to install. */
bool curl_api_load(const char *file, struct curl_api *out, struct err *e);

#endif
