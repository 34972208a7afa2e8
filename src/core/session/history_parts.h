/*
 * history_parts.h - the inside of a history, for its two files: history.c adds records,
 * history_view.c gives messages and events.
 *
 * An item is a prompt, an answer (with room for the results of its calls) or something else that
 * happened. Items are only ever added and hidden. Hidden ones are told to people, not to models:
 * what was summed up, and what a model refused.
 */
#ifndef CORE_SESSION_HISTORY_PARTS_H
#define CORE_SESSION_HISTORY_PARTS_H

#include "core/session/history_record.h"

enum item_kind { ITEM_PROMPT, ITEM_ANSWER, ITEM_OTHER };

/* What came back of a call. */
struct item_result {
    struct block block; /* BLOCK_RESULT; text.p is NULL while nothing came */
    struct str from;    /* of untrusted data */
    int64_t seq;
    bool cut;
};

struct item {
    enum item_kind kind;
    int64_t seq;
    struct str id;
    struct block *block;
    size_t blocks;
    struct item_result *result; /* of an answer: one for each call, in their order */
    size_t calls;
    struct str record; /* of ITEM_OTHER: its kind ... */
    struct json body;  /* ... and what it says */
    bool hidden;
};

struct history {
    const struct limits *limits;
    struct arena *mem;
    struct item *item;
    size_t n, room;
    int64_t last_seq;
    struct str taint;
    struct str turn;    /* that has not ended */
    struct str summary; /* stands for what is hidden; STR_NONE: nothing was summed up */
    int64_t counted;    /* tokens, by the model, of all up to: */
    size_t counted_to;  /* items */
    double cost;

    struct arena view; /* what history_messages gave */
    struct message *message;
    size_t messages;
    bool fresh;
};

#endif
