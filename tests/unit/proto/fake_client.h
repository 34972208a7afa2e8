/*
 * fake_client.h - an mcp_client without a server: the test says what happens to it.
 *
 * Linked instead of proto/mcp/client/mcp_client.c. Each open client is found by the name of its server.
 */
#ifndef TESTS_FAKE_CLIENT_H
#define TESTS_FAKE_CLIENT_H

#include "proto/mcp/client/mcp_client.h"

enum { FAKE_CALLS = 16 };

struct mcp_client {
    const struct server_spec *spec;
    struct loop *loop;
    enum server_era era_given, era;
    const struct mcp_client_events *events;
    void *owner;
    struct arena mem; /* of the tools */
    struct mcp_remote_tool *tool;
    size_t tools;
    struct str server_name;
    bool ready, closing;
    struct post closed;
    struct err why;
    struct call *call[FAKE_CALLS];
    char called[FAKE_CALLS][64];
    size_t calls;
    struct mcp_client *next;
};

/* The open client of a server; NULL: none. */
struct mcp_client *fake_client(const char *server);

/* How often one was opened, over all servers. */
extern size_t fake_opened;

/* While true, closing one takes until fake_closed. */
extern bool fake_slow_close;
void fake_closed(const char *server);

/* tools: a JSON array of definitions. */
void fake_ready(const char *server, const char *tools);
void fake_tools(const char *server, const char *tools);

/* It could not connect, or was lost. */
void fake_lose(const char *server, enum err_code code, const char *why);

/* The oldest call of it that is still open gets a result, or a failure. */
void fake_answer(const char *server, const char *result);
void fake_fail(const char *server, enum err_code code, const char *why);

/* How many of its calls are open. */
size_t fake_open_calls(const char *server);

#endif
