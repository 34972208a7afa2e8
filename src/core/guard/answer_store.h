/*
 * answer_store.h - answers about calls that hold for a project: the port to where they are kept.
 *
 * An answer is about one call by one agent for one principal. Each field of struct answer_key
 * counts: another agent, tool, tool definition, folder or argument asks again. The store belongs to
 * one root folder and is part of the user's state, never of the project (state/answer_file.h).
 */
#ifndef CORE_GUARD_ANSWER_STORE_H
#define CORE_GUARD_ANSWER_STORE_H

#include "core/guard/guard_check.h"

struct answer_key {
    struct str root;       /* path of the root folder */
    struct str cwd;        /* from where relative paths are meant */
    struct str principal;  /* the principal that the call is made for */
    struct str agent;      /* name of the caller: an agent, "mcp", "cli" */
    struct str tool;       /* published name */
    struct str definition; /* all of the tool that a person or the guard decides by */
    struct str subject;    /* the path of a tool that edits a file; else all arguments */
};

enum { ANSWER_ID = 25 }; /* hexadecimal, NUL included */

/* The key of a call, in mem. A change of spaces between the arguments changes nothing. */
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
    struct str principal, agent, tool; /* these for people */
    struct str args;                   /* short, without secrets: a JSON object */
};

struct answer_store {
    /* GUARD_ALLOW or GUARD_DENY; GUARD_ASK: there is no answer, or the store cannot be read. */
    enum guard_says (*find)(struct answer_store *s, const char *id);

    /* Keep an answer in place of an older one with its id. On disk when it returns true. */
    bool (*keep)(struct answer_store *s, const struct answer_entry *entry, struct err *e);
};

#endif
