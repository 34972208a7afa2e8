/* test_trust.c - what was accepted, and what undoes it. */
#include "config/trust.h"
#include "place.h"

static struct server_spec entry(const char *name, const char *written)
{
    return (struct server_spec){ .name = name, .written = str_of(written), .from_project = true };
}

TEST(what_is_kept_is_trusted_until_it_changes)
{
    AUTO_PLACE at = place_new();
    struct notes notes = { 0 };
    struct server_spec v[] = { entry("a", "{\"command\":\"x\"}"), entry("b", "{}") };
    struct server_list l = { v, 2, 2 };
    struct err e = { 0 };
    struct stat st = { 0 };

    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(!v[0].trusted && !v[1].trusted);
    v[0].trusted = true;
    OK(trust_keep(&at.mem, "/r", &l, &e));
    OK(stat(place_file(&at, "home/.local/state/trefoil/trust.json"), &st) == 0);
    EQ(st.st_mode & 0777, 0600);
    v[0].trusted = false;
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(v[0].trusted && !v[1].trusted);
    v[0].written = STR("{\"command\":\"y\"}");
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(!v[0].trusted);
    v[0] = entry("c", "{\"command\":\"x\"}");
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(!v[0].trusted);
    EQ(notes.n, 0);
}

TEST(trust_is_for_one_root_and_leaves_the_others)
{
    AUTO_PLACE at = place_new();
    struct notes notes = { 0 };
    struct server_spec v = entry("a", "{}");
    struct server_list l = { &v, 1, 1 };
    struct err e = { 0 };

    v.trusted = true;
    OK(trust_keep(&at.mem, "/one", &l, &e));
    OK(trust_keep(&at.mem, "/two", &l, &e));
    v.trusted = false;
    OK(trust_keep(&at.mem, "/two", &l, &e));
    trust_mark(&at.mem, "/two", false, &l, &notes);
    OK(!v.trusted);
    trust_mark(&at.mem, "/three", false, &l, &notes);
    OK(!v.trusted);
    trust_mark(&at.mem, "/one", false, &l, &notes);
    OK(v.trusted);
}

TEST(the_users_own_need_none_and_all_is_for_this_run)
{
    AUTO_PLACE at = place_new();
    struct notes notes = { 0 };
    struct server_spec v[] = { entry("a", "{}"), entry("b", "{}") };
    struct server_list l = { v, 2, 2 };

    v[0].from_project = false;
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(v[0].trusted && !v[1].trusted);
    trust_mark(&at.mem, "/r", true, &l, &notes);
    OK(v[1].trusted);
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(!v[1].trusted);
}

TEST(a_file_that_is_broken_or_open_to_others_trusts_nothing_and_is_left)
{
    AUTO_PLACE at = place_new();
    const char *file = "home/.local/state/trefoil/trust.json";
    struct server_spec v = entry("a", "{}");
    struct server_list l = { &v, 1, 1 };
    struct notes notes = { 0 };
    struct err e = { 0 };

    v.trusted = true;
    OK(trust_keep(&at.mem, "/r", &l, &e));
    OK(chmod(place_file(&at, file), 0666) == 0);
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(!v.trusted);
    EQ(notes.n, 1);
    HAS_S(notes.v[0].text, "can be read by others");
    OK(chmod(place_file(&at, file), 0600) == 0);
    place_write(&at, file, "{\"version\":2,\"roots\":{}}");
    trust_mark(&at.mem, "/r", false, &l, &notes);
    OK(!v.trusted);
    EQ(notes.n, 2);
    OK(!trust_keep(&at.mem, "/r", &l, &e));
    OK(strstr(e.text, "cannot store what you trust in this project"));
}

TEST_MAIN()
