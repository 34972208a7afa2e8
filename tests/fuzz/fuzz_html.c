/*
 * fuzz_html.c - any bytes as an HTML page.
 *
 * libgumbo must neither abort nor run without end, and the text stays within its limit.
 */
#include "base/auto.h"
#include "tool/html_text.h"

#include <stdlib.h>

enum { MOST = 10000, TITLE_MOST = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct html_text page;
    struct err e = { 0 };

    if (!html_to_text(&mem, (struct str){ (const char *)data, size }, MOST, &page, &e))
        return 0; /* libgumbo is not installed */
    if (page.text.n > MOST || page.title.n > TITLE_MOST)
        abort();
    return 0;
}
