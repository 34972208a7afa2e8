/*
 * web_fetch.c - fetches a page from the internet and returns it as text.
 *
 * The URL may come from a model or a page, so it may reach only public addresses and those that the
 * user's configuration allows, also after redirects (FETCH_OUTSIDE, wire/address_guard.h). The
 * result is marked as untrusted data. Pages are converted to text on a pool thread.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "core/guard/taint_label.h"
#include "tool/html_text.h"
#include "tool/tool_job.h"
#include "tool/tool_resources.h"
#include "tool/tools.h"

struct web_fetch {
    struct tool_job job; /* first */
    struct fetch fetch;
    struct str body;
    bool html, latin;
};

/* ---- what came --------------------------------------------------------------------------- */

static struct str media_type(struct str header)
{
    struct str rest = header;

    return header.p ? str_trim(str_cut(&rest, ';')) : STR_NONE;
}

static bool is_html(struct str type, struct str body)
{
    if (type.p)
        return str_eq_nocase(type, STR("text/html")) ||
               str_eq_nocase(type, STR("application/xhtml+xml"));
    return str_starts(str_trim(str_head(body, 100)), STR("<"));
}

/* Types that are text without saying so. */
static bool is_text(struct str type, struct str body)
{
    static const struct str known[] = { STR("application/json"),       STR("application/xml"),
                                        STR("application/javascript"), STR("application/toml"),
                                        STR("application/yaml"),       STR("application/x-sh") };

    if (!type.p)
        return str_find_byte(body, 0) < 0;
    if (str_eq_nocase(str_head(type, 5), STR("text/")) || str_ends(type, STR("+json")) ||
        str_ends(type, STR("+xml")))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq_nocase(type, known[i]))
            return true;
    return false;
}

/* Does the header name a charset whose bytes are, near enough, the first 256 characters? */
static bool is_latin(struct str header)
{
    for (size_t i = 0; i + 8 <= header.n; i++) {
        struct str at = str_skip(header, i);

        if (str_eq_nocase(str_head(at, 8), STR("charset=")))
            return str_eq_nocase(str_head(str_skip(at, 8), 10), STR("iso-8859-1")) ||
                   str_eq_nocase(str_head(str_skip(at, 8), 12), STR("windows-1252"));
    }
    return false;
}

static struct str from_latin(struct arena *mem, struct str s)
{
    struct buf out;

    buf_init_in(&out, mem, 2 * s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        char c[4];

        buf_put(&out, (struct str){ c, utf8_encode((unsigned char)s.p[i], c) });
    }
    return out.n ? buf_str(&out) : STR("");
}

/* ---- on the pool thread ------------------------------------------------------------------ */

static bool run(struct tool_job *w, struct err *e)
{
    struct web_fetch *f = CONTAINER_OF(w, struct web_fetch, job);
    struct html_text page = { .title = STR(""), .text = f->body };
    struct buf out;

    if (f->latin)
        page.text = from_latin(&w->mem, page.text);
    if (f->html &&
        !html_to_text(&w->mem, page.text, (size_t)w->host->limits->message_bytes, &page, e))
        return false;
    buf_init_in(&out, &w->mem, page.text.n + page.title.n + f->fetch.url.n + 256);
    if (f->fetch.status != 200)
        buf_printf(&out, "HTTP status %d\n", f->fetch.status);
    buf_printf(&out, "URL: " STR_FMT "\n", STR_ARG(f->fetch.url));
    if (page.title.n) {
        buf_put(&out, STR("Title: "));
        buf_put(&out, page.title);
        buf_putc(&out, '\n');
    }
    buf_putc(&out, '\n');
    buf_put(&out, page.text);
    if (page.truncated)
        buf_put(&out, STR("\n\n[the page is too complex: its end was omitted]"));
    w->answer = buf_str(&out);
    return true;
}

/* ---- on the loop ------------------------------------------------------------------------- */

static void told(struct tool_job *w)
{
    struct web_fetch *f = CONTAINER_OF(w, struct web_fetch, job);

    call_text(w->call, w->answer);
    w->call->is_error = f->fetch.status >= 400;
    call_done(w->call);
}

static void on_fetched(struct op *op, const struct err *e, void *ctx)
{
    struct web_fetch *f = ctx;
    struct call *call = f->job.call;
    struct str header, type;

    (void)op;
    if (e && e->code == ERR_CANCELED) {
        call_done(call); /* the call knows that it was cancelled */
        return;
    }
    if (e) {
        call_failed(call, "%s", e->text);
        return;
    }
    header = fetch_header(&f->fetch, "content-type");
    type = media_type(header);
    f->body = f->fetch.body;
    f->html = is_html(type, f->body);
    f->latin = is_latin(header);
    if (f->html || is_text(type, f->body))
        tool_job_start(&f->job, run, told);
    else
        call_failed(call,
                    "the answer (status %d) is " STR_FMT ", %zu bytes; only text can be "
                    "returned",
                    f->fetch.status, STR_ARG(utf8_head(type.p ? type : STR("binary"), 100)),
                    f->body.n);
}

struct web_fetch_args {
    struct str url;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("url", PICK_STR, struct web_fetch_args, url, PICK_MUST),
};

static const struct http_header headers[] = {
    { STR("Accept"), STR("text/html, text/plain, application/json, */*;q=0.5") },
};

static void start(struct call *call)
{
    struct web_fetch_args args = { 0 };
    struct web_fetch *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    if (!call->host->world || call->host->world->closing) {
        call_failed(call, "fetching is not available");
        return;
    }
    call->untrusted = true;
    call->from = taint_source_of_url(call->mem, args.url);
    f = TOOL_JOB_NEW(call, struct web_fetch);
    fetch_start(&f->fetch, tool_resources_http(call->host->world), &call->op,
                &(struct fetch_request){ .url = args.url,
                                         .header = headers,
                                         .headers = ARRAY_LEN(headers),
                                         .zone = FETCH_OUTSIDE,
                                         .follow = FETCH_FOLLOW_ANY,
                                         .policy = &call->host->world->outside,
                                         .body_bytes = call->host->limits->web_fetch_bytes,
                                         .mem = call->mem },
                on_fetched, f);
}

const struct tool tool_web_fetch = {
    .name = "web_fetch",
    .title = "Fetch a page",
    .description = "Fetch a page from the internet over HTTP or HTTPS and return its text. HTML is "
                   "converted to readable text with its title and link targets. JSON and plain "
                   "text are returned unchanged. Only public addresses are allowed, unless the "
                   "user has configured others.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"url\":{\"type\":\"string\","
                    "\"description\":\"http:// or https:// URL.\"}},"
                    "\"required\":[\"url\"]}",
    .kind = TOOL_FETCH,
    .read_only = true,
    .idempotent = true,
    .open_world = true,
    .start = start,
};
