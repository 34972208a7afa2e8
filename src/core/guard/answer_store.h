/*
 * answer_store.h - the port to remembered answers about calls that hold for a project.
 *
 * An answer is about one call by one agent for one principal. A difference in any field of struct
 * answer_key makes the guard ask again. The store belongs to one root folder and is part of the
 * user's state, never of the project (state/answer_file.h).
 */
#ifndef CORE_GUARD_ANSWER_STORE_H
#define CORE_GUARD_ANSWER_STORE_H

#include "core/guard/guard_check.h"

struct answer_key {
    struct str root;       /* path of the root folder */
    struct str cwd;        /* base of relative paths */
    struct str principal;  /* the principal that the call is made for */
    struct str agent;      /* name of the caller: an agent, "mcp", "cli" */
    struct str tool;       /* published name */
    struct str definition; /* the properties of the tool that a person or the guard relies on */
    struct str subject;    /* the path of a tool that edits a file; else all arguments */
};

enum { ANSWER_ID = 25 }; /* hexadecimal, NUL included */

/* The key of a call, in mem. White space between the arguments does not matter. */
struct answer_key answer_key_of(struct arena *mem, const struct host *host,
                                const struct caller *caller, const struct tool *tool,
                                struct json args);

/* 96 bits of a hash of the key. ERR_SYSTEM without libcrypto. */
bool answer_key_id(struct arena *mem, const struct answer_key *key, char out[ANSWER_ID],
                   struct err *e);

struct answer_entry {
    char id[ANSWER_ID];
    bool allows;
    int64_t wall_ms;                   /* when the person answered */
    struct str principal, agent, tool; /* these are for display */
    struct str args;                   /* short, without secrets: a JSON object */
};

struct answer_store {
    /* GUARD_ALLOW or GUARD_DENY; GUARD_ASK: there is no answer, or the store cannot be read. */
    enum guard_says (*find)(struct answer_store *s, const char *id);

    /* Store an answer, replacing an older one with its id. On disk when it returns true. */
    bool (*keep)(struct answer_store *s, const struct answer_entry *entry, struct err *e);
};

#endif
