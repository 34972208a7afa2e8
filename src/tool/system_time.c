/* system_time.c - the tool that returns the local time and UTC. */
#include "base/clock.h"
#include "base/digits.h"
#include "tool/tools.h"

enum { OFFSET_TEXT = 6 };

/* "+01:00" */
static struct str offset_text(long seconds, char out[OFFSET_TEXT])
{
    long minutes = (seconds < 0 ? -seconds : seconds) / 60;

    out[0] = seconds < 0 ? '-' : '+';
    digits_put_padded(out + 1, (uint64_t)minutes / 60, 2);
    out[3] = ':';
    digits_put_padded(out + 4, (uint64_t)minutes % 60, 2);
    return (struct str){ out, OFFSET_TEXT };
}

static void start(struct call *call)
{
    int64_t now = loop_wall(call->host->loop);
    struct jw w = jw_to(&call->structured);
    char utc[CLOCK_TEXT], offset[OFFSET_TEXT];

    clock_text(now, utc);
    jw_object(&w);
    jw_kplain(&w, "utc", str_of(utc));
    jw_kint(&w, "unixMs", now);
    jw_kplain(&w, "utcOffset", offset_text(clock_offset(now), offset));
    jw_object_end(&w);
    call_text(call, buf_str(&call->structured));
    call_done(call);
}

const struct tool tool_system_time = {
    .name = "system_time",
    .title = "System time",
    .description = "Get the current time: UTC as RFC 3339, milliseconds since 1970, local offset.",
    .input_schema = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
    .kind = TOOL_READ,
    .read_only = true,
    .start = start,
};
