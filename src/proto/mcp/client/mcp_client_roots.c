/*
 * mcp_client_roots.c - the folders that a server gets as roots (roots/list of a server with a
 * handshake).
 *
 * While only one client has called a server, the server gets the roots of that client; otherwise it
 * gets ours, since it can have only one answer. Many servers ask once, right after the handshake,
 * when no client has called yet: they get ours, and are notified that the roots have changed before
 * the first call of a client that has roots. That call waits until the server has asked again, but
 * not for long.
 *
 *   NOBODY -> ONE            the first call of a client with a lasting conversation
 *   NOBODY, ONE -> SEVERAL   a call of another client, or of one without a lasting conversation
 */
#include "base/container.h"
#include "base/mem.h"
#include "proto/mcp/client/mcp_client_work.h"

/* The time for a server to request the roots again, and to apply the answer. */
enum { ASKS_AGAIN_MS = 1000, TAKES_OVER_MS = 100 };

/* ---- our roots ----------------------------------------------------------------------------- */

static bool plain_in_path(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("/-._~", c);
}

static struct str file_uri(struct arena *mem, const char *path)
{
    struct buf out;

    buf_init_in(&out, mem, strlen(path) * 3 + 16);
    buf_put(&out, STR("file://"));
    for (const char *p = path; *p; p++) {
        if (plain_in_path(*p))
            buf_putc(&out, *p);
        else
            buf_printf(&out, "%%%02X", (unsigned char)*p);
    }
    return buf_str(&out);
}

struct str mcp_write_roots(struct mcp_client *c, struct arena *mem)
{
    struct buf out;
    struct jw w;

    buf_init_in(&out, mem, 65536);
    w = jw_to(&out);
    jw_object(&w);
    jw_plain_key(&w, STR("roots"));
    jw_array(&w);
    jw_object(&w);
    jw_kstr(&w, "uri", file_uri(mem, c->world.root));
    jw_kstr(&w, "name", STR("root"));
    jw_object_end(&w);
    jw_array_end(&w);
    jw_object_end(&w);
    return buf_str(&out);
}

/* ---- calls that wait ----------------------------------------------------------------------- */

static void on_time(struct timer *t)
{
    mcp_works_listed(CONTAINER_OF(t, struct mcp_client, roots.wait));
}

static void let_go_soon(struct mcp_client *c)
{
    if (timer_is_set(&c->roots.wait))
        timer_set(c->world.rpc->loop, &c->roots.wait, TAKES_OVER_MS, on_time);
}

static void announce(struct mcp_client *c)
{
    peer_notify(&c->peer, NULL, "notifications/roots/list_changed", STR_NONE);
}

/* A call of this client: decide whether the server still has one client only. */
static void note_user(struct mcp_client *c, uint64_t client)
{
    if (c->roots.users == ROOTS_OF_ONE && c->roots.client == client)
        return;
    c->roots.users = c->roots.users == ROOTS_OF_NOBODY && client ? ROOTS_OF_ONE : ROOTS_OF_SEVERAL;
    c->roots.client = client;
}

bool mcp_roots_wait(struct mcp_work *k)
{
    struct mcp_client *c = k->c;
    enum mcp_roots_users before = c->roots.users;

    if (c->modern || c->spec->no_roots || before == ROOTS_OF_SEVERAL)
        return false;
    note_user(c, k->call->caller->client);
    if (c->roots.users == ROOTS_OF_SEVERAL && c->roots.theirs) {
        c->roots.theirs = false;
        announce(c);
    }
    if (c->roots.users == ROOTS_OF_ONE && before == ROOTS_OF_NOBODY && c->roots.asked &&
        call_can_ask(k->call, ASK_ROOTS)) {
        announce(c);
        timer_set(c->world.rpc->loop, &c->roots.wait, ASKS_AGAIN_MS, on_time);
    }
    return timer_is_set(&c->roots.wait);
}

void mcp_roots_stop(struct mcp_client *c)
{
    timer_clear(c->world.rpc->loop, &c->roots.wait);
}

/* ---- the question -------------------------------------------------------------------------- */

/* A call of the only client. The call may not have been sent to the server yet. */
struct call *mcp_roots_call(struct mcp_client *c)
{
    c->roots.asked = true;
    if (c->roots.users != ROOTS_OF_ONE)
        return NULL;
    for (struct mcp_work *k = c->works; k; k = k->older)
        if (k->call->caller->client == c->roots.client && call_can_ask(k->call, ASK_ROOTS))
            return k->call;
    return NULL;
}

void mcp_roots_answered(struct mcp_client *c, bool theirs)
{
    c->roots.theirs |= theirs;
    let_go_soon(c);
}
