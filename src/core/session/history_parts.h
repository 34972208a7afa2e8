/*
 * history_parts.h - the internal structs of a history, shared by history.c (adds records) and
 * history_view.c (reads the history as messages and as events).
 *
 * An item is a prompt, an answer with the results of its calls, or another record. Items are added
 * and may become hidden, but are never removed. A hidden item is still replayed to clients, but not
 * sent to the model: a summary has replaced it, or the model refused its turn.
 */
#ifndef CORE_SESSION_HISTORY_PARTS_H
#define CORE_SESSION_HISTORY_PARTS_H

#include "core/session/history_record.h"

enum item_kind { ITEM_PROMPT, ITEM_ANSWER, ITEM_OTHER };

/* The result of a call in an answer. */
struct item_result {
    struct block block;            /* BLOCK_RESULT; text.p is NULL until the result arrives */
    struct str from;               /* source of an untrusted result; else STR_NONE */
    struct str path;               /* file of the call; else STR_NONE */
    struct str old_text, new_text; /* as in struct event_tool */
    int64_t seq;
    bool cut; /* the result was removed to save tokens */
};

struct item {
    enum item_kind kind;
    int64_t seq;
    struct str id;
    struct block *block;
    size_t blocks;
    struct item_result *result; /* ITEM_ANSWER: one result per call, in the order of the calls */
    size_t calls;
    struct str record; /* ITEM_OTHER: the kind of the record */
    struct json body;  /* ITEM_OTHER: the body of the record */
    bool hidden;
};

struct history {
    const struct limits *limits;
    struct arena *mem;
    struct item *item;
    size_t n, room;
    int64_t last_seq;
    struct str taint;
    struct str turn;    /* id of the turn that has not ended; else STR_NONE */
    struct str summary; /* replaces the items up to a seq; STR_NONE: there is none */
    int64_t counted;    /* number of tokens, reported by the model, of the first counted_to items */
    size_t counted_to;  /* number of items that `counted` covers; 0: there is no valid count */
    double cost;

    struct arena view; /* memory of `message` */
    struct message *message;
    size_t messages;
    bool fresh; /* `message` includes all items */
};

#endif
