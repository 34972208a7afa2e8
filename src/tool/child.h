/*
 * child.h - a command that a tool started in a terminal of the workspace, its output, and the calls
 * that wait for it.
 *
 *   STARTING -> RUNNING -> EXITED -> CLOSED
 *
 * STARTING  the workspace starts the command; if that fails, the child is freed
 * RUNNING   output arrives
 * EXITED    the terminal is closing
 * CLOSED    output and exit code remain
 *
 * child_drop() kills, closes and frees the child in any state. struct tool_resources owns the
 * child, so the child may outlive the call that started it. The output contains stdout and stderr
 * in the order in which they are read; stderr is added line by line.
 */
#ifndef TOOL_CHILD_H
#define TOOL_CHILD_H

#include "core/workspace.h"
#include "tool/output.h"
#include "tool/tool_job.h"
#include "tool/tool_resources.h"

enum { CHILD_ID = 17 };

enum child_state { CHILD_STARTING, CHILD_RUNNING, CHILD_EXITED, CHILD_CLOSED };

struct child;

/* Called when the command has started. If it cannot be started, the call fails instead. */
typedef void child_started_fn(struct call *call, struct child *k, void *ctx);

struct child {
    struct terminal terminal;
    struct tool_resources *world;
    struct child *next, **link;
    char id[CHILD_ID];
    bool kept; /* this is a background process, which child_find finds */
    /* the host of the call that started the command; only compared, never dereferenced */
    const struct host *host;
    enum sandbox_kind sandbox; /* the profile in which the command runs */
    char *folder;              /* the working folder of the command, absolute */
    struct output output;
    enum child_state state;
    bool dropped;
    struct proc_exit exit; /* how the command ended; set in EXITED and CLOSED */
    struct child_wait *waits;

    /* While STARTING: */
    struct call *call; /* the call that starts the command; NULL: it has started */
    child_started_fn *started;
    void *started_ctx;
};

/* ---- arguments ----------------------------------------------------------------------------- */

/*
 * The arguments that shell_exec and process_start share. Their data is in the memory of the call.
 */
struct child_args {
    struct pick_strs argv;
    struct str command;
    bool shell;
    struct str cwd;
    struct json env;
    struct str sandbox, reason;
};

#define CHILD_FIELDS(type, field)                                                                  \
    PICK_FIELD("argv", PICK_STRS, type, field.argv, 0),                                            \
        PICK_FIELD("command", PICK_STR, type, field.command, 0),                                   \
        PICK_FIELD("shell", PICK_BOOL, type, field.shell, 0),                                      \
        PICK_FIELD("cwd", PICK_STR, type, field.cwd, 0),                                           \
        PICK_FIELD("env", PICK_OBJECT, type, field.env, 0),                                        \
        PICK_FIELD("sandbox", PICK_STR, type, field.sandbox, 0),                                   \
        PICK_FIELD("reason", PICK_STR, type, field.reason, 0)

/* The arguments that shell_exec and process_start share, as properties of a JSON schema. */
#define CHILD_SCHEMA                                                                               \
    "\"argv\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,"                 \
    "\"description\":\"Program and arguments, run without a shell.\"},"                            \
    "\"command\":{\"type\":\"string\","                                                            \
    "\"description\":\"Command line, instead of `argv`. Set `shell` to true.\"},"                  \
    "\"shell\":{\"type\":\"boolean\",\"description\":\"Run `command` with /bin/sh.\"},"            \
    "\"cwd\":{\"type\":\"string\",\"default\":\".\","                                              \
    "\"description\":\"Folder to run in, relative to the working folder.\"},"                      \
    "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"                 \
    "\"description\":\"Additional environment variables.\"},"                                      \
    "\"sandbox\":{\"type\":\"string\",\"enum\":[\"default\",\"network\",\"off\"],"                 \
    "\"description\":\"By default the program can write only below the root folder and in a "      \
    "private /tmp, and has no network. `network` also allows connections to TCP ports 80 and "     \
    "443. `off` runs the program without a sandbox. Both need the user's approval.\"},"            \
    "\"reason\":{\"type\":\"string\","                                                             \
    "\"description\":\"Why the program needs this value of `sandbox`. Shown to the user.\"}"

struct command_plan {
    const char *const *argv, *const *env;
    struct place cwd;
    const struct sandbox_profile *sandbox; /* NULL: none */
};

/* Convert the argument `sandbox`. This is the function tool->sandbox of these tools. */
struct tool_sandbox child_sandbox_wish(const struct host *host, struct json args);

/*
 * Return the profile that the guard has chosen for the call, in the memory of the call. NULL: the
 * guard has chosen none.
 */
const struct sandbox_profile *child_sandbox_of(struct call *call);

/*
 * Return "\n[blocked by sandbox profile ...]" if the output of a program that has exited shows that
 * its sandbox refused something (sandbox_hint.h); else "".
 */
struct str child_sandbox_blocked(const struct child *k, struct arena *mem);

/* Check the arguments and convert them to a plan. False: the call has failed with the reason. */
bool child_plan(struct call *call, const struct child_args *args, struct command_plan *out);

/* ---- running it ---------------------------------------------------------------------------- */

/*
 * Return how many bytes of output to keep, which is at most `most`: the output and the line about
 * the program's end must fit into limits.tool_result_chars.
 */
size_t child_output_room(const struct limits *limits, int64_t most);

/*
 * Start a command in the workspace of the call. The first `head` bytes and the last `tail` bytes of
 * its output are kept. The caller may set fields of the returned child.
 */
struct child *child_start(struct call *call, const struct command_plan *plan, size_t head,
                          size_t tail, child_started_fn *started, void *ctx);

static inline bool child_has_exited(const struct child *k)
{
    return k->state >= CHILD_EXITED;
}

/* Kill the command and all processes that it started; terminal_events.on_exit follows. */
void child_kill(struct child *k);

/* Kill and free the child. Calls that wait for it fail with ERR_CLOSED. */
void child_drop(struct child *k);

/* Find a background process by its id; NULL: none. */
struct child *child_find(struct tool_resources *w, struct str id);

/* ---- waiting ------------------------------------------------------------------------------- */

enum child_news { CHILD_EXIT, CHILD_ANY /* exit, or output that was not read yet */ };

struct child_wait {
    struct op op; /* first */
    struct child *child;
    enum child_news news;
    struct timer timer;
    struct child_wait *next;
};

/*
 * Wait until the command exits. With CHILD_ANY, also stop waiting when there is output, which may
 * have arrived before the call. Fails with ERR_TIMEOUT after `ms`.
 */
void child_wait(struct child *k, struct child_wait *w, enum child_news news, int64_t ms,
                struct op *parent, op_done_fn *done, void *ctx);

/* ---- its state ----------------------------------------------------------------------------- */

/* Return the state as text: "exited with code 0", "is running". */
struct str child_state_text(const struct child *k, struct arena *mem);

/* Write the state as members of an object: running, exitCode or signal. */
void child_write_state(const struct child *k, struct jw *w);

#endif
