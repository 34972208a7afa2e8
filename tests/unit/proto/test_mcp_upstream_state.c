#include "proto/mcp/client/mcp_upstream_state.h"

#include "base/str.h"
#include "tap.h"

struct life {
    const char *what;
    enum upstream_event ev[8];
    size_t n;
    enum upstream_state end;
};

static const struct life lives[] = {
    { "connects", { UP_ON_WANTED, UP_ON_READY }, 2, UP_READY },
    { "is lost and comes back",
      { UP_ON_WANTED, UP_ON_READY, UP_ON_FAILED, UP_ON_TIME, UP_ON_READY },
      5,
      UP_READY },
    { "fails too often", { UP_ON_WANTED, UP_ON_TOO_OFTEN }, 2, UP_BROKEN },
    { "is tried again after that",
      { UP_ON_WANTED, UP_ON_TOO_OFTEN, UP_ON_TIME },
      3,
      UP_CONNECTING },
    { "is stopped when unused",
      { UP_ON_WANTED, UP_ON_READY, UP_ON_UNUSED, UP_ON_GONE },
      4,
      UP_STOPPED },
    { "is started again by a call",
      { UP_ON_WANTED, UP_ON_READY, UP_ON_UNUSED, UP_ON_GONE, UP_ON_WANTED },
      5,
      UP_CONNECTING },
    { "hangs and is closed",
      { UP_ON_WANTED, UP_ON_READY, UP_ON_UNUSED, UP_ON_TOO_OFTEN },
      4,
      UP_BROKEN },
    { "closes while it stops",
      { UP_ON_WANTED, UP_ON_READY, UP_ON_UNUSED, UP_ON_CLOSE, UP_ON_GONE },
      5,
      UP_CLOSED },
    { "closes while it waits", { UP_ON_WANTED, UP_ON_FAILED, UP_ON_CLOSE }, 3, UP_CLOSED },
    { "closes while it connects", { UP_ON_WANTED, UP_ON_CLOSE, UP_ON_GONE }, 3, UP_CLOSED },
};

TEST(lives_end_where_they_should)
{
    for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
        enum upstream_state s = UP_STOPPED;

        for (size_t k = 0; k < lives[i].n; k++)
            s = upstream_next(s, lives[i].ev[k]);
        if (s != lives[i].end)
            TAP_NOT("%s: is %s, want %s", lives[i].what, upstream_state_name(s),
                    upstream_state_name(lives[i].end));
    }
}

TEST(who_may_not_be_started_is_not)
{
    for (int ev = 0; ev < UP_EVENTS; ev++) {
        enum upstream_state end = ev == UP_ON_CLOSE ? UP_CLOSED : UP_DISABLED;

        EQ(upstream_next(UP_DISABLED, (enum upstream_event)ev), end);
        end = ev == UP_ON_CLOSE ? UP_CLOSED : UP_UNTRUSTED;
        EQ(upstream_next(UP_UNTRUSTED, (enum upstream_event)ev), end);
        EQ(upstream_next(UP_CLOSED, (enum upstream_event)ev), UP_CLOSED);
    }
}

TEST(every_state_can_be_closed_and_has_a_name)
{
    for (int s = 0; s < UP_STATES; s++) {
        enum upstream_state end = upstream_next((enum upstream_state)s, UP_ON_CLOSE);

        OK(end == UP_CLOSED || end == UP_CLOSING);
        OK(upstream_state_name((enum upstream_state)s) != NULL);
    }
}

TEST_MAIN()
