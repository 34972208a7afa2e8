/* Every event in every state. */
#include "loop/proc_state.h"

#include "tap.h"

#include <string.h>

enum { STATES = PROC_DONE + 1, EVENTS = PROC_ON_SWEPT + 1 };

TEST(every_event_in_every_state)
{
    enum {
        S = PROC_STARTING,
        R = PROC_RUNNING,
        P = PROC_STOPPING,
        T = PROC_TERMINATING,
        K = PROC_KILLING,
        W = PROC_SWEEPING,
        D = PROC_DONE
    };
    static const int next[STATES][EVENTS] = {
        /*                started stop kill time left lost swept */
        [PROC_STARTING] = { R, P, K, S, D, W, S }, [PROC_RUNNING] = { R, P, K, R, D, W, R },
        [PROC_STOPPING] = { P, P, K, T, D, W, P }, [PROC_TERMINATING] = { T, T, K, K, D, W, T },
        [PROC_KILLING] = { K, K, K, W, D, W, K },  [PROC_SWEEPING] = { W, W, W, W, D, W, D },
        [PROC_DONE] = { D, D, D, D, D, D, D },
    };

    for (int s = 0; s < STATES; s++)
        for (int ev = 0; ev < EVENTS; ev++)
            if ((int)proc_next((enum proc_state)s, (enum proc_event)ev) != next[s][ev])
                TAP_NOT("%s on event %d", proc_state_name((enum proc_state)s), ev);
}

TEST(no_event_leads_back)
{
    for (int s = 0; s < STATES; s++)
        for (int ev = 0; ev < EVENTS; ev++)
            OK((int)proc_next((enum proc_state)s, (enum proc_event)ev) >= s);
}

TEST(every_state_has_a_name)
{
    for (int s = 0; s < STATES; s++)
        OK(strcmp(proc_state_name((enum proc_state)s), "?") != 0);
}

TEST_MAIN()
