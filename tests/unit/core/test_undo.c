/* Taking a turn back: real files, a real store. */
#include "base/container.h"
#include "core/session/undo.h"
#include "core/tool/tool.h"
#include "tool/file/undo.h"
#include "tool/tools.h"
#include "unit/store/stage.h"

#include <fcntl.h>

enum { STEPS = 16 };

struct undo_world {
    struct world w;
    struct session_world sessions;
    struct session s;
    char root[80];
    struct arena mem;
    struct undo undo;
    bool done;
    struct err err;
    int puts; /* times the port was asked to restore */
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct undo_world *u = ctx;

    (void)op;
    u->done = true;
    u->err = e ? *e : (struct err){ 0 };
}

static void open_world(struct undo_world *u)
{
    memset(u, 0, sizeof(*u));
    world_init(&u->w);
    OK(world_open(&u->w));
    snprintf(u->root, sizeof(u->root), "%s/root", u->w.place.path);
    OK(mkdir(u->root, 0755) == 0);
    u->sessions = (struct session_world){
        .loop = u->w.loop,
        .limits = &u->w.limits,
        .store = store_port(u->w.store),
        .undo = &tool_undo_port,
    };
    u->s = (struct session){ .id = "s", .world = &u->sessions };
    u->s.fence = world_session(&u->w, "s");
    u->s.history = history_new(&u->w.limits, &u->mem);
    u->s.host = (struct host){ .loop = u->w.loop, .limits = &u->w.limits, .root = u->root };
    u->s.host.root_fd = open(u->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void close_world(struct undo_world *u)
{
    undo_fini(&u->undo);
    history_free(u->s.history);
    arena_fini(&u->mem);
    close(u->s.host.root_fd);
    world_fini(&u->w);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *at(const struct undo_world *u, const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", u->root, name);
    return path;
}

static void put(const struct undo_world *u, const char *name, const char *text)
{
    struct err e;

    OK(file_write(at(u, name), str_of(text), 0644, &e));
}

/* "(none)" when there is no file. */
static const char *holds(struct undo_world *u, const char *name)
{
    struct str text;
    struct err e;

    if (!file_read(&u->mem, at(u, name), 1 << 20, &text, &e))
        return "(none)";
    return arena_cstr(&u->mem, text);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void store_images(struct undo_world *u, const char *turn, const struct undo_look *l)
{
    struct store_step step[STEPS];

    OK(l->images && l->images <= STEPS);
    for (size_t i = 0; i < l->images; i++)
        step[i] = (struct store_step){
            STORE_IMAGE_PUT,
            .image = { .session = STR("s"),
                       .turn = str_of(turn),
                       .fence = u->s.fence,
                       .path = l->image[i].path,
                       .mode = l->image[i].mode,
                       .content = l->image[i].content,
                       .absent = l->image[i].absent },
        };
    OK(world_ask_all(&u->w, step, l->images));
}

/* A call of a turn, as the turn makes it: images are stored before it begins. */
static void change(struct undo_world *u, const char *turn, const struct tool *tool,
                   const char *args)
{
    struct json_opts opts = limits_json(&u->w.limits);
    struct caller caller = {
        .kind = &caller_nobody, .name = "test", .origin = ORIGIN_STDIO, .principal = STR("user:1")
    };
    struct undo_look look = { .host = &u->s.host, .mem = &u->mem, .tool = tool };
    struct call call;
    struct err e;

    OK(json_read(&u->mem, str_of(args), &opts, &look.args, &e));
    u->done = false;
    tool_undo_port.look(&tool_undo_port, &look, NULL, on_done, u);
    OK(until(u->w.loop, until_true, &u->done));
    store_images(u, turn, &look);
    u->done = false;
    tool_run(tool, &call, &u->s.host, &caller, &u->mem, look.args, NULL, on_done, u);
    OK(until(u->w.loop, until_true, &u->done));
    OK(u->err.code == ERR_NONE && !call.is_error);
}

static void write_file(struct undo_world *u, const char *turn, const char *name, const char *text)
{
    struct str args = arena_printf(&u->mem, "{\"path\":\"%s\",\"content\":\"%s\"}", name, text);

    change(u, turn, &tool_file_write, args.p);
}

static bool take_back(struct undo_world *u)
{
    undo_fini(&u->undo);
    u->undo = (struct undo){ 0 };
    u->done = false;
    undo_start(&u->undo, &u->s, NULL, on_done, u);
    OK(until(u->w.loop, until_true, &u->done));
    return u->err.code == ERR_NONE;
}

/* How many records say that something was taken back; the body of the last. */
static size_t records(struct undo_world *u, struct str *last)
{
    struct store_step s = { STORE_EVENTS, .events = { .session = STR("s") } };
    size_t n = 0;

    OK(world_ask(&u->w, &s));
    for (size_t i = 0; i < s.events.n; i++) {
        if (!str_eq(s.events.v[i].kind, STR("undo")))
            continue;
        *last = s.events.v[i].body;
        n++;
    }
    return n;
}

/* ---- what it does ---------------------------------------------------------------------------- */

TEST(turns_are_taken_back_one_by_one_the_newest_first)
{
    struct undo_world u;
    struct str last = STR_NONE;

    open_world(&u);
    put(&u, "a", "zero");
    write_file(&u, "first", "a", "one");
    write_file(&u, "second", "a", "two");
    write_file(&u, "second", "a", "three");
    write_file(&u, "second", "b", "new");
    OK(take_back(&u));
    EQ_STR(holds(&u, "a"), "one");
    EQ_STR(holds(&u, "b"), "(none)");
    EQ(u.undo.restored, 2);
    EQ_STR(u.undo.turn, "second");
    EQ(records(&u, &last), 1);
    EQ_S(last, "{\"turn\":\"second\",\"files\":2}");
    EQ(history_last(u.s.history), 1);
    OK(take_back(&u));
    EQ_STR(holds(&u, "a"), "zero");
    EQ(records(&u, &last), 2);
    OK(!take_back(&u));
    EQ(u.err.code, ERR_NOT_FOUND);
    EQ(records(&u, &last), 2);
    close_world(&u);
}

/* More images than a page of the store: they come back in their order all the same. */
TEST(a_turn_of_many_files_comes_back_page_by_page)
{
    struct undo_world u;
    struct store_step p = { STORE_IMAGES, .images = { .session = STR("s"), .turn = STR("t") } };
    struct str last;

    open_world(&u);
    u.w.limits.store_page_items = 2;
    for (int i = 0; i < 7; i++)
        write_file(&u, "t", (char[]){ (char)('a' + i), 0 }, "new");
    change(&u, "t", &tool_dir_make, "{\"path\":\"x/y/z\"}");
    OK(take_back(&u));
    EQ(u.undo.restored, 10);
    EQ_STR(holds(&u, "a"), "(none)");
    EQ_STR(holds(&u, "g"), "(none)");
    OK(access(at(&u, "x"), F_OK) != 0);
    EQ(records(&u, &last), 1);
    OK(world_ask(&u.w, &p));
    EQ(p.images.n, 0);
    close_world(&u);
}

TEST(what_cannot_be_taken_back_says_so)
{
    struct undo_world u;

    open_world(&u);
    OK(!take_back(&u));
    EQ(u.err.code, ERR_NOT_FOUND);
    write_file(&u, "t", "a", "new");
    u.s.state = SESSION_WORKING;
    OK(!take_back(&u));
    EQ(u.err.code, ERR_DENIED);
    u.s.state = SESSION_IDLE;
    u.sessions.undo = NULL;
    OK(!take_back(&u));
    EQ(u.err.code, ERR_NOT_FOUND);
    u.sessions.undo = &tool_undo_port;
    u.sessions.store = NULL;
    OK(!take_back(&u));
    EQ(u.err.code, ERR_NOT_FOUND);
    EQ_STR(holds(&u, "a"), "new");
    close_world(&u);
}

/* Whoever has lost the session does not touch its files any more. */
TEST(a_session_that_is_not_ours_is_left_alone)
{
    struct undo_world u;

    open_world(&u);
    put(&u, "a", "old");
    write_file(&u, "t", "a", "new");
    u.s.fence--;
    if (!u.s.fence)
        u.s.fence = 99;
    OK(!take_back(&u));
    EQ(u.err.code, ERR_DENIED);
    EQ_STR(holds(&u, "a"), "new");
    close_world(&u);
}

/* ---- when it fails --------------------------------------------------------------------------- */

static struct undo_world *failing;

/* Restores, then loses the session before the store is told: as if we were killed in between. */
static void put_and_lose(struct undo_port *p, struct undo_put *put, struct op *parent,
                         op_done_fn *done, void *ctx)
{
    (void)p;
    failing->puts++;
    failing->s.fence += 7;
    tool_undo_port.put(&tool_undo_port, put, parent, done, ctx);
}

TEST(between_restoring_and_forgetting_nothing_is_lost)
{
    struct undo_port port = { .look = tool_undo_port.look, .put = put_and_lose };
    struct undo_world u;
    struct str last;

    open_world(&u);
    put(&u, "a", "old");
    write_file(&u, "t", "a", "new");
    failing = &u;
    u.sessions.undo = &port;
    OK(!take_back(&u));
    EQ(u.err.code, ERR_DENIED);
    EQ(u.puts, 1);
    EQ_STR(holds(&u, "a"), "old");
    EQ(records(&u, &last), 0);
    u.s.fence -= 7;
    u.sessions.undo = &tool_undo_port;
    OK(take_back(&u));
    EQ(u.undo.restored, 0); /* it was as it had been */
    EQ_STR(holds(&u, "a"), "old");
    EQ(records(&u, &last), 1);
    close_world(&u);
}

TEST(images_stay_until_all_files_are_back)
{
    struct undo_world u;
    struct str last;

    open_world(&u);
    u.w.limits.store_page_items = 1;
    put(&u, "a", "old");
    put(&u, "b", "old");
    write_file(&u, "t", "a", "new");
    write_file(&u, "t", "b", "new");
    OK(unlink(at(&u, "b")) == 0 && mkdir(at(&u, "b"), 0755) == 0);
    put(&u, "b/mine", "mine");
    OK(!take_back(&u));
    HAS_S(str_of(u.err.text), "could not be restored");
    HAS_S(str_of(u.err.text), "/b: Directory not empty");
    EQ_STR(holds(&u, "a"), "old"); /* the page behind it is restored */
    EQ(records(&u, &last), 0);
    OK(unlink(at(&u, "b/mine")) == 0);
    OK(take_back(&u));
    EQ_STR(holds(&u, "b"), "old");
    EQ(records(&u, &last), 1);
    close_world(&u);
}

static void cancel_then_put(struct undo_port *p, struct undo_put *put, struct op *parent,
                            op_done_fn *done, void *ctx)
{
    (void)p;
    op_cancel(&failing->undo.op);
    tool_undo_port.put(&tool_undo_port, put, parent, done, ctx);
}

TEST(a_cancelled_undo_can_be_made_again)
{
    struct undo_port port = { .look = tool_undo_port.look, .put = cancel_then_put };
    struct undo_world u;
    struct str last;

    open_world(&u);
    put(&u, "a", "old");
    write_file(&u, "t", "a", "new");
    failing = &u;
    u.sessions.undo = &port;
    OK(!take_back(&u));
    EQ(u.err.code, ERR_CANCELED);
    EQ(records(&u, &last), 0);
    u.sessions.undo = &tool_undo_port;
    OK(take_back(&u));
    EQ_STR(holds(&u, "a"), "old");
    close_world(&u);
}

/* ---- with real turns ------------------------------------------------------------------------- */

static void on_undone(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    OK(!e);
    *(bool *)ctx = true;
}

static size_t stage_undo(struct stage *s)
{
    struct undo undo = { 0 };
    bool done = false;

    undo_start(&undo, &s->session, NULL, on_undone, &done);
    OK(until(s->world.loop, until_true, &done));
    undo_fini(&undo);
    return undo.restored;
}

static bool stage_holds(struct stage *s, const char *name, const char *text)
{
    struct str now;
    struct err e;

    if (!file_read(&s->world.place.mem, place_file(&s->world.place, name), 1000, &now, &e))
        return !text;
    return text && str_eq(now, str_of(text));
}

TEST(what_an_agent_did_is_taken_back_by_the_next_process)
{
    struct offer_source builtin = { .tool = builtin_tools, .tools = builtin_tool_count };
    AUTO_STAGE s;
    char id[ID_TEXT];

    stage_init(&s);
    s.offer.host.root_fd = open(s.world.place.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    offer_join(&s.offer, &builtin);
    stage_up(&s);
    s.sworld.undo = &tool_undo_port;
    place_write(&s.world.place, "a", "old");
    OK(stage_open(&s, NULL));
    memcpy(id, s.session.id, sizeof(id));
    add_line(&s,
             (struct line){ .call = { { "1", "file_write", "{\"path\":\"a\",\"content\":\"new\"}" },
                                      { "2", "dir_make", "{\"path\":\"d/e\"}" },
                                      { "3", "file_read", "{\"path\":\"a\"}" } },
                            .stop = STOP_TOOLS });
    add_line(&s,
             (struct line){ .call = { { "4", "file_move", "{\"from\":\"a\",\"to\":\"d/e/b\"}" } },
                            .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Done." });
    add_line(&s, (struct line){ .text = "Nothing to do." });
    stage_ask(&s, "go");
    stage_ask(&s, "and now?");
    OK(stage_holds(&s, "d/e/b", "new") && stage_holds(&s, "a", NULL));
    stage_close(&s);
    world_close(&s.world);
    stage_up(&s);
    s.sworld.undo = &tool_undo_port;
    OK(stage_open(&s, id));
    EQ(stage_undo(&s), 4); /* the turn that changed nothing is passed over */
    OK(stage_holds(&s, "a", "old"));
    OK(access(place_file(&s.world.place, "d"), F_OK) != 0);
    stage_close(&s);
    offer_leave(&s.offer, &builtin);
    close(s.offer.host.root_fd);
}

TEST_MAIN()
