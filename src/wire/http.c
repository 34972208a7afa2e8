#include "wire/http.h"

#include <stdio.h>
#include <time.h>

static const struct {
    int code;
    const char *text;
} statuses[] = {
    { 100, "Continue" },
    { 200, "OK" },
    { 202, "Accepted" },
    { 204, "No Content" },
    { 400, "Bad Request" },
    { 401, "Unauthorized" },
    { 403, "Forbidden" },
    { 404, "Not Found" },
    { 405, "Method Not Allowed" },
    { 406, "Not Acceptable" },
    { 408, "Request Timeout" },
    { 409, "Conflict" },
    { 411, "Length Required" },
    { 413, "Content Too Large" },
    { 414, "URI Too Long" },
    { 415, "Unsupported Media Type" },
    { 417, "Expectation Failed" },
    { 429, "Too Many Requests" },
    { 431, "Request Header Fields Too Large" },
    { 500, "Internal Server Error" },
    { 501, "Not Implemented" },
    { 503, "Service Unavailable" },
    { 504, "Gateway Timeout" },
    { 505, "HTTP Version Not Supported" },
};

const char *http_status_text(int status)
{
    for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
        if (statuses[i].code == status)
            return statuses[i].text;
    return "Unknown";
}

struct str http_header_get(const struct http_header *h, size_t n, const char *name)
{
    struct str want = str_of(name);

    for (size_t i = 0; i < n; i++)
        if (h[i].name.n == want.n && str_eq_nocase(h[i].name, want)) /* mostly not as long */
            return h[i].value;
    return STR_NONE;
}

/* Is `range` a wildcard that covers the type: all types, or its family? */
static bool range_covers(struct str range, struct str type)
{
    struct str family = str_head(type, (size_t)str_find_byte(type, '/') + 1);

    return str_eq(range, STR("*/*")) || (range.n == family.n + 1 && str_ends(range, STR("/*")) &&
                                         str_eq_nocase(str_head(range, family.n), family));
}

bool http_accepts(struct str accept, const char *type)
{
    struct str want = str_of(type);

    if (!accept.p)
        return true;
    while (accept.p) {
        struct str item = str_cut(&accept, ',');
        struct str name = str_trim(str_cut(&item, ';'));

        if (str_eq_nocase(name, want) || (str_ends(name, STR("*")) && range_covers(name, want)))
            return true;
    }
    return false;
}

void http_date(int64_t wall_ms, char out[HTTP_DATE])
{
    static const char day[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char month[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    time_t sec = (time_t)(wall_ms / 1000);
    struct tm tm;

    gmtime_r(&sec, &tm);
    snprintf(out, HTTP_DATE, "%s, %02u %s %04u %02u:%02u:%02u GMT", day[tm.tm_wday],
             (unsigned)tm.tm_mday % 100, month[tm.tm_mon], (unsigned)(tm.tm_year + 1900) % 10000,
             (unsigned)tm.tm_hour % 100, (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100);
}
