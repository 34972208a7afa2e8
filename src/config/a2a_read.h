/*
 * a2a_read.h - reads [a2a]: the A2A server and the remote agents.
 *
 * Without any configuration file A2A is on. With a file it is on only if [a2a] enabled is true: who
 * has configured trefoil without A2A does not want it.
 */
#ifndef CONFIG_A2A_READ_H
#define CONFIG_A2A_READ_H

#include "base/pick.h"

enum a2a_card_word { A2A_WORD_HYBRID, A2A_WORD_V1, A2A_WORD_V03 };

struct a2a_config {
    bool on;
    bool set;        /* `enabled` was set by a file */
    const char *why; /* why A2A is on or off, as a phrase */
    struct str listen_path;
    struct str public_url; /* STR_NONE: clients use the URL at which they reached the server */
    struct str agent;      /* the agent at the root; STR_NONE: the first one */
    enum a2a_card_word card;
    bool no_push;
    bool read_write;
    struct pick_strs input_modes; /* media types of the card; absent: the usual ones */
    struct pick_strs proxies;     /* addresses whose X-Forwarded headers count */
    struct json external_agents;  /* an array, not decoded; missing: none */
    bool external_by_project;     /* a file of the project has it */
};

struct a2a_table {
    struct str listen_path, public_url, agent, card, mode;
    struct pick_strs trusted_proxies, input_modes;
    struct json external_agents;
    bool enabled, push;
};

/* Decode and check the table; absent members keep the values of *now. */
bool a2a_table_read(struct arena *mem, struct json table, const struct a2a_config *now,
                    struct a2a_table *out, struct err *e);

extern const char *const a2a_card_words[3];

/* The card of a checked table. */
enum a2a_card_word a2a_card_worded(struct str word);

#endif
