/*
 * fuzz_command.c - any bytes as a shell text that is compared with the patterns of lists.
 *
 * An allow list never lets a text pass in which a shell finds more than one plain command. This is
 * checked by a reader of quotes that knows nothing of the other one. What the allow list lets pass,
 * the same pattern in a deny list matches as well.
 */
#include "core/guard/command_pattern.h"

#include "base/auto.h"
#include "base/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

/* Does a shell do anything with this text besides splitting it into words? */
static bool is_plain(struct str text)
{
    char quote = 0;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];

        if (quote == '\'') {
            quote = c == '\'' ? 0 : quote;
        } else if (c == '$' || c == '`' || c == '\\') {
            return false;
        } else if (quote) {
            quote = c == '"' ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c && strchr(";&|<>(){}\n\r", c)) {
            return false;
        }
    }
    return !quote;
}

static bool fits(struct arena *mem, struct str text, const char *pattern, enum pattern_use use)
{
    struct json_opts opts = { .max_depth = 4, .max_values = 10 };
    struct buf out;
    struct jw w;
    struct json args;
    struct err e;

    buf_init_in(&out, mem, 8 * text.n + 64);
    w = jw_to(&out);
    jw_object(&w);
    jw_kstr(&w, "command", text);
    jw_object_end(&w);
    must(json_read(mem, buf_str(&out), &opts, &args, &e));
    return command_pattern_fits(str_of(pattern), args, use);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const patterns[] = { "git status:*", "echo *", "*", "make test", "a * b" };
    AUTO_ARENA mem = { 0 };
    struct str text = { (const char *)data, size };

    for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
        if (fits(&mem, text, patterns[i], PATTERN_ALLOWS)) {
            must(is_plain(str_trim(text)));
            must(fits(&mem, text, patterns[i], PATTERN_DENIES));
        }
    return 0;
}
