/*
 * shared_lib.h - open a shared library when it is first needed.
 *
 * Linking a large library slows down every start of the program, even if the library is not used.
 * So only its headers are used at build time, and its functions are called through a table of
 * pointers that shared_lib_load() fills.
 */
#ifndef LOOP_SHARED_LIB_H
#define LOOP_SHARED_LIB_H

#include "base/err.h"

#include <stddef.h>

/* The name of a function, and the offset of its pointer in the table. */
struct shared_function {
    const char *name;
    size_t offset;
};

struct shared_lib {
    const char *file;    /* the argument of dlopen: "libcurl.so.4" */
    const char *purpose; /* begins the error: "HTTP needs libcurl" */
    const char *package; /* the Debian package to install */
    const struct shared_function *function;
    size_t functions;
};

/*
 * Open the library and fill the table. The library is never closed, so the pointers stay valid.
 * ERR_SYSTEM names the package to install; the table is then unchanged.
 */
bool shared_lib_load(const struct shared_lib *lib, void *table, struct err *e);

#endif
