/*
 * test_file_watch.c - changes of files are noticed, by the kernel's word and without it.
 *
 * With the real clock and looks an hour apart only inotify can be what notices.
 */
#include "base/arena.h"
#include "loop/file_watch.h"
#include "tap.h"
#include "until.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOUR_MS = 3600000 };

struct world {
    char folder[64];
    struct arena mem;
    struct loop *loop;
    struct file_watch *watch;
    struct file_watch_path list[4];
    size_t told;
    bool closed;
};

static int remove_it(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static const char *in(struct world *w, const char *name)
{
    return arena_printf(&w->mem, "%s/%s", w->folder, name).p;
}

static void put(struct world *w, const char *name, const char *text)
{
    FILE *f = fopen(in(w, name), "w");

    OK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static void folder(struct world *w, const char *name)
{
    OK(mkdir(in(w, name), 0700) == 0);
}

static void on_changed(void *ctx)
{
    ((struct world *)ctx)->told++;
}

static void on_closed(void *ctx)
{
    ((struct world *)ctx)->closed = true;
}

static void world_open(struct world *w, enum loop_clock clock)
{
    *w = (struct world){ .folder = "/tmp/trefoil-watch-XXXXXX", .loop = loop_new(clock) };
    OK(mkdtemp(w->folder) != NULL);
}

static void watch_most(struct world *w, const char *name, int depth, int64_t look_ms, size_t most)
{
    w->list[0] = (struct file_watch_path){ in(w, name), depth };
    w->watch = file_watch_open(&(struct file_watch_opts){ .loop = w->loop,
                                                          .path = w->list,
                                                          .paths = 1,
                                                          .most = most,
                                                          .look_ms = look_ms,
                                                          .changed = on_changed,
                                                          .ctx = w });
}

static void watch_one(struct world *w, const char *name, int depth, int64_t look_ms)
{
    watch_most(w, name, depth, look_ms, 100);
}

static bool is_closed(void *ctx)
{
    return ((struct world *)ctx)->closed;
}

static void world_close(struct world *w)
{
    file_watch_close(w->watch, on_closed, w);
    while (!is_closed(w))
        loop_run_once(w->loop);
    loop_free(w->loop);
    nftw(w->folder, remove_it, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&w->mem);
}

struct count {
    const size_t *now;
    size_t want;
};

static bool reached(void *ctx)
{
    const struct count *c = ctx;

    return *c->now >= c->want;
}

/* The owner has been told so often. */
static bool told(struct world *w, size_t want)
{
    return until(w->loop, reached, &(struct count){ &w->told, want });
}

TEST(what_happens_in_a_folder_is_told_by_the_kernel)
{
    struct world w;

    world_open(&w, LOOP_REAL_CLOCK);
    folder(&w, "a");
    put(&w, "a/x", "1");
    watch_one(&w, "a", 1, HOUR_MS);
    put(&w, "a/x", "22");
    OK(told(&w, 1));
    put(&w, "a/y", "");
    OK(told(&w, 2));
    OK(unlink(in(&w, "a/x")) == 0);
    OK(told(&w, 3));
    OK(rename(in(&w, "a/y"), in(&w, "a/z")) == 0);
    OK(told(&w, 4));
    world_close(&w);
}

TEST(folders_below_count_as_deep_as_was_said)
{
    struct world w;

    world_open(&w, LOOP_REAL_CLOCK);
    folder(&w, "a");
    folder(&w, "a/b");
    watch_one(&w, "a", 2, HOUR_MS);
    put(&w, "a/b/x", "1");
    OK(told(&w, 1));
    folder(&w, "a/new");
    OK(told(&w, 2));
    put(&w, "a/new/x", "1"); /* watched since it was found */
    OK(told(&w, 3));
    folder(&w, "a/b/deep");
    put(&w, "a/b/deep/x", "1");
    OK(told(&w, 4));
    put(&w, "a/b/deep/x", "22");
    OK(!file_watch_look(w.watch));
    world_close(&w);
}

TEST(what_is_not_there_yet_is_noticed_when_it_comes)
{
    struct world w;

    world_open(&w, LOOP_REAL_CLOCK);
    watch_one(&w, "not/yet/there", 1, HOUR_MS);
    folder(&w, "other");
    folder(&w, "not");
    OK(!file_watch_look(w.watch)); /* nothing to tell; but the next folder is watched from now on */
    folder(&w, "not/yet");
    OK(!file_watch_look(w.watch));
    folder(&w, "not/yet/there");
    OK(told(&w, 1));
    put(&w, "not/yet/there/x", "1");
    OK(told(&w, 2));
    EQ(w.told, 2);
    world_close(&w);
}

TEST(a_folder_that_is_replaced_is_watched_on)
{
    struct world w;

    world_open(&w, LOOP_REAL_CLOCK);
    folder(&w, "a");
    watch_one(&w, "a", 1, HOUR_MS);
    OK(rename(in(&w, "a"), in(&w, "old")) == 0);
    OK(told(&w, 1));
    folder(&w, "a");
    OK(told(&w, 2));
    put(&w, "a/x", "1");
    OK(told(&w, 3));
    world_close(&w);
}

TEST(a_file_that_an_editor_replaces_is_noticed)
{
    struct world w;

    world_open(&w, LOOP_REAL_CLOCK);
    put(&w, "x", "1");
    watch_one(&w, "x", 0, HOUR_MS);
    put(&w, "x.new", "1");
    OK(rename(in(&w, "x.new"), in(&w, "x")) == 0);
    OK(told(&w, 1));
    put(&w, "x", "22");
    OK(told(&w, 2));
    world_close(&w);
}

/* The loop does not hear the kernel before the clock moves on. */
TEST(without_the_kernel_a_look_now_and_then_finds_it)
{
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    folder(&w, "a");
    watch_one(&w, "a", 1, 5000);
    put(&w, "a/x", "1");
    loop_advance(w.loop, 4999);
    EQ(w.told, 0);
    loop_advance(w.loop, 1);
    EQ(w.told, 1);
    loop_advance(w.loop, 50000);
    EQ(w.told, 1);
    folder(&w, "a/b");
    OK(file_watch_look(w.watch)); /* who asks need not be told */
    loop_advance(w.loop, 5000);
    EQ(w.told, 1);
    world_close(&w);
}

/* What inotify has to say is in its queue as soon as the call that changed something returns. */
static void hear(struct world *w)
{
    for (int i = 0; i < 4; i++)
        loop_run_once(w->loop);
}

TEST(many_changes_are_told_once_when_it_is_quiet)
{
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    folder(&w, "a");
    watch_one(&w, "a", 1, HOUR_MS);
    for (int i = 0; i < 5; i++) {
        put(&w, "a/x", &"12345"[i]);
        hear(&w);
        loop_advance(w.loop, FILE_WATCH_QUIET_MS - 1);
        EQ(w.told, 0);
    }
    loop_advance(w.loop, 1);
    EQ(w.told, 1);
    loop_advance(w.loop, 10 * FILE_WATCH_LATEST_MS);
    EQ(w.told, 1);
    world_close(&w);
}

TEST(who_never_is_quiet_is_told_all_the_same)
{
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    folder(&w, "a");
    watch_one(&w, "a", 1, HOUR_MS);
    for (int i = 0; i * 40 <= FILE_WATCH_LATEST_MS; i++) {
        put(&w, "a/x", i % 2 ? "1" : "22");
        hear(&w);
        loop_advance(w.loop, 40);
    }
    OK(w.told >= 1);
    world_close(&w);
}

TEST(beside_what_is_waited_for_nothing_matters)
{
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    watch_one(&w, "a", 1, HOUR_MS);
    put(&w, "b", "1");
    hear(&w);
    loop_advance(w.loop, FILE_WATCH_LATEST_MS);
    EQ(w.told, 0);
    world_close(&w);
}

TEST(a_folder_is_looked_at_up_to_a_limit)
{
    struct world w;

    world_open(&w, LOOP_FAKE_CLOCK);
    folder(&w, "a");
    put(&w, "a/x", "1");
    watch_most(&w, "a", 1, HOUR_MS, 0);
    put(&w, "a/x", "22");
    OK(!file_watch_look(w.watch));
    put(&w, "a/y", "1"); /* the folder itself says so */
    OK(file_watch_look(w.watch));
    world_close(&w);
}

TEST_MAIN()
