/* The file itself: older and newer schemas, damage, copies, who has it open. */
#include "store_world.h"

#include "core/principal.h"
#include "store/lease.h"
#include "store/schema.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>

static void set_schema(const char *path, int n)
{
    struct sql s;
    struct err e;
    char mark[64];

    OK(sql_open(&s, path, SQL_CREATE, 100, &e));
    snprintf(mark, sizeof(mark), "PRAGMA user_version = %d", n);
    OK(sql_exec(&s, mark, &e));
    sql_close(&s);
}

TEST(every_older_schema_becomes_the_newest)
{
    for (int old = 0; old <= schema_newest; old++) {
        AUTO_WORLD w;
        struct sql s;

        world_init(&w);
        OK(sql_open(&s, w.path, SQL_CREATE, 100, &w.e));
        OK(schema_raise(&s, old, &w.e));
        if (old >= 1)
            OK(sql_exec(&s, "INSERT INTO meta VALUES ('opened_ms', '1')", &w.e));
        sql_close(&s);
        OK(world_open(&w));
        EQ(store_schema(w.store), schema_newest);
        EQ(world_session(&w, "s"), 1);
    }
}

/* Schema 5 knew "local" and "key" as owners of tasks, and no owner of a session. */
TEST(owners_of_an_older_schema_become_principals)
{
    static const char rows[] =
        "INSERT INTO sessions VALUES (1,'s1','','','','','','',1,1,0,0,1,1,'',0);"
        "INSERT INTO sessions VALUES (2,'s2','','','','','','',1,1,0,0,1,1,'',0);"
        "INSERT INTO tasks VALUES (1,'t1',1,1,1,1,0,1,1,'',0,1,0,'','local','','','','','','','',"
        "'','');"
        "INSERT INTO tasks VALUES (2,'t2',1,1,1,1,0,1,1,'',0,1,0,'','key','','','','s2','','','',"
        "'','');";
    struct principal self = principal_self(ORIGIN_NONE);
    AUTO_WORLD w;
    struct sql s;
    int64_t n;
    char ask[400];

    world_init(&w);
    OK(sql_open(&s, w.path, SQL_CREATE, 100, &w.e));
    OK(schema_raise(&s, 5, &w.e));
    OK(sql_exec(&s, rows, &w.e));
    OK(schema_raise(&s, schema_newest, &w.e));
    snprintf(ask, sizeof(ask),
             "SELECT (SELECT count(*) FROM tasks WHERE owner = '%s' AND id = 't1')"
             " + (SELECT count(*) FROM sessions WHERE owner = '%s' AND id = 's1')",
             self.name, self.name);
    OK(sql_ask_int(&s, ask, &n, &w.e));
    EQ(n, 2);
    OK(sql_ask_int(&s,
                   "SELECT (SELECT count(*) FROM tasks WHERE owner = 'key:default' AND id = 't2')"
                   " + (SELECT count(*) FROM sessions WHERE owner = 'key:default' AND id = 's2')",
                   &n, &w.e));
    EQ(n, 2);
    sql_close(&s);
}

TEST(a_newer_schema_is_refused_and_left_alone)
{
    AUTO_WORLD w;
    struct sql s;
    int n;

    world_init(&w);
    set_schema(w.path, 999);
    OK(!world_open(&w));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "schema 999 is newer than this program knows");
    OK(sql_open(&s, w.path, SQL_READ, 100, &w.e));
    OK(schema_read(&s, &n, &w.e));
    EQ(n, 999);
    sql_close(&s);
}

TEST(a_step_that_fails_changes_nothing)
{
    AUTO_WORLD w;
    struct sql s;
    int64_t tables;
    int n;

    world_init(&w);
    OK(sql_open(&s, w.path, SQL_CREATE, 100, &w.e));
    OK(schema_raise(&s, 1, &w.e));
    OK(sql_exec(&s, "CREATE TABLE memory (x)", &w.e)); /* in the way of the second step's end */
    OK(!schema_raise(&s, schema_newest, &w.e));
    OK(schema_read(&s, &n, &w.e));
    EQ(n, 1);
    OK(sql_ask_int(&s, "SELECT count(*) FROM sqlite_schema WHERE name = 'sessions'", &tables,
                   &w.e));
    EQ(tables, 0);
    sql_close(&s);
}

/* ---- damage --------------------------------------------------------------------------------- */

/* Fill a session, close, and write over what lies behind the first pages. */
static void damage(struct world *w)
{
    char noise[8192];
    char body[2000];
    int fd;

    world_session(w, "s");
    memset(body, 'x', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    for (int i = 0; i < 40; i++)
        world_append(w, "s", 1, body);
    world_close(w);
    memset(noise, 0xa5, sizeof(noise));
    fd = open(w->path, O_WRONLY);
    EQ(pwrite(fd, noise, sizeof(noise), 20 * 4096), (int)sizeof(noise));
    close(fd);
}

TEST(damage_is_found_by_the_check_and_ends_writing)
{
    AUTO_WORLD w;
    struct store_step check = { .what = STORE_CHECK };
    struct store_step m = { STORE_MEMORY_PUT, .memory = { STR("u"), STR("k"), STR("v"), 0, 0 } };

    world_init(&w);
    OK(world_open(&w));
    OK(world_ask(&w, &check));
    damage(&w);
    OK(!store_file_check(w.path, NULL, &w.e));
    EQ(w.e.code, ERR_INVALID);
    OK(world_open(&w));
    OK(world_ask(&w, &m)); /* not touched by it, and not known yet */
    OK(!world_ask(&w, &check));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "restore a backup");
    OK(!world_ask(&w, &m));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "damaged");
    m.what = STORE_MEMORY_GET;
    OK(world_ask(&w, &m));
}

TEST(what_is_no_database_is_refused_and_left_alone)
{
    AUTO_WORLD w;
    struct str text;

    world_init(&w);
    place_write(&w.place, "t.db",
                "this is a letter to a friend, and it is long enough to be read as a "
                "header of one hundred bytes, which it is not");
    OK(!world_open(&w));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "was not changed");
    OK(file_read(&w.place.mem, w.path, 1000, &text, &w.e));
    HAS_S(text, "this is a letter");
}

/* ---- copies --------------------------------------------------------------------------------- */

/* It may be writable again, so tasks that wait for it are not given up (core/task/task_log.c). */
TEST(a_store_that_is_read_only_is_no_matter_of_permission)
{
    AUTO_WORLD w;
    struct sql s;

    world_init(&w);
    OK(sql_open(&s, w.path, SQL_CREATE, 100, &w.e));
    OK(sql_exec(&s, "CREATE TABLE x (a); PRAGMA query_only = 1", &w.e));
    OK(!sql_exec(&s, "INSERT INTO x VALUES (1)", &w.e));
    EQ(w.e.code, ERR_SYSTEM);
    HAS_S(str_of(w.e.text), "is not writable");
    sql_close(&s);
}

TEST(a_backup_holds_all_and_replaces_nothing)
{
    AUTO_WORLD w;
    struct store_step b = { .what = STORE_BACKUP }, l = load_step("s");
    struct stat st;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    EQ(world_append(&w, "s", 1, "{}"), 1);
    b.path = place_file(&w.place, "copy.db");
    OK(world_ask(&w, &b));
    OK(stat(b.path, &st) == 0);
    EQ(st.st_mode & 0777, 0600);
    OK(!world_ask(&w, &b));
    HAS_S(str_of(w.e.text), "exists");
    EQ(world_append(&w, "s", 1, "{}"), 2);
    world_close(&w);
    w.path = b.path;
    OK(world_open(&w));
    OK(world_ask(&w, &l));
    EQ(l.session.last_seq, 1);
}

TEST(a_check_and_a_backup_do_not_delay_the_end)
{
    AUTO_WORLD w;
    struct store_brake brake = STORE_BRAKE;
    struct asked a[2] = { 0 };
    struct store_step s[2] = { { .what = STORE_CHECK }, { .what = STORE_BACKUP } };
    struct stat st;

    world_init(&w);
    OK(world_open(&w));
    world_session(&w, "s");
    store_brake_pull(&brake);
    OK(!store_file_check(w.path, &brake, &w.e));
    EQ(w.e.code, ERR_CANCELED);
    s[1].path = place_file(&w.place, "copy.db");
    OK(!store_file_backup(w.path, s[1].path, &brake, &w.e));
    EQ(w.e.code, ERR_CANCELED);
    OK(stat(s[1].path, &st) < 0);
    world_start(&w, &a[0], &s[0], 1);
    world_start(&w, &a[1], &s[1], 1);
    world_close(&w); /* whether they came to their end before it or not */
    OK(a[0].done && (a[0].e.code == ERR_NONE || a[0].e.code == ERR_CANCELED));
    OK(a[1].done && (stat(s[1].path, &st) == 0) == (a[1].e.code == ERR_NONE));
}

/* ---- owners --------------------------------------------------------------------------------- */

TEST(a_process_is_known_to_live_or_not)
{
    char self[HOLDER_TEXT], other[HOLDER_TEXT + 16], label[HOLDER_LABEL];
    pid_t child = fork();
    int status;

    if (!child)
        _exit(0);
    holder_self(self);
    EQ(holder_life(str_of(self)), HOLDER_ALIVE);
    holder_label(str_of(self), label);
    snprintf(other, sizeof(other), "process %d (", (int)getpid());
    OK(strncmp(label, other, strlen(other)) == 0);
    OK(waitpid(child, &status, 0) == child);
    snprintf(other, sizeof(other), "%.*s/%d/12345", (int)(strrchr(self, ']') + 1 - self), self,
             (int)child);
    EQ(holder_life(str_of(other)), HOLDER_DEAD);
    snprintf(other, sizeof(other), "%s0", self); /* the pid is taken by one that began later */
    EQ(holder_life(str_of(other)), HOLDER_DEAD);
    snprintf(other, sizeof(other), "x%s", self);
    EQ(holder_life(str_of(other)), HOLDER_UNKNOWN);
    EQ(holder_life(STR("nonsense")), HOLDER_UNKNOWN);
    EQ(holder_life(STR("")), HOLDER_UNKNOWN);
}

static int64_t lead_for(struct sql *s, const char *owner)
{
    int64_t lead = -1;
    struct err e;

    OK(lease_clock_open(s, owner, &lead, &e));
    return lead;
}

TEST(leases_of_one_boot_are_counted_by_one_clock)
{
    AUTO_WORLD w;
    struct sql s;
    int64_t lead;

    world_init(&w);
    OK(world_open(&w));
    world_close(&w);
    OK(sql_open(&s, w.path, SQL_WRITE, 100, &w.e));
    OK(sql_exec(&s, "UPDATE meta SET value = 'boot 5' WHERE key = 'lease_clock'", &w.e));
    EQ(lead_for(&s, "boot/ns/1/2"), 5); /* whatever the time of day is now */
    EQ(lead_for(&s, "boot/other/3/4"), 5);
    lead = lead_for(&s, "later/ns/1/2");
    OK(lead > 5); /* from the time of day */
    OK(lease_clock(lead) > lead);
    OK(sql_exec(&s, "UPDATE meta SET value = value || '0' WHERE key = 'lease_clock'", &w.e));
    EQ(lead_for(&s, "later/ns/1/2"), lead * 10);
    sql_close(&s);
}

TEST_MAIN()
