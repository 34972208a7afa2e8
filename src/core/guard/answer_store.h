/*
 * answer_store.h - the port to the remembered answers to questions about tool calls. These answers
 * apply to a whole project.
 *
 * An answer applies to one call by one agent for one principal. If any field of struct answer_key
 * differs, the guard asks again. Each root folder has its own store, which is part of the user's
 * state and never of the project (state/answer_file.h).
 */
#ifndef CORE_GUARD_ANSWER_STORE_H
#define CORE_GUARD_ANSWER_STORE_H

#include "core/guard/guard_check.h"

struct answer_key {
    struct str root;       /* path of the root folder */
    struct str cwd;        /* the folder from which relative paths start */
    struct str principal;  /* the principal that the call is made for */
    struct str agent;      /* name of the caller: an agent, "mcp", "cli" */
    struct str tool;       /* name of the tool, as it is published */
    struct str definition; /* the properties of the tool on which a decision may depend */
    /* what the call is about: the path if the tool edits a file, else all arguments */
    struct str subject;
};

enum { ANSWER_ID = 25 }; /* size of a hexadecimal id, including the NUL */

/*
 * Return the key of a call, in mem. White space in the JSON of the arguments, and the order of
 * members, do not change the key.
 */
struct answer_key answer_key_of(struct arena *mem, const struct host *host,
                                const struct caller *caller, const struct tool *tool,
                                struct json args);

/* Write the id of a key: 96 bits of its hash. ERR_SYSTEM: libcrypto is not installed. */
bool answer_key_id(struct arena *mem, const struct answer_key *key, char out[ANSWER_ID],
                   struct err *e);

struct answer_entry {
    char id[ANSWER_ID];
    bool allows;
    int64_t wall_ms;                   /* when the person answered: wall time in ms */
    struct str principal, agent, tool; /* for display only */
    struct str args; /* for display only: the arguments as a short JSON object without secrets */
};

struct answer_store {
    /* Returns GUARD_ALLOW or GUARD_DENY; GUARD_ASK: no answer, or the store cannot be read. */
    enum guard_says (*find)(struct answer_store *s, const char *id);

    /*
     * Store an answer, which replaces an older one with the same id. True: the answer is on disk.
     */
    bool (*keep)(struct answer_store *s, const struct answer_entry *entry, struct err *e);
};

#endif
