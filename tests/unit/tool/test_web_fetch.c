/* Pages become text; web_fetch against a small server of its own. */
#include "base/auto.h"
#include "tool/html_text.h"
#include "tool/tool_resources.h"
#include "tool_bench.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

/* ---- pages ------------------------------------------------------------------------------- */

static const struct {
    const char *html, *text;
} pages[] = {
    { "<p>one</p><p>two\n  three</p>", "one\n\ntwo three" },
    { "<h2 class=x>Head</h2>text", "## Head\n\ntext" },
    { "<ul><li>a<li>b</ul>c", "- a\n- b\n\nc" },
    { "a<br>b<br/>c", "a\nb\nc" },
    { "<a href=\"/x?a=1&amp;b\">go <b>on</b></a>.", "go on (/x?a=1&b)." },
    { "<a href='#top'>up</a> <a href=javascript:x()>y</a>", "up y" },
    { "<a href='http://e.test'>http://e.test</a>", "http://e.test" },
    { "<script>if (a<b) '</p>'</script>x<style>p{}</style>y<!-- <p>z -->", "xy" },
    { "&lt;&amp;&#233;&#xE9;&nbsp;&bogus;&#0;&", "<&\u00e9\u00e9 &bogus;\ufffd&" },
    { "<pre>a\n  b</pre>c", "a\n  b\n\nc" },
    { "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1 | 2 |\n3 |" },
    { "<img src=x alt='a &gt; b'> <img>", "[a > b]" },
    { "1 < 2 <3 > x", "1 < 2 <3 > x" },
    { "<!DOCTYPE html><?xml?><html><head><title>T</title></head><body>b", "b" },
    { "<p", "" },
    { "<a href=\"never ends", "" },
    { "<script>never ends", "" },
    { "<!-- never ends", "" },
    { "", "" },
};

static struct html_text convert(struct arena *mem, struct str html, size_t most)
{
    struct html_text page = { .text = STR("") };
    struct err e;

    OK(html_to_text(mem, html, most, &page, &e));
    return page;
}

TEST(pages_become_readable_text)
{
    for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
        AUTO_ARENA mem = { 0 };

        EQ_S(convert(&mem, str_of(pages[i].html), 10000).text, pages[i].text);
    }
}

TEST(a_page_has_a_title)
{
    AUTO_ARENA mem = { 0 };

    EQ_S(convert(&mem, STR("<title> A &amp;\n B </title>x<title>C</title>"), 99).title, "A & B");
    EQ_S(convert(&mem, STR("x"), 99).title, "");
    OK(convert(&mem, STR("<p>aaaaaaaaaaaaaaaaaa"), 8).text.n <= 8);
}

/* Each prefix, and each with a byte gone wrong, gives some text and no more. */
TEST(any_bytes_give_some_text)
{
    static const char page[] = "<!-- c --><title>t</title><a href='x&amp;'>l</a><pre> p</pre>"
                               "<td>&#x41;</td><script>s</script><li>\xff\xfe<img alt=\"i\">";

    for (size_t i = 0; i < sizeof(page); i++) {
        AUTO_ARENA mem = { 0 };
        char bent[sizeof(page)];

        memcpy(bent, page, sizeof(page));
        OK(convert(&mem, (struct str){ bent, i }, 1000).text.n <= 1000);
        bent[i] = "<>&'\"= /"[i % 8];
        OK(convert(&mem, (struct str){ bent, sizeof(page) }, 1000).text.n <= 1000);
    }
}

/* A page of `count` times `first` (# is a number), then `then`. */
static struct str hostile_page(struct arena *mem, const char *first, const char *then, int count)
{
    struct buf out;

    buf_init_in(&out, mem, 4 << 20);
    for (int i = 0; i < count; i++) {
        ptrdiff_t number = str_find_byte(str_of(first), '#');

        buf_put(&out, number < 0 ? str_of(first) : str_head(str_of(first), (size_t)number));
        if (number >= 0)
            buf_printf(&out, "%d%s", i, first + number + 1);
    }
    for (int i = 0; i < count; i++)
        buf_put(&out, str_of(then));
    return buf_str(&out);
}

TEST(hostile_pages_are_bounded)
{
    static const struct {
        const char *first, *then;
        bool truncated;
        int count;
    } rows[] = {
        { "<p><b x#>", "", true, 3000 }, /* each paragraph would copy all open tags */
        { "<div>", "y", false, 10000 },  /* deep */
        { "", "<i", false, 50000 },      { "<i ", "", false, 50000 },
        { "<!-- a b", "", false, 1000 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct str page = hostile_page(&mem, rows[i].first, rows[i].then, rows[i].count);

        OK(convert(&mem, page, 1 << 20).truncated == rows[i].truncated);
    }
}

TEST(long_texts_and_comments_are_not_changed)
{
    AUTO_ARENA mem = { 0 };
    struct str words = hostile_page(&mem, "word# ", "", 3000);
    struct str page =
        arena_printf(&mem, "<!-- " STR_FMT "--><p>" STR_FMT "<script>" STR_FMT "</script>",
                     STR_ARG(words), STR_ARG(words), STR_ARG(words));

    EQ_S(convert(&mem, page, 1 << 20).text, arena_cstr(&mem, str_trim(words)));
}

/* ---- fetching ---------------------------------------------------------------------------- */

struct site {
    pthread_t thread;
    int fd, port;
    const char *answer; /* to every request; a connection each */
};

static void *serve(void *ctx)
{
    struct site *s = ctx;

    for (;;) {
        int fd = accept(s->fd, NULL, NULL);
        char request[4096];

        if (fd < 0)
            return NULL;
        if (read(fd, request, sizeof(request)) > 0)
            (void)!write(fd, s->answer, strlen(s->answer));
        close(fd);
    }
}

static void open_site(struct site *s)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(a);

    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    OK(bind(s->fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(s->fd, 8) == 0);
    OK(getsockname(s->fd, (struct sockaddr *)&a, &n) == 0);
    s->port = ntohs(a.sin_port);
    OK(pthread_create(&s->thread, NULL, serve, s) == 0);
}

static void on_world_closed(void *ctx, bool in_time)
{
    OK(in_time);
    *(bool *)ctx = true;
}

static void close_world(struct bench *b)
{
    bool closed = false;

    tool_resources_close(b->host.world, on_world_closed, &closed);
    OK(until(b->loop, until_true, &closed));
    bench_close(b);
}

TEST(pages_are_fetched)
{
    static const struct {
        const char *answer, *text;
        bool error;
    } rows[] = {
        { "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
          "<title>T</title><p>Hello",
          "Title: T\n\nHello", false },
        { "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":\"<b>\"}",
          "\n\n{\"a\":\"<b>\"}", false },
        { "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n\r\nn\xe9", "n\u00e9",
          false },
        { "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\ngone",
          "HTTP status 404\nURL: ", true },
        { "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG", "is image/png, 4 bytes",
          true },
        { "HTTP/1.1 200 OK\r\n\r\n<p>no type", "no type", false },
        { "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\nx", "fetch", true },
        { "nonsense", "", true },
    };
    struct site site = { .answer = "" };
    struct bench b;
    struct tool_resources world;

    bench_open(&b);
    open_site(&site);
    world = (struct tool_resources){
        .loop = b.loop, .limits = &b.limits, .user_agent = "test", .outside.loopback = true
    };
    b.host.world = &world;
    b.limits.web_fetch_bytes = 1024;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str said;

        site.answer = rows[i].answer;
        said = call(&b, &tool_web_fetch, "{'url':'http://127.0.0.1:%d/'}", site.port);
        EQ(b.call.is_error, rows[i].error);
        OK(b.call.untrusted);
        if (i != 6)
            HAS_S(said, rows[i].text);
    }
    close_world(&b);
    shutdown(site.fd, SHUT_RDWR);
    pthread_join(site.thread, NULL);
    close(site.fd);
}

TEST(what_is_not_public_is_not_fetched)
{
    static const char *const urls[] = {
        "http://127.0.0.1:1/", "http://localhost/", "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",       "http://10.0.0.1/",  "file:///etc/passwd",
        "http://a:b@e.test/",  "nonsense",          "",
    };
    struct bench b;
    struct tool_resources world;

    bench_open(&b);
    HAS_S(call(&b, &tool_web_fetch, "{'url':'http://127.0.0.1/'}"), "fetching is not available");
    world = (struct tool_resources){ .loop = b.loop, .limits = &b.limits, .user_agent = "test" };
    b.host.world = &world;
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        call(&b, &tool_web_fetch, "{'url':'%s'}", urls[i]);
        WAS_REFUSED(&b);
    }
    close_world(&b);
}

TEST_MAIN()
