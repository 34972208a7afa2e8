/* Names are resolved on threads of their own. */
#include "loop/lookup.h"
#include "tap.h"

#include <arpa/inet.h>

struct asked {
    int done;
    bool found;
    uint16_t port;
};

static void on_done(void *ctx, const struct addrinfo *list)
{
    struct asked *a = ctx;

    a->done++;
    a->found = list != NULL;
    if (list && list->ai_family == AF_INET)
        a->port = ntohs(((const struct sockaddr_in *)(const void *)list->ai_addr)->sin_port);
}

TEST(a_lookup_is_done_once)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct asked a = { 0 }, none = { 0 };
    char label[300];
    struct err e;

    memset(label, 'a', sizeof(label) - 1); /* no name may be as long */
    label[sizeof(label) - 1] = 0;

    OK(lookup_start(loop, "127.0.0.1", 8080, on_done, &a, &e) != NULL);
    OK(lookup_start(loop, label, 80, on_done, &none, &e) != NULL);
    loop_run(loop); /* ends when nothing is left */
    EQ(a.done, 1);
    OK(a.found);
    EQ(a.port, 8080);
    EQ(none.done, 1);
    OK(!none.found);
    loop_free(loop);
}

TEST(a_dropped_lookup_is_never_done)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct asked a = { 0 };
    struct err e;

    for (int i = 0; i < 20; i++) {
        struct lookup *l = lookup_start(loop, "127.0.0.1", 80, on_done, &a, &e);

        OK(l != NULL);
        if (l)
            lookup_drop(l);
    }
    loop_run(loop);
    EQ(a.done, 0);
    loop_free(loop);
}

TEST_MAIN()
