/*
 * memory.c - stores notes under keys, in memory.json of the root's state directory (core/state.h).
 * The notes outlive the session, and cannot come from a cloned repository.
 *
 * The file is one JSON object of strings. A call locks a separate lock file and then reads and
 * replaces the whole file, so that calls and programs do not lose each other's changes. A file that
 * is not such an object is an error, and is never overwritten.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/utf8.h"
#include "core/state.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

enum { LOCK_LOOK_MS = 2, NOTES_DEPTH = 4, KEY_MOST = 200 };

#define FILE_NAME "memory.json"

struct memory {
    struct tool_job job; /* first */
    const struct action *action;
    struct str key, value, query;
    struct json notes;     /* an object, or missing */
    struct host_folder in; /* the state directory */
};

/* ---- the file ---------------------------------------------------------------------------- */

static struct place place_at(const struct memory *m, const char *path)
{
    return (struct place){ .given = str_of(path), .in = m->in, .path = path, .no_links = true };
}

/* Waits for whoever has it, but not for ever. */
static bool lock(struct memory *m, int fd, struct err *e)
{
    int64_t left = m->job.host->limits->memory_lock_ms;

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail_sys(e, "lock " FILE_NAME);
        if (left <= 0 || tool_job_stopped(&m->job))
            return fail(e, ERR_TIMEOUT,
                        FILE_NAME " is in use by another program (the constant memory_lock_ms)");
        poll(NULL, 0, LOCK_LOOK_MS);
        left -= LOCK_LOOK_MS;
    }
    return true;
}

static bool open_lock(struct memory *m, int *out, struct err *e)
{
    struct place p = place_at(m, "memory.lock");

    return beneath_open(&p, O_RDWR | O_CREAT | O_NOFOLLOW, 0600, out, e) && lock(m, *out, e);
}

static bool read_notes(struct memory *m, struct err *e)
{
    const struct limits *l = m->job.host->limits;
    struct json_opts opts = { .file = FILE_NAME,
                              .max_depth = NOTES_DEPTH,
                              .max_values = (uint32_t)(2 * l->memory_notes + 1) };
    struct place p = place_at(m, FILE_NAME);
    struct str text;

    if (!beneath_read(&p, &m->job.mem, l->memory_bytes, "memory_bytes", &text, e))
        return e->code == ERR_NOT_FOUND;
    if (!json_read(&m->job.mem, text, &opts, &m->notes, e))
        return false;
    if (json_type(m->notes) != JSON_OBJECT)
        return fail(e, ERR_INVALID, FILE_NAME " is not a JSON object of keys and notes");
    JSON_MEMBERS(key, m->notes)
    {
        if (json_type(json_value(key)) != JSON_STRING)
            return json_fail(json_value(key), e, "a note must be a string");
    }
    return pick_check_keys(&m->job.mem, m->notes, e);
}

/* All notes but that of the key, and with `fresh` that one. */
static bool write_notes(struct memory *m, bool fresh, struct err *e)
{
    const struct limits *l = m->job.host->limits;
    struct place p = place_at(m, FILE_NAME);
    AUTO_ENTRY n = { .folder = -1 };
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &m->job.mem, (size_t)l->memory_bytes);
    jw_object(&w);
    JSON_MEMBERS(key, m->notes)
    {
        if (json_is(key, m->key))
            continue;
        jw_key(&w, json_str(&m->job.mem, key));
        jw_raw(&w, json_raw(json_value(key)));
    }
    if (fresh) {
        jw_key(&w, m->key);
        jw_str(&w, m->value);
    }
    jw_object_end(&w);
    if (out.full)
        return fail(e, ERR_LIMIT,
                    "all notes together may have at most %lld bytes "
                    "(the constant memory_bytes)",
                    (long long)l->memory_bytes);
    return entry_of(&p, &n, e) && entry_put(&n, &p, buf_str(&out), 0600, e);
}

/* ---- actions ----------------------------------------------------------------------------- */

typedef bool action_fn(struct memory *m, struct err *e);

static struct json find(const struct memory *m)
{
    return json_get(m->notes, m->key);
}

static bool fail_none(const struct memory *m, struct err *e)
{
    return fail(e, ERR_NOT_FOUND, "there is no note \"" STR_FMT "\"",
                STR_ARG(utf8_head(m->key, 100)));
}

static bool do_get(struct memory *m, struct err *e)
{
    if (!json_here(find(m)))
        return fail_none(m, e);
    m->job.answer = json_str(&m->job.mem, find(m));
    return true;
}

static bool do_set(struct memory *m, struct err *e)
{
    int64_t most = m->job.host->limits->memory_notes;

    if (!json_here(find(m)) && (int64_t)json_count(m->notes) >= most)
        return fail(e, ERR_LIMIT, "there are %lld notes already (the constant memory_notes)",
                    (long long)most);
    m->job.answer = arena_printf(&m->job.mem, "%s " STR_FMT,
                                 json_here(find(m)) ? "Replaced" : "Noted", STR_ARG(m->key));
    return write_notes(m, true, e);
}

static bool do_delete(struct memory *m, struct err *e)
{
    if (!json_here(find(m)))
        return fail_none(m, e);
    m->job.answer = arena_printf(&m->job.mem, "Deleted " STR_FMT, STR_ARG(m->key));
    return write_notes(m, false, e);
}

static bool do_list(struct memory *m, struct err *e)
{
    struct buf out;

    (void)e;
    buf_init_in(&out, &m->job.mem, (size_t)m->job.host->limits->message_bytes);
    JSON_MEMBERS(key, m->notes)
    {
        buf_put(&out, json_str(&m->job.mem, key));
        buf_putc(&out, '\n');
    }
    m->job.answer = out.n ? str_head(buf_str(&out), out.n - 1) : STR("There are no notes.");
    return true;
}

/* ASCII letters in any case. */
static bool holds(struct str text, struct str what)
{
    for (size_t i = 0; i + what.n <= text.n; i++)
        if (str_eq_nocase(str_head(str_skip(text, i), what.n), what))
            return true;
    return false;
}

static void put_note(struct buf *out, struct str name, struct str value)
{
    buf_put(out, name);
    buf_put(out, STR(": "));
    buf_put(out, value);
    buf_putc(out, '\n');
}

static bool do_search(struct memory *m, struct err *e)
{
    struct arena *mem = &m->job.mem;
    struct buf out;

    (void)e;
    buf_init_in(&out, mem, (size_t)m->job.host->limits->message_bytes);
    JSON_MEMBERS(key, m->notes)
    {
        struct str name = json_str(mem, key), value = json_str(mem, json_value(key));

        if (holds(name, m->query) || holds(value, m->query))
            put_note(&out, name, value);
    }
    m->job.answer = out.n ? str_head(buf_str(&out), out.n - 1) : STR("No note matches.");
    return true;
}

static const struct action {
    const char *name;
    action_fn *run;
    bool key, value, query; /* what it needs */
} actions[] = {
    { "get", do_get, true, false, false },       { "set", do_set, true, true, false },
    { "list", do_list, false, false, false },    { "search", do_search, false, false, true },
    { "delete", do_delete, true, false, false },
};

static bool open_folder(struct memory *m, int *out, struct err *e)
{
    struct state_port *state = m->job.host->state;

    m->in.path = state ? state->open(state, e) : NULL;
    if (!state)
        return fail(e, ERR_NOT_FOUND, "there is no state directory: notes cannot be stored");
    if (!m->in.path)
        return false;
    *out = m->in.fd = open(m->in.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return *out >= 0 || fail_sys(e, "open %.150s", m->in.path);
}

static bool run(struct tool_job *w, struct err *e)
{
    struct memory *m = CONTAINER_OF(w, struct memory, job);
    AUTO_FD folder = -1, guard = -1;

    return open_folder(m, &folder, e) && open_lock(m, &guard, e) && read_notes(m, e) &&
           m->action->run(m, e);
}

/* ---- on the loop ------------------------------------------------------------------------- */

struct memory_args {
    struct str action, key, value, query;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("action", PICK_STR, struct memory_args, action, PICK_MUST),
    PICK_FIELD("key", PICK_STR, struct memory_args, key, 0),
    PICK_FIELD("value", PICK_STR, struct memory_args, value, 0),
    PICK_FIELD("query", PICK_STR, struct memory_args, query, 0),
};

static const struct action *find_action(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (str_eq(name, str_of(actions[i].name)))
            return &actions[i];
    return NULL;
}

static bool check(struct call *call, const struct action *a, const struct memory_args *args)
{
    if (!a)
        call_failed(call, "action: expected get, set, list, search or delete");
    else if (a->key && (!args->key.n || args->key.n > KEY_MOST))
        call_failed(call, "%s needs a key of 1 to %d bytes", a->name, KEY_MOST);
    else if (a->value && !args->value.p)
        call_failed(call, "%s needs a value", a->name);
    else if (a->query && !args->query.n)
        call_failed(call, "%s needs a query", a->name);
    else
        return true;
    return false;
}

static void start(struct call *call)
{
    struct memory_args args = { 0 };
    const struct action *a;
    struct memory *m;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    a = find_action(args.action);
    if (!check(call, a, &args))
        return;
    m = TOOL_JOB_NEW(call, struct memory);
    m->action = a;
    m->key = args.key;
    m->value = args.value;
    m->query = args.query;
    tool_job_start(&m->job, run, NULL);
}

const struct tool tool_memory = {
    .name = "memory",
    .title = "Notes",
    .description = "Store and read short notes under keys. Later sessions can read them. Actions: "
                   "get, set, list, search, delete.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{"
        "\"action\":{\"type\":\"string\","
        "\"enum\":[\"get\",\"set\",\"list\",\"search\",\"delete\"]},"
        "\"key\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":200,"
        "\"description\":\"For the actions get, set and delete: key of the note.\"},"
        "\"value\":{\"type\":\"string\",\"description\":\"For the action set: the note.\"},"
        "\"query\":{\"type\":\"string\",\"minLength\":1,"
        "\"description\":\"For the action search: text to find in keys and notes.\"}},"
        "\"required\":[\"action\"]}",
    .kind = TOOL_EDIT,
    .start = start,
};
