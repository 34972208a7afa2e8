/*
 * child.h - a command that a tool started in a terminal of the workspace, its output, and the calls
 * that wait for it.
 *
 *   STARTING -> RUNNING -> EXITED -> CLOSED
 *
 * STARTING  the workspace starts it; a failure frees it
 * RUNNING   output arrives
 * EXITED    the terminal is closing
 * CLOSED    output and exit code remain
 *
 * child_drop() kills, closes and frees the child in any state. The tool_world owns the child, so
 * the child may outlive the call that started it. Its stdout and stderr are joined in the order in
 * which they are read; stderr is added line by line.
 */
#ifndef TOOL_CHILD_H
#define TOOL_CHILD_H

#include "core/workspace.h"
#include "tool/output.h"
#include "tool/tool_job.h"
#include "tool/world.h"

enum { CHILD_ID = 17 };

enum child_state { CHILD_STARTING, CHILD_RUNNING, CHILD_EXITED, CHILD_CLOSED };

struct child;

/* The command was started; on a failure the call has failed, and this is not called. */
typedef void child_started_fn(struct call *call, struct child *k, void *ctx);

struct child {
    struct terminal terminal;
    struct tool_world *world;
    struct child *next, **link;
    char id[CHILD_ID];
    bool kept; /* a background process: child_find finds it */
    struct output output;
    enum child_state state;
    bool dropped;
    struct proc_exit exit; /* from EXITED on */
    struct child_wait *waits;

    /* While it is starting. */
    struct call *call; /* that starts it; NULL: the command has started */
    child_started_fn *started;
    void *started_ctx;
};

/* ---- arguments ----------------------------------------------------------------------------- */

/* The arguments that shell_exec and process_start share; all in the memory of the call. */
struct child_args {
    struct pick_strs argv;
    struct str command;
    bool shell;
    struct str cwd;
    struct json env;
};

#define CHILD_FIELDS(type, field)                                                                  \
    PICK_FIELD("argv", PICK_STRS, type, field.argv, 0),                                            \
        PICK_FIELD("command", PICK_STR, type, field.command, 0),                                   \
        PICK_FIELD("shell", PICK_BOOL, type, field.shell, 0),                                      \
        PICK_FIELD("cwd", PICK_STR, type, field.cwd, 0),                                           \
        PICK_FIELD("env", PICK_OBJECT, type, field.env, 0)

/* The same as properties of a JSON schema. */
#define CHILD_SCHEMA                                                                               \
    "\"argv\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,"                 \
    "\"description\":\"Program and arguments, run without a shell.\"},"                            \
    "\"command\":{\"type\":\"string\","                                                            \
    "\"description\":\"Instead of argv, with shell: a command line.\"},"                           \
    "\"shell\":{\"type\":\"boolean\",\"description\":\"Run command with /bin/sh.\"},"              \
    "\"cwd\":{\"type\":\"string\",\"default\":\".\","                                              \
    "\"description\":\"Folder to run in, relative to the working folder.\"},"                      \
    "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"                 \
    "\"description\":\"Additional environment variables.\"}"

struct child_plan {
    const char *const *argv, *const *env;
    struct place cwd;
};

/* False: the call has failed with the reason. */
bool child_plan(struct call *call, const struct child_args *args, struct child_plan *out);

/* ---- running it ---------------------------------------------------------------------------- */

/*
 * How many bytes of output to keep, at most `most`: the output and the line about the program's
 * end must fit into limits.tool_result_chars.
 */
size_t child_output_room(const struct limits *limits, int64_t most);

/*
 * Start a command in the workspace of the call, with room for head and tail bytes of output. The
 * caller may set the fields of the child that is returned.
 */
struct child *child_start(struct call *call, const struct child_plan *plan, size_t head,
                          size_t tail, child_started_fn *started, void *ctx);

static inline bool child_has_exited(const struct child *k)
{
    return k->state >= CHILD_EXITED;
}

/* Kill it with all processes that it started; its exit follows. */
void child_kill(struct child *k);

/* Kill and free it. Calls that wait for it fail with ERR_CLOSED. */
void child_drop(struct child *k);

/* The background process of an id; NULL: none. */
struct child *child_find(struct tool_world *w, struct str id);

/* ---- waiting ------------------------------------------------------------------------------- */

enum child_news { CHILD_EXIT, CHILD_ANY /* also output that was not taken yet */ };

struct child_wait {
    struct op op; /* first */
    struct child *child;
    enum child_news news;
    struct timer timer;
    struct child_wait *next;
};

/* Wait for an exit or for output. Settles at once if it is already there; ERR_TIMEOUT after ms. */
void child_wait(struct child *k, struct child_wait *w, enum child_news news, int64_t ms,
                struct op *parent, op_done_fn *done, void *ctx);

/* ---- its state ----------------------------------------------------------------------------- */

/* "exited with code 0", "is running". */
struct str child_state_text(const struct child *k, struct arena *mem);

/* Members of an object: running, exitCode or signal. */
void child_write_state(const struct child *k, struct jw *w);

#endif
