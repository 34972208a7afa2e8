/*
 * fuzz_front_matter.c - any bytes as a Markdown file with front matter, read strictly and as a file
 * of another program.
 *
 * What the head became must be JSON that reads as the same text; a file that is accepted strictly
 * is accepted leniently and gives the same.
 */
#include "base/auto.h"
#include "base/utf8.h"
#include "config/front_matter.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static bool read_one(struct arena *mem, struct str text, const struct limits *limits, bool lenient,
                     struct front_matter *fm)
{
    const struct front_opts opts = { .file = "f", .limits = limits, .lenient = lenient };
    struct err e = { 0 };

    if (front_matter_read(mem, text, &opts, fm, &e))
        return true;
    must((e.code == ERR_INVALID || e.code == ERR_LIMIT) && !strncmp(e.text, "f:", 2));
    return false;
}

static void check(struct arena *mem, struct str text, const struct front_matter *fm)
{
    const struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = UINT32_MAX };
    struct json again;
    struct err e;

    must(utf8_valid(fm->body) == fm->body.n && fm->body.n <= text.n && fm->line >= 1);
    if (!json_here(fm->head))
        return;
    must(json_type(fm->head) == JSON_OBJECT);
    must(json_read(mem, json_raw(fm->head), &opts, &again, &e));
    must(json_count(again) == json_count(fm->head));
    JSON_MEMBERS(key, fm->head)
    {
        must(json_where(mem, key).p != NULL);
        json_str(mem, json_value(key));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct str text = { (const char *)data, size };
    struct front_matter strict = { 0 }, lenient = { 0 };
    struct limits limits;
    bool ok;

    limits_preset(&limits);
    ok = read_one(&mem, text, &limits, false, &strict);
    if (ok)
        check(&mem, text, &strict);
    if (read_one(&mem, text, &limits, true, &lenient))
        check(&mem, text, &lenient);
    else
        must(!ok);
    if (ok)
        must(str_eq(strict.body, lenient.body) &&
             str_eq(json_raw(strict.head), json_raw(lenient.head)));
    return 0;
}
