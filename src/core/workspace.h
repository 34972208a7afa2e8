/*
 * workspace.h - the workspace port: the text files that tools read and write, and the terminals
 * in which they run commands.
 *
 * There are two kinds of workspace: the local machine (tool/local_workspace.h), and another
 * program, such as an editor, that provides files and terminals. host->workspace selects the
 * workspace. Each session has its own host, so sessions can use different workspaces.
 *
 * A file is named by a folder and a path below it (struct place), never by one absolute path. The
 * local kind opens the file, checks the guard's rules against the open descriptor, and only then
 * reads or writes the file or starts a command. Other kinds have no descriptor. For them,
 * workspace_read, workspace_write and workspace_run check the rules against the path before they
 * pass on the request.
 *
 * An editor provides only UTF-8 text files. Images, folder lists, searches, moves and deletions
 * always use the local machine.
 *
 * Every operation is an op. ERR_NOT_FOUND: the file does not exist.
 */
#ifndef CORE_WORKSPACE_H
#define CORE_WORKSPACE_H

#include "base/arena.h"
#include "core/tool/call.h"
#include "loop/proc.h"

/* A place is the path of a file, relative to a folder, and what the guard allows there. */
struct place {
    struct str given;      /* the path as the caller gave it */
    struct host_folder in; /* the folder that contains the file */
    /* path of the file relative to `in`; "." for the folder itself */
    const char *path;
    bool elsewhere;                 /* `in` is not the root folder */
    bool no_links;                  /* opening fails with ERR_DENIED if the path contains a link */
    const struct path_rules *rules; /* rules that are checked for the opened file; NULL: no rules */
    int root_fd;                    /* the root folder, which contains the protected paths */
    /* `writes`: the opened file will be changed; `removes`: it will be removed */
    bool writes, removes;
    bool may_define; /* as in struct call */
    bool hides_logs; /* files in .trefoil/logs cannot be read */
};

/* Fails with ERR_DENIED if a path below the root is protected (protected_path.h). */
bool place_check_protected(const struct place *p, struct str below_root, struct err *e);

struct file_reading {
    struct op op; /* first */
    const struct host *host;
    struct arena *mem; /* memory for the result; another thread may use it until the op is done */
    struct place place;
    int64_t from_line, line_count; /* from_line is counted from 1; line_count 0: to the end */
    bool takes_image;              /* an image may be returned instead of text */
    struct str text;               /* result: the lines; for an image: the whole file in base64 */
    const char *image;             /* result: MIME type of an image; NULL: the file is text */
    op_done_fn *done;              /* set by workspace_read */
    void *ctx;
};

struct file_writing {
    struct op op; /* first */
    const struct host *host;
    struct arena *mem; /* as in struct file_reading */
    struct place place;
    struct str text;
    struct str expected; /* fail unless this is the content of the file; STR_NONE: do not check */
    bool parents;        /* create missing parent folders */
    bool only_new;       /* fail if the file exists */
    bool created;        /* result: the file did not exist before */
    /* result of kinds that are not local: the text before; STR_NONE: there was no text file */
    struct str was;
};

/* ---- terminals --------------------------------------------------------------------------- */

struct terminal;

/*
 * The loop calls these functions. Output may arrive before the op of workspace_run is done. After
 * on_exit the workspace closes the terminal and calls on_closed last.
 */
struct terminal_events {
    /* called with output of the command: stdout and stderr */
    void (*on_output)(struct terminal *t, struct str bytes);
    void (*on_exit)(struct terminal *t, const struct proc_exit *exit);
    void (*on_closed)(struct terminal *t); /* the workspace no longer uses *t, which may be freed */
};

struct terminal {
    struct op op; /* first; done when the command has started, or could not be started */
    struct workspace *workspace;
    const struct terminal_events *events;
    void *owner;
    /* the owner keeps at most this many bytes, so a kind may drop older output */
    size_t output_limit;
    struct str call; /* id of the tool call that runs the command, for clients; STR_NONE: none */
    void *own;       /* private to the workspace kind */

    /* The next members describe the command. They are used until the op is done. */
    const struct host *host;
    struct arena *mem;                    /* as in struct file_reading */
    const char *const *argv, *const *env; /* both end with NULL */
    struct place cwd;
    const struct sandbox_profile *sandbox; /* sandbox of the command; NULL: none */
};

/* ---- kinds ------------------------------------------------------------------------------- */

struct workspace {
    const struct workspace_kind *kind;
};

struct workspace_kind {
    const char *name;
    bool local;    /* the kind itself checks the rules of a place, against the opened descriptor */
    bool confines; /* not local, but runs commands in the sandbox of terminal.sandbox */
    void (*read)(struct workspace *w, struct file_reading *r, struct op *parent, op_done_fn *done,
                 void *ctx);
    /* The kind must check `expected` and `only_new` before it writes; this need not be atomic. */
    void (*write)(struct workspace *w, struct file_writing *f, struct op *parent, op_done_fn *done,
                  void *ctx);
    /* If the command cannot be started or the op is cancelled, no terminal event is delivered. */
    void (*run)(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                void *ctx);
    struct stream *(*input)(struct terminal *t); /* stdin, borrowed; NULL: no stdin */
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
 * Start a command. If `done` is called with an error, *t may be freed then. Otherwise *t must live
 * until on_closed was called and `done` has returned.
 */
void workspace_run(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                   void *ctx);

/* The next two functions may be called only after the command was started and before on_exit. */
struct stream *terminal_input(struct terminal *t);
void terminal_kill(struct terminal *t); /* also kills all child processes; on_exit follows */

/* Kill the command and close the terminal; on_exit (unless it was called) and on_closed follow. */
void terminal_release(struct terminal *t);

/*
 * Set *e to the error for a write to a file that does not contain the expected text. Returns false.
 */
bool workspace_fail_changed(const struct place *p, struct err *e);

/* Set *e to the error for a write with `only_new` to a file that exists. Returns false. */
bool workspace_fail_exists(const struct place *p, struct err *e);

/* Return `count` lines of a text, beginning with line `from` (from 1). count 0: to the end. */
struct str text_lines(struct str text, int64_t from, int64_t count);

#endif
