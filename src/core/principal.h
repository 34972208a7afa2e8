/*
 * principal.h - principals (the identities of callers) and origins (the ways a call can arrive).
 *
 * A principal is a short text. The store (as the owner of tasks and sessions), events and the audit
 * log all use the same text.
 *
 *   user:<uid>   a user of this machine: command line verbs, MCP and ACP over stdio, Unix sockets
 *   key:<name>   an HTTP client that sent the API key with that name
 *   loopback     every HTTP client on this machine that sent no key
 *
 * A principal sees the sessions and tasks that it owns. The operator is the user who runs this
 * process. The operator can also list, read and delete the sessions and tasks of other principals,
 * and answer their questions, but cannot continue their sessions. Sub-agents and tasks have the
 * principal and the origin of their caller.
 */
#ifndef CORE_PRINCIPAL_H
#define CORE_PRINCIPAL_H

#include "base/str.h"

enum origin {
    ORIGIN_NONE,     /* the caller has no proved identity: the guard refuses every call */
    ORIGIN_TERMINAL, /* a command line verb, except run, chat and acp */
    ORIGIN_RUN,      /* `run`, also when the daemon does the work */
    ORIGIN_CHAT,     /* `chat` */
    ORIGIN_ACP,      /* an ACP client, such as an editor, on stdin and stdout */
    ORIGIN_STDIO,    /* MCP over stdin and stdout, also when handed over to the daemon */
    ORIGIN_SOCKET,   /* HTTP over a Unix socket */
    ORIGIN_KEY,      /* HTTP with an API key */
    ORIGIN_LOOPBACK, /* HTTP over TCP from this machine, without a key */
    ORIGINS,
};

/* The properties of an origin. The rights of its callers are in its guard scope (guard_face). */
struct origin_row {
    const char *name;   /* the name in the store and in reports */
    const char *word;   /* the argument of `explain --origin`; NULL: not accepted there */
    const char *shown;  /* a description of the caller for people */
    const char *scope;  /* name of the guard scope, for messages */
    const char *caller; /* default value of caller.name */
    bool is_user;       /* the origin proves that the caller is a user of this machine */
    bool is_client;     /* the caller is a client of MCP or /api, with the rights of [mcp] */
};

extern const struct origin_row origin_rows[ORIGINS];

/* Is the caller a command line verb or an editor? Such a caller has the rights of [guard]. */
bool origin_is_terminal(enum origin origin);

/*
 * Can this origin approve calls? Only if the caller is proved to be a user of this machine, or has
 * a key: over TCP without a key, any local program can be the client, even one that an agent has
 * started.
 */
bool origin_may_approve(enum origin origin);

/* Find an origin by origin_row.name. ORIGIN_NONE: unknown. */
enum origin origin_named(struct str name);

enum { PRINCIPAL_KEY_NAME = 64, PRINCIPAL_TEXT = PRINCIPAL_KEY_NAME + 8 };

struct principal {
    enum origin origin;
    char name[PRINCIPAL_TEXT]; /* such as "key:ci"; "" for ORIGIN_NONE */
};

struct principal principal_of_user(enum origin origin, uint32_t uid);
struct principal principal_of_key(struct str name); /* name: at most PRINCIPAL_KEY_NAME bytes */
struct principal principal_of_loopback(void);

/* Make a principal from its name, such as caller.principal. */
struct principal principal_named(enum origin origin, struct str name);

/* Make the principal of the user who runs this process. */
struct principal principal_self(enum origin origin);

bool principal_is_operator(struct str name);

/*
 * Return the owner filter for lists of the objects that a principal may see: STR_NONE (all owners)
 * for the operator, else the principal itself. No object is owned by the empty principal "".
 */
struct str principal_sees(struct str name);

/* Is this a valid name of a key? Letters, digits, '-', '_' and '.' are allowed. */
bool principal_key_named(struct str name);

#endif
