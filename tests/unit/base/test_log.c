/* test_log.c - lines on stderr, read through a pipe. */
#include "base/auto.h"
#include "base/json.h"
#include "base/log.h"
#include "tap.h"

#include <fcntl.h>

/* stderr goes into a pipe for the time of a test. */
struct ear {
    int fd, real;
    char text[70000];
};

static void ear_fini(struct ear *ear)
{
    dup2(ear->real, STDERR_FILENO);
    close(ear->real);
    close(ear->fd);
    log_setup(LOG_WARN, false);
}

static void ear_init(struct ear *ear)
{
    int ends[2] = { -1, -1 };

    OK(pipe2(ends, O_CLOEXEC) == 0);
    ear->real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ear->fd = ends[0];
}

#define AUTO_EAR __attribute__((cleanup(ear_fini))) struct ear

/* What was written since the last time. */
static const char *heard(struct ear *ear)
{
    ssize_t n = read(ear->fd, ear->text, sizeof(ear->text) - 1);

    ear->text[n > 0 ? n : 0] = 0;
    return ear->text;
}

/* A line behind its time, which differs. */
static const char *after_time(struct ear *ear)
{
    const char *line = heard(ear);

    OK(strlen(line) > 25 && line[4] == '-' && line[10] == 'T' && line[23] == 'Z');
    return strlen(line) > 25 ? line + 25 : "";
}

TEST(a_line_has_time_level_room_message_and_values)
{
    AUTO_EAR ear;

    ear_init(&ear);
    log_setup(LOG_INFO, false);
    LOG(LOG_INFO, "mcp", "server died", LOG_Z("name", "calc"), LOG_N("restarts", -3));
    EQ_STR(after_time(&ear), "info mcp \"server died\" name=calc restarts=-3\n");
    LOG(LOG_ERROR, "app", "stopped");
    EQ_STR(after_time(&ear), "error app stopped\n");
}

TEST(a_value_is_quoted_when_a_reader_would_need_it)
{
    AUTO_EAR ear;

    ear_init(&ear);
    LOG(LOG_WARN, "r", "m", LOG_S("a", STR("")), LOG_S("b", STR("x y")), LOG_S("c", STR("a=b")),
        LOG_S("d", STR("say \"hi\"\n")), LOG_S("e", STR("\xc3\xa9\xff")));
    EQ_STR(after_time(&ear), "warn r m a=\"\" b=\"x y\" c=\"a=b\" d=\"say \\\"hi\\\"\\n\" "
                             "e=\"\xc3\xa9\xef\xbf\xbd\"\n");
}

TEST(json_lines_are_json)
{
    AUTO_EAR ear;
    AUTO_ARENA mem = { 0 };
    const struct json_opts opts = { .max_depth = 4, .max_values = 100 };
    struct json root = { 0 };
    struct err e;
    int64_t n = 0;

    ear_init(&ear);
    log_setup(LOG_WARN, true);
    LOG(LOG_WARN, "mcp", "odd \"thing\"", LOG_Z("name", "a\nb"), LOG_N("count", 7));
    OK(json_read(&mem, str_of(heard(&ear)), &opts, &root, &e));
    OK(json_is(json_get(root, STR("level")), STR("warn")));
    OK(json_is(json_get(root, STR("room")), STR("mcp")));
    OK(json_is(json_get(root, STR("message")), STR("odd \"thing\"")));
    OK(json_is(json_get(root, STR("name")), STR("a\nb")));
    OK(json_int(json_get(root, STR("count")), &n) && n == 7);
    EQ(json_count(root), 6);
}

TEST(lines_below_the_level_are_not_written)
{
    AUTO_EAR ear;

    ear_init(&ear);
    log_setup(LOG_WARN, false);
    LOG(LOG_INFO, "r", "no");
    LOG(LOG_DEBUG, "r", "no");
    EQ_STR(heard(&ear), "");
    OK(log_on(LOG_ERROR) && log_on(LOG_WARN) && !log_on(LOG_INFO));
}

TEST(levels_have_names)
{
    static const char *const names[] = { "error", "warn", "info", "debug", "trace" };
    enum log_level level = LOG_ERROR;

    for (int i = LOG_ERROR; i <= LOG_TRACE; i++) {
        OK(log_level_named(str_of(names[i]), &level));
        EQ(level, i);
    }
    OK(!log_level_named(STR("WARN"), &level) && !log_level_named(STR(""), &level));
    EQ(level, LOG_TRACE);
}

TEST(a_long_value_is_cut_and_too_many_are_left_out)
{
    AUTO_EAR ear;
    char large[5000];
    struct str s = { large, sizeof(large) };

    ear_init(&ear);
    memset(large, 'x', sizeof(large));
    LOG(LOG_WARN, "r", "m", LOG_S("a", s));
    EQ(strlen(heard(&ear)), 25 + strlen("warn r m a=") + 1024 + 1);
    LOG(LOG_WARN, "r", "m", LOG_S("a", s), LOG_S("b", s), LOG_S("c", s), LOG_S("d", s));
    EQ_STR(after_time(&ear), "warn r m\n");
}

TEST(a_message_that_is_long_and_strange_still_makes_one_whole_line)
{
    for (int json = 0; json < 2; json++) {
        AUTO_EAR ear;
        char strange[6000];
        const char *line;

        ear_init(&ear);
        log_setup(LOG_WARN, json);
        memset(strange, 1, sizeof(strange) - 1);
        strange[sizeof(strange) - 1] = 0;
        LOG(LOG_WARN, "r", strange, LOG_Z("k", strange));
        line = heard(&ear);
        OK(strlen(line) <= 4096 && strlen(line) > 100);
        OK(str_ends(str_of(line), json ? STR("\"}\n") : STR("\"\n")));
    }
}

/* Fill the pipe until it takes no more, as a reader that does not read lets it. */
static void fill(void)
{
    static const char page[4096];
    int flags = fcntl(STDERR_FILENO, F_GETFL);

    fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
    while (write(STDERR_FILENO, page, sizeof(page)) > 0)
        ;
    fcntl(STDERR_FILENO, F_SETFL, flags);
}

TEST(a_full_pipe_does_not_stop_us_and_the_loss_is_told_later)
{
    AUTO_EAR ear;
    const char *line;

    ear_init(&ear);
    log_setup(LOG_ERROR, false); /* the loss is told at any level */
    fill();
    for (int i = 0; i < 3; i++)
        LOG(LOG_ERROR, "r", "lost");
    heard(&ear);
    LOG(LOG_ERROR, "r", "kept");
    line = strchr(after_time(&ear), '\n');
    OK(strstr(ear.text,
              "warn log \"log lines were dropped because stderr was not read\" count=3\n"));
    OK(line && strstr(line, "error r kept\n") && !strstr(ear.text, "lost"));
    LOG(LOG_ERROR, "r", "more");
    EQ_STR(after_time(&ear), "error r more\n");
}

TEST(telling_the_loss_does_not_block_when_it_takes_the_last_room)
{
    AUTO_EAR ear;
    char page[4096];

    ear_init(&ear);
    fill();
    LOG(LOG_WARN, "r", "lost");
    OK(read(ear.fd, page, sizeof(page)) == (ssize_t)sizeof(page)); /* room for one page */
    LOG(LOG_WARN, "r", "next", LOG_S("a", ((struct str){ page, 1000 })));
    LOG(LOG_WARN, "r", "next", LOG_S("a", ((struct str){ page, 1000 })));
    while (*heard(&ear))
        ;
    LOG(LOG_WARN, "r", "end");
    OK(strstr(heard(&ear), "warn r end\n"));
}

TEST_MAIN()
