/*
 * workspace.h - the workspace port: the text files that tools read and write, and the terminals
 * in which they run commands.
 *
 * Two kinds of workspace: the local machine (tool/local_workspace.h), and files and terminals that
 * another program holds, such as an editor. host->workspace selects one, and each session has
 * its own host, so each session can have its own workspace.
 *
 * A path is a folder plus a path below it (struct place), never one absolute string. The local kind
 * opens the file, checks the guard's rules against the descriptor it got, and only then reads or
 * changes a byte, or starts a command. Other kinds have no descriptor: workspace_read,
 * workspace_write and workspace_run check the rules against the path before the kind sees the
 * request.
 *
 * An editor knows UTF-8 text files only. Images, lists of folders, searches, moves and deletes are
 * always local.
 *
 * Every operation is an op: it may take long, can be cancelled, and settles once. ERR_NOT_FOUND:
 * there is no such file.
 */
#ifndef CORE_WORKSPACE_H
#define CORE_WORKSPACE_H

#include "base/arena.h"
#include "core/tool/call.h"
#include "loop/proc.h"

/* A path as the caller gave it, the file it names, and what the guard allows there. */
struct place {
    struct str given;
    struct host_folder in;          /* the folder it is resolved beneath */
    const char *path;               /* relative to that folder; "." for the folder itself */
    bool elsewhere;                 /* that folder is not the root */
    bool no_links;                  /* opening fails with ERR_DENIED if a part of it is a link */
    const struct path_rules *rules; /* for the path of the opened file; NULL: none */
    int root_fd;                    /* the root folder, for the protected paths below it */
    bool writes, removes;           /* the opened file will be changed; or removed */
    bool may_define;                /* as in struct call */
    bool hides_logs;                /* .trefoil/logs cannot be read */
};

/* Check the protected paths (protected_path.h) for a path below the root. ERR_DENIED. */
bool place_check_protected(const struct place *p, struct str below_root, struct err *e);

/* Check all rules of a place by its path alone, without opening it. ERR_DENIED. */
bool place_check_by_path(const struct place *p, struct err *e);

struct file_reading {
    struct op op; /* first */
    const struct host *host;
    struct arena *mem; /* for the result; another thread may use it until the op settles */
    struct place place;
    int64_t from_line, line_count; /* from_line counts from 1; line_count 0: to the end */
    bool takes_image;              /* an image may be returned instead of text */
    struct str text;               /* result: the lines; of an image, the whole file in base64 */
    const char *image;             /* result: MIME type of an image; NULL: text */
    op_done_fn *done;              /* of workspace_read */
    void *ctx;
};

struct file_writing {
    struct op op; /* first */
    const struct host *host;
    struct arena *mem; /* as in struct file_reading */
    struct place place;
    struct str text;
    struct str expected; /* fail unless the file still holds this text; STR_NONE: do not compare */
    bool parents;        /* create missing folders above the file */
    bool only_new;       /* fail if the file exists */
    bool created;        /* result: there was no such file before */
};

/* ---- terminals --------------------------------------------------------------------------- */

struct terminal;

/*
 * The loop calls these functions. Output may arrive before the op of workspace_run settles. After
 * on_exit the workspace closes the terminal; on_closed is the last call.
 */
struct terminal_events {
    void (*on_output)(struct terminal *t, struct str bytes); /* stdout and stderr */
    void (*on_exit)(struct terminal *t, const struct proc_exit *exit);
    void (*on_closed)(struct terminal *t); /* the workspace no longer uses *t: it may be freed */
};

struct terminal {
    struct op op; /* first; settles when the command has started, or fails if it cannot start */
    struct workspace *workspace;
    const struct terminal_events *events;
    void *owner;
    size_t output_limit; /* the owner keeps no more bytes; a kind may drop older output */
    void *own;           /* of the kind */

    /* What to run; used until the op settles. */
    const struct host *host;
    struct arena *mem;                    /* as in struct file_reading */
    const char *const *argv, *const *env; /* both end with NULL */
    struct place cwd;
};

/* ---- kinds ------------------------------------------------------------------------------- */

struct workspace {
    const struct workspace_kind *kind;
};

struct workspace_kind {
    const char *name;
    bool local; /* checks the rules of a place against what it has opened */
    void (*read)(struct workspace *w, struct file_reading *r, struct op *parent, op_done_fn *done,
                 void *ctx);
    /* `expected` and `only_new` are checked by reading first, atomically or not. */
    void (*write)(struct workspace *w, struct file_writing *f, struct op *parent, op_done_fn *done,
                  void *ctx);
    /* A kind that fails to start the command, or is cancelled before, delivers no event. */
    void (*run)(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                void *ctx);
    struct stream *(*input)(struct terminal *t); /* stdin, borrowed; NULL: there is none */
    void (*kill)(struct terminal *t);
    void (*release)(struct terminal *t);
};

/*
 * Read or write a file. ERR_LIMIT: the text has more than limits.file_read_bytes. *r and *f must
 * stay valid until done returns.
 */
void workspace_read(struct workspace *w, struct file_reading *r, struct op *parent,
                    op_done_fn *done, void *ctx);
void workspace_write(struct workspace *w, struct file_writing *f, struct op *parent,
                     op_done_fn *done, void *ctx);

/*
 * Start a command. *t must live until done has been called with an error, or until on_closed; in
 * that case also until done returns.
 */
void workspace_run(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                   void *ctx);

/* For a command that was started and whose on_exit has not been delivered. */
struct stream *terminal_input(struct terminal *t);
void terminal_kill(struct terminal *t); /* with all processes that it started; on_exit follows */

/* Kill a command that was started, and close; on_exit, if it is owed, and on_closed follow. */
void terminal_release(struct terminal *t);

/* Fill *e as the error of a write whose file does not hold the expected text. */
bool workspace_fail_changed(const struct place *p, struct err *e);

/* Fill *e as the error of a write with only_new whose file exists. */
bool workspace_fail_exists(const struct place *p, struct err *e);

/* `count` lines of a text from line `from` on, counted from 1; count 0: to the end. */
struct str text_lines(struct str text, int64_t from, int64_t count);

#endif
