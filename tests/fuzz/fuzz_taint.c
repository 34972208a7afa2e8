/*
 * fuzz_taint.c - labels made of names that others choose: tools of servers, hosts, principals.
 *
 * No name can end a label or a source, or look like a signal; a joined label has all sources of both
 * (or "others"), and the label that is shown fits its buffer.
 */
#include "core/guard/taint_label.h"

#include "base/auto.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void check_source(struct arena *mem, struct str source)
{
    must(source.n <= TAINT_SOURCE_BYTES);
    must(str_find_byte(source, ',') < 0 && str_find_byte(source, '!') < 0);
    must(!taint_is_suspicious(source));
    if (source.n) {
        must(taint_has(source, source));
        must(taint_is_suspicious(taint_suspect(mem, source, STR("override"))));
    }
}

static void check_joined(struct arena *mem, struct str a, struct str b)
{
    struct str all = taint_join(mem, a, b), rest = all, source;
    size_t count = 0;

    while (taint_next(&rest, &source))
        count++;
    must(count <= TAINT_SOURCES_MOST + 1);
    for (rest = a; taint_next(&rest, &source);)
        must(taint_has(all, str_head(source, str_find_byte(source, '!') < 0
                                                 ? source.n
                                                 : (size_t)str_find_byte(source, '!'))) ||
             taint_has(all, STR("others")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct str rest = { (const char *)data, size }, label = STR_NONE;
    char shown[TAINT_SHOWN];

    while (rest.p && rest.n) {
        struct str name = str_cut(&rest, '\n');
        struct str source = name.n % 2 ? taint_source(&mem, name) : taint_source_of_url(&mem, name);

        check_source(&mem, source);
        check_joined(&mem, label, source);
        label = taint_join(&mem, label, source);
        if (name.n > 3 && name.p[0] == '!')
            label = taint_suspect(&mem, label, STR("override"));
    }
    must(strlen(taint_shown(label, shown)) < TAINT_SHOWN);
    taint_sources(&mem, label);
    return 0;
}
