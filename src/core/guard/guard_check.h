/*
 * guard_check.h - the checks of a tool call. Pure.
 *
 * guard_judge gets all facts about a call and returns one finding per check: allow, ask or deny.
 * The strictest finding is the verdict. All checks always run, so that `explain` can print every
 * finding. The checks and their rules:
 *
 *   identity     the caller has a name, and has authenticated if the call arrived over a network
 *   depth        no more than limits.trace_depth agents have called each other
 *   rate         the caller has not called too often
 *   exposure     the tool is offered to this caller
 *   capability   the allow and deny lists of the agent, and of all agents that it works for, permit
 *                the call
 *   mode         a read-only agent may do only some things (guard_read_only.h)
 *   protected    .trefoil/ is never written; definitions there, trefoil.toml and .mcp.json need
 *                approval, regardless of permissions and remembered answers
 *   permission   each kind of tool is set to auto, ask or deny
 *   sandbox      a call that leaves the sandbox needs approval (guard_sandbox.h)
 *   loop         a model that repeats the same call too often is stopped
 *   taint        untrusted data is not sent away without approval (guard_taint.h)
 *   secrets      secrets are not sent away (guard_secrets.h)
 */
#ifndef CORE_GUARD_GUARD_CHECK_H
#define CORE_GUARD_GUARD_CHECK_H

#include "base/limits.h"
#include "core/agent/agent_def.h"
#include "core/guard/guard_loops.h"
#include "core/guard/guard_sandbox.h"
#include "core/guard/guard_secrets.h"
#include "core/tool/tool.h"

enum guard_says { GUARD_ALLOW, GUARD_ASK, GUARD_DENY }; /* ordered: the strictest is last */

/* The permission that a scope sets for a kind of tool. The strictest of all scopes applies. */
enum guard_permission {
    PERMISSION_UNSET, /* the default applies, unless another scope sets a permission */
    PERMISSION_AUTO,  /* no approval is needed, even if the default is to ask */
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
    GUARD_SANDBOX,
    GUARD_LOOP,
    GUARD_TAINT,
    GUARD_SECRETS,
    GUARD_ROWS,
};

/*
 * The rights of an agent or of the clients of an endpoint. Zeroed: everything is allowed. A scope
 * never has more rights than its parent, because each check also applies all parents.
 */
struct guard_scope {
    const char *name; /* name for messages: "the agent reviewer", "[mcp]" */
    const struct guard_scope *parent;
    enum agent_mode mode;
    /* patterns (tool_pattern.h); if `allowed` is absent, all tools are allowed */
    struct pick_strs allowed, disallowed;
    enum guard_permission permission[TOOL_KINDS];
    bool actor;   /* this is the scope of an agent or of clients, which call tools */
    bool trusted; /* patterns in `allowed`, like Bash(git status), also skip questions */
    /*
     * the verdict on calls that could send untrusted data away or use it for harm (guard_taint.h)
     */
    enum guard_says taint;
    enum guard_says secrets; /* the verdict on secrets in arguments (guard_secrets.h) */
    /*
     * tools that are offered to callers; tools that are never offered, even if listed in `expose`
     */
    struct pick_strs expose, hidden;
    struct pick_strs rules;          /* [guard] allow: patterns of calls that need no approval */
    struct pick_strs readonly_shell; /* patterns of commands that may run in read-only mode */
    bool expose_listed;              /* only the tools in `expose` are offered */
    /* the endpoint is in read-only mode: it offers only what guard_offers accepts */
    bool only_looks;
    /* the scope of a running agent: `expose` of its parents does not apply to it, `hidden` does */
    bool inside;
};

struct guard_facts {
    const char *caller; /* "mcp", "cli", or the name of an agent */
    enum origin origin;
    struct str principal;
    int depth;
    int64_t wait_ms; /* time until the rate limit allows the call; 0: it allows the call now */
    const struct tool *tool;
    struct json args;
    const struct guard_scope *scope;
    const char *root; /* paths in patterns are relative to it; NULL: there is no root */
    const char *cwd;  /* base of relative paths in `args`; NULL: the root */
    bool in_vault;    /* all paths that the call would write are inside .vault/ */
    /* verdict of protected_path.h on the files that the call would write */
    enum guard_says protects;
    struct guard_sandbox sandbox;
    struct guard_repeats repeats;
    const struct limits *limits;
    struct str taint; /* as in struct caller */
    struct guard_secret secret;
    /* if there is taint: the call would write a file outside the root folder */
    bool writes_outside;
};

struct guard_finding {
    enum guard_says says;
    bool warns;      /* the call is allowed, with a warning for the model */
    const char *why; /* a sentence; valid as long as the verdict */
};

struct guard_verdict {
    enum guard_says says;
    enum guard_row by; /* the first check whose finding equals `says`; GUARD_ROWS: all allow */
    struct guard_finding row[GUARD_ROWS];
    char text[GUARD_ROWS][240];
    enum guard_says answered;     /* the remembered answer; GUARD_ASK: there is no such answer */
    char answer[32];              /* id of that answer, or "session"; "": there is no such answer */
    struct guard_sandbox sandbox; /* as in struct guard_facts */
};

/*
 * Judge a call. Allocates no memory. Findings that allow without a warning have a constant
 * sentence.
 */
void guard_judge(const struct guard_facts *f, struct guard_verdict *out);

/*
 * Write the reasons for the verdict: the sentences of all findings that equal it. The person who is
 * asked for approval, or the caller whose call is refused, sees them.
 */
struct str guard_reasons(const struct guard_verdict *v, char *out, size_t size);

extern const char *const guard_row_names[GUARD_ROWS];
extern const char *const guard_kind_names[TOOL_KINDS];
extern const char *const guard_says_names[3];       /* allow, ask, deny */
extern const char *const guard_permission_names[4]; /* NULL, auto, ask, deny */

/* Parse auto, ask or deny. If the word is unknown, returns false and leaves *out unchanged. */
bool guard_permission_named(struct str word, enum guard_permission *out);

/*
 * Return the scope of an agent with this definition that works for `parent`. *def and *parent must
 * outlive the scope.
 */
struct guard_scope guard_scope_of_agent(const struct agent_def *def,
                                        const struct guard_scope *parent);

/*
 * May an endpoint offer this tool, according to the endpoint's mode? A read-only endpoint offers
 * only the built-in tools that look, search or think. The function ignores the lists of tools and
 * the rights of agents.
 */
bool guard_offers(const struct guard_scope *s, const struct tool *t);

#endif
