/*
 * principal.h - the identity of a caller, and the endpoint by which its call arrived.
 *
 * A principal is a short text that is the same everywhere: in the store (the owner of tasks and
 * sessions), in events and in the audit log.
 *
 *   user:<uid>   a user of this machine: command line verbs, MCP over stdio, Unix sockets
 *   key:<name>   an HTTP client that sent the API key of that name
 *   loopback     every HTTP client on this machine that sent no key
 *
 * A principal sees what it owns. The operator, the user who runs this process, also lists, reads,
 * deletes and answers what others own, but continues only their own sessions. Sub-agents and tasks
 * have the principal and the origin of their caller.
 */
#ifndef CORE_PRINCIPAL_H
#define CORE_PRINCIPAL_H

#include "base/str.h"

enum origin {
    ORIGIN_NONE,     /* nothing is proved: the guard refuses every call */
    ORIGIN_TERMINAL, /* a command line verb, except run and chat */
    ORIGIN_RUN,      /* `run`, also when the daemon does the work */
    ORIGIN_CHAT,     /* `chat` */
    ORIGIN_STDIO,    /* MCP over stdin and stdout, also when handed over to the daemon */
    ORIGIN_SOCKET,   /* HTTP over a Unix socket */
    ORIGIN_KEY,      /* HTTP with an API key */
    ORIGIN_LOOPBACK, /* HTTP over TCP from this machine, without a key */
    ORIGINS,
};

/* Everything that differs by origin only. Each origin has a guard scope (guard_face). */
struct origin_row {
    const char *name;   /* in the store and in reports */
    const char *word;   /* for `explain --origin`; NULL: not to be asked about */
    const char *shown;  /* the caller, for people */
    const char *scope;  /* the name of its guard scope, in sentences */
    const char *caller; /* the default name of its callers, in struct caller */
    bool is_user;       /* it is proved that the caller is a user of this machine */
    bool is_client;     /* it is served by [mcp] or /api, with the rights of [mcp] */
};

extern const struct origin_row origin_rows[ORIGINS];

/* Is it a verb of the command line: the user's own, with the rights of [guard]? */
bool origin_is_terminal(enum origin origin);

/* Returns ORIGIN_NONE for an unknown word. */
enum origin origin_named(struct str name);

enum { PRINCIPAL_KEY_NAME = 64, PRINCIPAL_TEXT = PRINCIPAL_KEY_NAME + 8 };

struct principal {
    enum origin origin;
    char name[PRINCIPAL_TEXT]; /* "": ORIGIN_NONE */
};

struct principal principal_of_user(enum origin origin, uint32_t uid);
struct principal principal_of_key(struct str name); /* up to PRINCIPAL_KEY_NAME bytes */
struct principal principal_of_loopback(void);

/* A principal whose name is already known, as it is in struct caller. */
struct principal principal_named(enum origin origin, struct str name);

/* The user who runs this process. */
struct principal principal_self(enum origin origin);

bool principal_is_operator(struct str name);

/*
 * The owner to filter by for the objects that a principal may see: STR_NONE, which means all
 * owners, for the operator; else the principal itself. "" owns nothing.
 */
struct str principal_sees(struct str name);

/* May this text be the name of a key? Letters, digits, '-', '_' and '.'. */
bool principal_key_named(struct str name);

#endif
