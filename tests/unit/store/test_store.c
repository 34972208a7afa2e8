/* The port as core sees it, over the real database. */
#include "store_world.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/syscall.h>

/* SQLite calls this one instead of the C library's. */
__attribute__((visibility("default"))) int fdatasync(int fd);

static atomic_int syncs;

int fdatasync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fdatasync, fd);
}

/* ---- sessions and events -------------------------------------------------------------------- */

TEST(a_session_and_its_events_are_there_after_a_restart)
{
    AUTO_WORLD w;
    struct store_step s = { STORE_SESSION_CREATE,
                            .session = { .id = STR("s1"),
                                         .agent = STR("coder"),
                                         .cwd = STR("/tmp"),
                                         .model = STR("m"),
                                         .mode = STR("rw"),
                                         .title = STR("A title"),
                                         .settings = STR("{\"mcpServers\":[]}") } };
    struct store_event v[] = { { .kind = STR("text"), .body = STR("{\"a\":1}") },
                               { .kind = STR("end"), .body = STR("{}") } };
    struct store_step more = append_step("s1", 1, v, 2), back[2];

    world_init(&w);
    OK(world_open(&w));
    OK(world_ask(&w, &s));
    EQ(s.session.fence, 1);
    OK(world_ask(&w, &more));
    EQ(more.append.last_seq, 2);
    world_close(&w);
    OK(world_open(&w));
    back[0] = load_step("s1");
    back[1] = (struct store_step){ STORE_EVENTS, .events = { .session = STR("s1") } };
    OK(world_ask_all(&w, back, 2));
    EQ_S(back[0].session.title, "A title");
    EQ_S(back[0].session.cwd, "/tmp");
    EQ_S(back[0].session.settings, "{\"mcpServers\":[]}");
    EQ(back[0].session.last_seq, 2);
    EQ(back[0].session.version, 2);
    EQ(back[0].session.bytes, 16);
    OK(back[0].session.in_use);
    EQ(back[1].events.n, 2);
    EQ(back[1].events.v[0].seq, 1);
    EQ_S(back[1].events.v[0].body, "{\"a\":1}");
    EQ_S(back[1].events.v[1].kind, "end");
    OK(!back[1].events.more);
}

TEST(events_come_in_pages_by_count_and_by_bytes)
{
    AUTO_WORLD w;
    struct store_step p = { STORE_EVENTS, .events = { .session = STR("s") } };
    char body[600];

    world_init(&w);
    w.limits.store_page_items = 3;
    w.limits.store_page_bytes = 1024;
    OK(world_open(&w));
    world_session(&w, "other");
    world_session(&w, "s");
    memset(body, 'x', sizeof(body) - 1);
    body[sizeof(body) - 1] = '\0';
    for (int i = 0; i < 4; i++)
        world_append(&w, "s", 1, "{}");
    for (int i = 0; i < 4; i++)
        world_append(&w, "s", 1, body);
    world_append(&w, "other", 1, "{}");
    OK(world_ask(&w, &p));
    EQ(p.events.n, 3);
    OK(p.events.more);
    p.events.after = 4;
    OK(world_ask(&w, &p));
    EQ(p.events.n, 2); /* the second one passes the 1024 bytes */
    EQ(p.events.v[0].seq, 5);
    p.events.after = 6;
    OK(world_ask(&w, &p));
    EQ(p.events.n, 2);
    OK(!p.events.more);
    p.events.session = STR("none");
    OK(!world_ask(&w, &p));
    EQ(w.e.code, ERR_NOT_FOUND);
}

TEST(sessions_are_listed_last_changed_first_page_by_page)
{
    AUTO_WORLD w;
    struct store_step p = { STORE_SESSIONS, .sessions = { .most = 2 } };
    char seen[8] = "";
    size_t n = 0;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "a");
    world_session(&w, "b");
    world_session(&w, "c");
    do {
        OK(world_ask(&w, &p));
        for (size_t i = 0; i < p.sessions.n && n < 7; i++)
            seen[n++] = p.sessions.v[i].id.p[0];
    } while (p.sessions.more && n < 7);
    EQ_STR(seen, "cba");
}

TEST(sessions_are_listed_by_owner_agent_and_folder)
{
    AUTO_WORLD w;
    struct store_step make = { STORE_SESSION_CREATE, .session = { .id = STR("x"),
                                                                  .owner = STR("key:a"),
                                                                  .agent = STR("coder"),
                                                                  .cwd = STR("/src") } };
    struct store_step p;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "y");
    OK(world_ask(&w, &make));
    world_session(&w, "z");
    p = (struct store_step){ STORE_SESSIONS, .sessions = { .owner = STR("key:a") } };
    OK(world_ask(&w, &p));
    EQ(p.sessions.n, 1);
    p = (struct store_step){ STORE_SESSIONS,
                             .sessions = { .agent = STR("coder"), .cwd = STR("/src") } };
    OK(world_ask(&w, &p));
    EQ(p.sessions.n, 1);
    p = (struct store_step){ STORE_SESSIONS,
                             .sessions = { .agent = STR("coder"), .cwd = STR("/") } };
    OK(world_ask(&w, &p));
    EQ(p.sessions.n, 0);
}

static struct store_step fork_step(const char *owner)
{
    return (struct store_step){
        STORE_SESSION_FORK, .fork = { .from = STR("s"), .owner = str_of(owner), .id = STR("copy") }
    };
}

/* An undo record after the last end belongs to the copy, a prompt without an end does not. */
TEST(a_fork_ends_before_the_first_unfinished_prompt)
{
    AUTO_WORLD w;
    struct store_event v[] = { { .kind = STR("prompt"), .body = STR("{}") },
                               { .kind = STR("end"), .body = STR("{}") },
                               { .kind = STR("undo"), .body = STR("{}") },
                               { .kind = STR("prompt"), .body = STR("{}") },
                               { .kind = STR("answer"), .body = STR("{}") } };
    struct store_step s, l;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    s = append_step("s", 1, v, 5);
    OK(world_ask(&w, &s));
    s = fork_step("key:other");
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_NOT_FOUND);
    s = fork_step("");
    OK(world_ask(&w, &s));
    EQ(s.fork.last_seq, 3);
    l = load_step("copy");
    OK(world_ask(&w, &l));
    EQ(l.session.last_seq, 3);
    OK(!l.session.in_use);
    s = fork_step("");
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_INVALID);
    EQ(world_append(&w, "s", 1, "{}"), 6); /* the source keeps its token */
}

TEST(a_request_is_done_whole_or_not_at_all)
{
    AUTO_WORLD w;
    struct store_event v = { .kind = STR("text"), .body = STR("{}") };
    struct store_step s[2], l;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    s[0] = append_step("s", 1, &v, 1);
    s[1] = append_step("none", 1, &v, 1);
    OK(!world_ask_all(&w, s, 2));
    EQ(w.e.code, ERR_NOT_FOUND);
    l = load_step("s");
    OK(world_ask(&w, &l));
    EQ(l.session.last_seq, 0);
    EQ(world_append(&w, "s", 1, "{}"), 1);
}

TEST(one_bad_request_does_not_spoil_those_beside_it)
{
    AUTO_WORLD w;
    struct asked a[20] = { 0 };
    struct store_event v = { .kind = STR("text"), .body = STR("{}") };
    struct store_step s[20], l;

    world_init(&w);
    w.limits.store_batch = 8;
    OK(world_open(&w));
    world_session(&w, "s");
    for (int i = 0; i < 20; i++) {
        s[i] = append_step("s", i % 5 == 3 ? 77 : 1, &v, 1);
        a[i].ask.durability = i % 2 ? STORE_POWER : STORE_PROCESS;
        world_start(&w, &a[i], &s[i], 1);
    }
    for (int i = 0; i < 20; i++) {
        OK(until(w.loop, until_true, &a[i].done));
        EQ(a[i].e.code, i % 5 == 3 ? ERR_DENIED : ERR_NONE);
        store_ask_fini(&a[i].ask);
    }
    l = load_step("s");
    OK(world_ask(&w, &l));
    EQ(l.session.last_seq, 16);
}

TEST(a_session_changes_only_from_the_version_that_was_seen)
{
    AUTO_WORLD w;
    struct store_step u = { STORE_SESSION_UPDATE,
                            .session = {
                                .id = STR("s"), .title = STR("T"), .fence = 1, .version = 1 } };
    struct store_step l = load_step("s");

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    OK(world_ask(&w, &u));
    EQ(u.session.version, 2);
    u.session.version = 1;
    OK(!world_ask(&w, &u));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "it has version 2, not 1");
    OK(world_ask(&w, &l));
    EQ_S(l.session.title, "T");
    EQ_S(l.session.agent, "coder");
}

TEST(an_id_is_given_once)
{
    AUTO_WORLD w;
    struct store_step s = { STORE_SESSION_CREATE, .session = { .id = STR("s") } };

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "session s already exists");
}

/* ---- owners --------------------------------------------------------------------------------- */

TEST(who_took_a_session_shuts_out_who_had_it)
{
    AUTO_WORLD w;
    struct store_step t = { STORE_SESSION_TAKE, .session = { .id = STR("s") } };
    struct store_step leave = { STORE_SESSION_LEAVE, .session = { .id = STR("s"), .fence = 2 } };

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    OK(world_ask(&w, &t));
    EQ(t.session.fence, 2);
    EQ(world_append(&w, "s", 1, "{}"), 0);
    EQ(w.e.code, ERR_DENIED);
    HAS_S(str_of(w.e.text), "taken over by another process");
    EQ(world_append(&w, "s", 2, "{}"), 1);
    OK(world_ask(&w, &leave));
    EQ(world_append(&w, "s", 2, "{}"), 0);
    EQ(w.e.code, ERR_DENIED);
}

/* Makes another process of a kind the owner of session s, behind the store's back. */
static void set_owner(struct world *w, const char *owner, long long lease)
{
    sqlite3 *db;
    char sql[256];

    snprintf(sql, sizeof(sql), "UPDATE sessions SET process = '%s', lease = %lld", owner, lease);
    OK(sqlite3_open(w->path, &db) == SQLITE_OK);
    OK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

TEST(the_lease_decides_where_nobody_can_look)
{
    AUTO_WORLD w;
    struct store_step t = { STORE_SESSION_TAKE, .session = { .id = STR("s") } };
    struct store_step d = { STORE_SESSION_DELETE, .session = { .id = STR("s") } };

    world_init(&w);
    w.limits.session_lease_ms = 1000;
    OK(world_open(&w));
    world_session(&w, "s");
    set_owner(&w, "elsewhere/pid:[1]/42/7", INT64_MAX);
    OK(!world_ask(&w, &t));
    EQ(w.e.code, ERR_DENIED);
    HAS_S(str_of(w.e.text), "session s is in use by process 42");
    OK(!world_ask(&w, &d));
    EQ(w.e.code, ERR_DENIED);
    set_owner(&w, "elsewhere/pid:[1]/42/7", 1);
    OK(world_ask(&w, &t));
    EQ(t.session.fence, 2);
}

/* ---- turns and pre-images ------------------------------------------------------------------- */

TEST(unfinished_turns_are_found_with_what_they_had_begun)
{
    AUTO_WORLD w;
    struct store_step t = { STORE_TURN_WRITE, .turn = { .session = STR("s"),
                                                        .turn = STR("t1"),
                                                        .fence = 1,
                                                        .state = STR("tools"),
                                                        .calls = STR("[{\"id\":1}]"),
                                                        .results = STR("[]") } };
    struct store_step u = { STORE_UNFINISHED, .turns = { .most = 1 } }, l;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    OK(world_ask(&w, &t));
    t.turn.turn = STR("t2");
    OK(world_ask(&w, &t));
    OK(world_ask(&w, &u));
    EQ(u.turns.n, 1);
    OK(u.turns.more);
    EQ_S(u.turns.v[0].session, "s");
    EQ_S(u.turns.v[0].calls, "[{\"id\":1}]");
    OK(world_ask(&w, &u));
    EQ_S(u.turns.v[0].turn, "t2");
    OK(!u.turns.more);
    t.turn.finished = true;
    OK(world_ask(&w, &t));
    EQ(t.turn.version, 2);
    u.turns.after = 0;
    OK(world_ask(&w, &u));
    EQ_S(u.turns.v[0].turn, "t1");
    OK(!u.turns.more);
    l = (struct store_step){ STORE_TURN_LOAD, .turn = { .session = STR("s"), .turn = STR("t2") } };
    OK(world_ask(&w, &l));
    OK(l.turn.finished);
    t.turn.fence = 9;
    OK(!world_ask(&w, &t));
    EQ(w.e.code, ERR_DENIED);
}

TEST(the_first_pre_image_of_a_file_is_kept)
{
    AUTO_WORLD w;
    struct store_step i = { STORE_IMAGE_PUT, .image = { .session = STR("s"),
                                                        .turn = STR("t"),
                                                        .fence = 1,
                                                        .path = STR("a"),
                                                        .mode = 0644,
                                                        .content = STR("old") } };
    struct store_step p = { STORE_IMAGES, .images = { .session = STR("s"), .turn = STR("t") } };
    struct store_step l = load_step("s");

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    OK(world_ask(&w, &i));
    i.image.content = STR("newer");
    OK(world_ask(&w, &i));
    i.image.path = STR("b");
    i.image.content = STR_NONE;
    OK(world_ask(&w, &i)); /* an empty file */
    i.image.path = STR("c");
    i.image.absent = true;
    OK(world_ask(&w, &i));
    OK(world_ask(&w, &p));
    EQ(p.images.n, 3);
    EQ_S(p.images.v[0].content, "old");
    EQ(p.images.v[0].mode, 0644);
    OK(!p.images.v[1].absent && p.images.v[1].content.n == 0);
    OK(p.images.v[2].absent);
    OK(world_ask(&w, &l));
    EQ(l.session.bytes, 3);
    i.what = STORE_IMAGES_DELETE;
    OK(world_ask(&w, &i));
    p.images.after = 0;
    OK(world_ask(&w, &p));
    EQ(p.images.n, 0);
    l = load_step("s");
    OK(world_ask(&w, &l));
    EQ(l.session.bytes, 0);
}

TEST(pre_images_of_the_last_turn_come_newest_first)
{
    AUTO_WORLD w;
    struct store_step i = { STORE_IMAGE_PUT,
                            .image = { .session = STR("s"), .fence = 1, .content = STR("x") } };
    struct store_step p = { STORE_IMAGES, .images = { .session = STR("s"), .newest_first = true } };

    world_init(&w);
    w.limits.store_page_items = 2;
    OK(world_open(&w));
    world_session(&w, "s");
    world_session(&w, "other");
    OK(world_ask(&w, &p));
    OK(!p.images.turn.p && !p.images.n && !p.images.more);
    for (int n = 0; n < 6; n++) {
        i.image.session = n < 5 ? STR("s") : STR("other");
        i.image.turn = n < 2 ? STR("z") : STR("a"); /* by time, not by name */
        i.image.path = (struct str){ &"abcdef"[n], 1 };
        OK(world_ask(&w, &i));
    }
    OK(world_ask(&w, &p));
    EQ_S(p.images.turn, "a");
    OK(p.images.n == 2 && p.images.more);
    EQ_S(p.images.v[0].path, "e");
    EQ_S(p.images.v[1].path, "d");
    OK(world_ask(&w, &p));
    OK(p.images.n == 1 && !p.images.more);
    EQ_S(p.images.v[0].path, "c");
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct store_step remember(const char *key, const char *value)
{
    return (struct store_step){ STORE_MEMORY_PUT,
                                .memory = { STR("user"), str_of(key), str_of(value), 0, 0 } };
}

TEST(memory_is_put_found_searched_and_forgotten)
{
    AUTO_WORLD w;
    struct store_step m, p = { STORE_MEMORIES, .memories = { .scope = STR("user"), .most = 1 } };

    world_init(&w);
    OK(world_open(&w));
    m = remember("colour", "Green");
    OK(world_ask(&w, &m));
    m = remember("animal", "cat");
    OK(world_ask(&w, &m));
    m = remember("animal", "dog");
    OK(world_ask(&w, &m));
    EQ(m.memory.version, 2);
    m.memory.version = 1;
    OK(!world_ask(&w, &m));
    EQ(w.e.code, ERR_INVALID);
    OK(world_ask(&w, &p));
    EQ_S(p.memories.v[0].key, "animal");
    OK(p.memories.more);
    p.memories.after = STR("animal");
    OK(world_ask(&w, &p));
    EQ_S(p.memories.v[0].key, "colour");
    p.memories.after = STR_NONE;
    p.memories.text = STR("gREEn");
    OK(world_ask(&w, &p));
    EQ(p.memories.n, 1);
    EQ_S(p.memories.v[0].value, "Green");
    m.what = STORE_MEMORY_GET;
    OK(world_ask(&w, &m));
    EQ_S(m.memory.value, "dog");
    m.what = STORE_MEMORY_DELETE;
    OK(world_ask(&w, &m));
    OK(!world_ask(&w, &m));
    EQ(w.e.code, ERR_NOT_FOUND);
}

/* ---- retention ------------------------------------------------------------------------------ */

static size_t sessions_left(struct world *w)
{
    struct store_step p = { .what = STORE_SESSIONS };

    OK(world_ask(w, &p));
    return p.sessions.n;
}

TEST(old_sessions_go_but_not_those_in_use)
{
    AUTO_WORLD w;
    struct store_step g = { .what = STORE_GC };

    world_init(&w);
    OK(world_open(&w));
    for (int i = 0; i < 20; i++)
        world_session(&w, arena_printf(&w.place.mem, "s%d", i).p);
    OK(world_ask(&w, &g)); /* session_keep_ms and session_keep_bytes keep all */
    EQ(g.gc.deleted, 0);
    g.gc.keep_ms = -1000000; /* older than the future */
    OK(world_ask(&w, &g));
    EQ(g.gc.deleted, 0); /* all are ours, and we live */
    set_owner(&w, "", 0);
    OK(world_ask(&w, &g));
    EQ(g.gc.deleted, 16);
    OK(g.gc.more);
    OK(world_ask(&w, &g));
    EQ(g.gc.deleted, 4);
    OK(!g.gc.more);
    EQ(sessions_left(&w), 0);
}

TEST(past_a_size_the_oldest_go)
{
    AUTO_WORLD w;
    struct store_step g = { STORE_GC, .gc = { .keep_bytes = 30 } };
    struct store_step l;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "a");
    world_append(&w, "a", 1, "0123456789012345");
    world_session(&w, "b");
    world_append(&w, "b", 1, "0123456789012345");
    set_owner(&w, "", 0);
    OK(world_ask(&w, &g));
    EQ(g.gc.deleted, 1);
    EQ(g.gc.freed, 20);
    EQ(sessions_left(&w), 1);
    l = load_step("b");
    OK(world_ask(&w, &l));
    l = (struct store_step){ STORE_EVENTS, .events = { .session = STR("b") } };
    OK(world_ask(&w, &l));
    EQ(l.events.n, 1);
}

/* An event of 100 KB to a session that is ours. */
static bool append_much(struct world *w, const char *id)
{
    static char much[100000];
    struct store_event ev = { .kind = STR("x"), .body = { much, sizeof(much) } };
    struct store_step a = { STORE_APPEND,
                            .append = { .session = str_of(id), .fence = 1, .event = &ev, 1 } };

    memset(much, 'm', sizeof(much));
    return world_ask(w, &a);
}

TEST(past_the_largest_size_what_is_not_in_use_goes_then_new_sessions_are_refused)
{
    AUTO_WORLD w;
    struct store_step more = { STORE_SESSION_CREATE, .session = { .id = STR("more") } };
    int n = 0;

    world_init(&w);
    w.limits.store_bytes = 1 << 20;
    OK(world_open(&w));
    world_session(&w, "old");
    OK(append_much(&w, "old"));
    set_owner(&w, "", 0);
    world_session(&w, "live");
    while (n < 100 && append_much(&w, "live"))
        n++;
    OK(n >= 9 && n <= 12); /* 1 MB and an eighth */
    EQ(w.e.code, ERR_LIMIT);
    HAS_S(str_of(w.e.text), "limits.store_bytes is 1048576");
    EQ(sessions_left(&w), 1);
    OK(!world_ask(&w, &more));
    EQ(w.e.code, ERR_LIMIT);
    HAS_S(str_of(w.e.text), "cannot create a session");
    set_owner(&w, "", 0); /* nobody holds it any more */
    OK(world_ask(&w, &more));
    EQ(sessions_left(&w), 1);
}

/* ---- durability ----------------------------------------------------------------------------- */

TEST(only_what_must_survive_a_power_cut_waits_for_the_disk)
{
    AUTO_WORLD w;
    struct asked a[2] = { 0 };
    struct store_event v = { .kind = STR("text"), .body = STR("{}") };
    struct store_step s[2];
    int before;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    before = syncs;
    w.durability = STORE_PROCESS;
    for (int i = 0; i < 5; i++)
        OK(world_append(&w, "s", 1, "{}") > 0);
    EQ(syncs, before);
    w.durability = STORE_POWER;
    for (int i = 0; i < 5; i++)
        OK(world_append(&w, "s", 1, "{}") > 0);
    EQ(syncs, before + 5);
    for (int i = 0; i < 2; i++) { /* one commit, the stronger of the two */
        s[i] = append_step("s", 1, &v, 1);
        a[i].ask.durability = i ? STORE_PROCESS : STORE_POWER;
        world_start(&w, &a[i], &s[i], 1);
    }
    OK(until(w.loop, until_true, &a[1].done));
    EQ(syncs, before + 6);
}

/* ---- bounds --------------------------------------------------------------------------------- */

TEST(what_is_too_large_or_too_much_is_refused)
{
    AUTO_WORLD w;
    char big[1100];
    struct asked a[3] = { 0 };
    struct store_step s[3];

    world_init(&w);
    w.limits.store_value_bytes = 1024;
    w.limits.store_waiting = 2;
    OK(world_open(&w));
    world_session(&w, "s");
    memset(big, 'x', sizeof(big));
    big[sizeof(big) - 1] = '\0';
    EQ(world_append(&w, "s", 1, big), 0);
    EQ(w.e.code, ERR_LIMIT);
    HAS_S(str_of(w.e.text), "the value has 1099 bytes; at most 1024 are stored");
    for (int i = 0; i < 3; i++) {
        s[i] = remember("k", "v");
        world_start(&w, &a[i], &s[i], 1);
    }
    for (int i = 0; i < 3; i++) {
        OK(until(w.loop, until_true, &a[i].done));
        EQ(a[i].e.code, i == 2 ? ERR_BUSY : ERR_NONE);
        store_ask_fini(&a[i].ask);
    }
}

/* How often the log began anew: the fourth word of its head, most significant byte first. */
static unsigned log_rounds(struct world *w)
{
    struct str log;

    OK(file_read(&w->place.mem, arena_printf(&w->place.mem, "%s-wal", w->path).p, 64 << 20, &log,
                 &w->e));
    return log.n < 16 ? 0 : (unsigned char)log.p[14] << 8 | (unsigned char)log.p[15];
}

TEST(the_log_is_folded_into_the_database_while_writing_goes_on)
{
    AUTO_WORLD w;
    char body[4000];
    int64_t seq = 0;

    world_init(&w);
    w.limits.store_wal_bytes = 1 << 16;
    OK(world_open(&w));
    world_session(&w, "s");
    memset(body, 'x', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    do {
        for (int i = 0; i < 100; i++)
            EQ(world_append(&w, "s", 1, body), ++seq);
    } while (log_rounds(&w) < 2 && seq < 10000);
    OK(log_rounds(&w) >= 2);
    world_close(&w);
    OK(store_file_check(w.path, NULL, &w.e));
}

TEST(another_writer_is_waited_for_and_not_for_ever)
{
    AUTO_WORLD w;
    sqlite3 *db;

    world_init(&w);
    w.limits.store_busy_ms = 20;
    OK(world_open(&w));
    world_session(&w, "s");
    OK(sqlite3_open(w.path, &db) == SQLITE_OK);
    OK(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
    EQ(world_append(&w, "s", 1, "{}"), 0);
    EQ(w.e.code, ERR_TIMEOUT);
    HAS_S(str_of(w.e.text), "locked by another process");
    EQ(sessions_left(&w), 1); /* reading goes on */
    OK(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    EQ(world_append(&w, "s", 1, "{}"), 1);
}

TEST(what_was_asked_is_done_although_cancelled_or_closed)
{
    AUTO_WORLD w;
    struct asked a[2] = { 0 };
    struct store_step s[2] = { remember("a", "1"), remember("b", "2") };
    struct store_step p = { STORE_MEMORIES, .memories = { .scope = STR("user") } };

    world_init(&w);
    OK(world_open(&w));
    world_start(&w, &a[0], &s[0], 1);
    op_cancel(&a[0].ask.op);
    store_close(w.store, world_on_closed, &w);
    world_start(&w, &a[1], &s[1], 1);
    OK(until(w.loop, until_true, &w.closed));
    OK(a[0].done && a[0].e.code == ERR_NONE);
    OK(a[1].done && a[1].e.code == ERR_CLOSED);
    store_ask_fini(&a[0].ask);
    OK(world_open(&w));
    OK(world_ask(&w, &p));
    EQ(p.memories.n, 1);
}

TEST_MAIN()
