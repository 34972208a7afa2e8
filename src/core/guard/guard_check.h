/*
 * guard_check.h - the checks of a tool call. A table of checks, each allow, ask or deny. Pure.
 *
 * The caller passes everything known about a call as facts and gets one finding per check. Every
 * check always runs, so that `explain` can print the deciding one and all others; the strictest
 * finding is the verdict.
 *
 *   identity     the caller has a name, and has proved it if the call arrived over a network
 *   depth        no more than limits.trace_depth agents have called each other
 *   rate         the caller has not called too often
 *   exposure     the tool is offered to this caller
 *   capability   allow and deny lists of the agent, and of all agents that it works for
 *   mode         what a read-only agent may do (guard_read_only.h)
 *   protected    .trefoil/ is never written; definitions there, trefoil.toml and .mcp.json need
 *                approval, regardless of permissions and remembered answers
 *   permission   auto, ask or deny by kind of tool; by default, built-in tools that run commands,
 *                delete or fetch need approval
 *   loop         a model that repeats the same call too often is stopped
 *   taint        untrusted data does not reach a high-risk tool without approval
 */
#ifndef CORE_GUARD_GUARD_CHECK_H
#define CORE_GUARD_GUARD_CHECK_H

#include "base/limits.h"
#include "core/agent/agent_def.h"
#include "core/guard/guard_loops.h"
#include "core/tool/tool.h"

enum guard_says { GUARD_ALLOW, GUARD_ASK, GUARD_DENY }; /* the strictest last */

/* The permission that a scope sets for a kind of tools. The strictest of all scopes applies. */
enum guard_permission {
    PERMISSION_UNSET, /* the default applies, unless another scope sets a permission */
    PERMISSION_AUTO,  /* no approval needed, also where the default would ask */
    PERMISSION_ASK,
    PERMISSION_DENY,
};

enum guard_row {
    GUARD_IDENTITY,
    GUARD_DEPTH,
    GUARD_RATE,
    GUARD_EXPOSURE,
    GUARD_CAPABILITY,
    GUARD_MODE,
    GUARD_PROTECTED,
    GUARD_PERMISSION,
    GUARD_LOOP,
    GUARD_TAINT,
    GUARD_ROWS,
};

/*
 * The rights of an agent or of the clients of an endpoint. Zeroed: everything is allowed. A scope
 * never has more rights than its parent: each check consults all scopes up to the last.
 */
struct guard_scope {
    const char *name; /* in sentences: "the agent reviewer", "[mcp]" */
    const struct guard_scope *parent;
    enum agent_mode mode;
    struct pick_strs allowed, disallowed; /* patterns (tool_pattern.h); allowed absent: all tools */
    enum guard_permission permission[TOOL_KINDS];
    bool actor;            /* it calls tools: an agent, or the clients of an endpoint */
    bool trusted;          /* its patterns like Bash(git status) also skip the question */
    enum guard_says taint; /* verdict if untrusted data would reach a high-risk tool */
    /* tools offered to other callers, and never offered; hidden wins */
    struct pick_strs expose, hidden;
    bool expose_listed; /* only the tools in `expose` are offered */
    bool only_looks;    /* an endpoint in read-only mode: see guard_offers */
    /* the scope of a running agent: of the lists of its parents, only `hidden` applies to it */
    bool inside;
};

struct guard_facts {
    const char *caller; /* "mcp", "cli", an agent */
    enum origin origin;
    struct str principal;
    int depth;
    int64_t wait_ms; /* until the rate limit allows the call; 0: now */
    const struct tool *tool;
    struct json args;
    const struct guard_scope *scope;
    const char *root;         /* paths of patterns are relative to it; NULL: none */
    const char *cwd;          /* base of relative paths in args; NULL: the root */
    bool in_vault;            /* all paths that it would write are inside .vault/ */
    enum guard_says protects; /* the verdict of protected_path.h on the files it would write */
    struct guard_repeats repeats;
    const struct limits *limits;
    struct str taint; /* as in struct caller */
};

struct guard_finding {
    enum guard_says says;
    bool warns;      /* allowed, with a warning for the model */
    const char *why; /* a sentence; valid as long as the verdict */
};

struct guard_verdict {
    enum guard_says says;
    enum guard_row by; /* the first check with this verdict; GUARD_ROWS: all allow */
    struct guard_finding row[GUARD_ROWS];
    char text[GUARD_ROWS][160];
    enum guard_says answered; /* the remembered answer; GUARD_ASK: there is none */
    char answer[32];          /* id of that answer, or "session"; "": there is none */
};

/*
 * Judge a call. Allocates nothing; writes sentences only for findings that are not a plain allow.
 */
void guard_judge(const struct guard_facts *f, struct guard_verdict *out);

/* The reasons for the verdict, for the person who is asked or the caller that is refused: all
 * findings of that strictness. */
struct str guard_reasons(const struct guard_verdict *v, char *out, size_t size);

extern const char *const guard_row_names[GUARD_ROWS];
extern const char *const guard_kind_names[TOOL_KINDS];
extern const char *const guard_says_names[3];       /* allow, ask, deny */
extern const char *const guard_permission_names[4]; /* NULL, auto, ask, deny */

/* False leaves *out unchanged. */
bool guard_permission_named(struct str word, enum guard_permission *out);

/* Does a call of this tool need approval by default, when no scope sets a permission? */
bool guard_asks_by_default(const struct tool *t);

/*
 * The rights of an agent by its definition, on behalf of `parent`. Both must outlive the scope.
 */
struct guard_scope guard_scope_of_agent(const struct agent_def *def,
                                        const struct guard_scope *parent);

/*
 * Does an endpoint in its mode offer this tool? A read-only endpoint offers only the built-in tools
 * that look, search or think. Ignores lists of tools and the rights of agents inside.
 */
bool guard_offers(const struct guard_scope *s, const struct tool *t);

#endif
