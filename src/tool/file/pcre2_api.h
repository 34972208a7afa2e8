/*
 * pcre2_api.h - loads the library PCRE2 when an expression is first compiled (loop/shared_lib.h).
 */
#ifndef TOOL_FILE_PCRE2_API_H
#define TOOL_FILE_PCRE2_API_H

#include "base/err.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Each row: the field of struct pcre2_api, and the function of PCRE2. */
#define PCRE2_API(X)                                                                               \
    X(compile_context_create, pcre2_compile_context_create_8)                                      \
    X(compile_context_free, pcre2_compile_context_free_8)                                          \
    X(set_newline, pcre2_set_newline_8)                                                            \
    X(set_parens_nest_limit, pcre2_set_parens_nest_limit_8)                                        \
    X(compile, pcre2_compile_8)                                                                    \
    X(code_free, pcre2_code_free_8)                                                                \
    X(match_context_create, pcre2_match_context_create_8)                                          \
    X(match_context_free, pcre2_match_context_free_8)                                              \
    X(set_match_limit, pcre2_set_match_limit_8)                                                    \
    X(set_depth_limit, pcre2_set_depth_limit_8)                                                    \
    X(set_heap_limit, pcre2_set_heap_limit_8)                                                      \
    X(set_callout, pcre2_set_callout_8)                                                            \
    X(match_data_create, pcre2_match_data_create_8)                                                \
    X(match_data_free, pcre2_match_data_free_8)                                                    \
    X(match, pcre2_match_8)                                                                        \
    X(get_error_message, pcre2_get_error_message_8)

struct pcre2_api {
#define PCRE2_API_FIELD(field, function) __typeof__(function) *field;
    PCRE2_API(PCRE2_API_FIELD)
#undef PCRE2_API_FIELD
};

/*
 * Get the functions of the library. The first call, on any thread, loads it. ERR_SYSTEM: the
 * message names the package to install.
 */
bool pcre2_api_open(const struct pcre2_api **out, struct err *e);

#endif
