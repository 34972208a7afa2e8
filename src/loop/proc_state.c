#include "loop/proc_state.h"

/* While the keeper serves: `timed` is where the end of this state's time leads. */
static enum proc_state kept(enum proc_state s, enum proc_event ev, enum proc_state timed)
{
    switch (ev) {
    case PROC_ON_STARTED: return s == PROC_STARTING ? PROC_RUNNING : s;
    case PROC_ON_STOP: return s < PROC_STOPPING ? PROC_STOPPING : s;
    case PROC_ON_KILL: return PROC_KILLING;
    case PROC_ON_TIME: return timed;
    case PROC_ON_KEEPER_LEFT: return PROC_DONE;
    case PROC_ON_KEEPER_LOST: return PROC_SWEEPING;
    case PROC_ON_SWEPT: return s;
    }
    return s;
}

/* A keeper that is being killed may still have sent its last message. */
static enum proc_state swept(enum proc_event ev)
{
    return ev == PROC_ON_SWEPT || ev == PROC_ON_KEEPER_LEFT ? PROC_DONE : PROC_SWEEPING;
}

enum proc_state proc_next(enum proc_state s, enum proc_event ev)
{
    switch (s) {
    case PROC_STARTING: return kept(s, ev, s);
    case PROC_RUNNING: return kept(s, ev, s);
    case PROC_STOPPING: return kept(s, ev, PROC_TERMINATING);
    case PROC_TERMINATING: return kept(s, ev, PROC_KILLING);
    case PROC_KILLING: return kept(s, ev, PROC_SWEEPING);
    case PROC_SWEEPING: return swept(ev);
    case PROC_DONE: return s;
    }
    return s;
}

const char *proc_state_name(enum proc_state s)
{
    switch (s) {
    case PROC_STARTING: return "starting";
    case PROC_RUNNING: return "running";
    case PROC_STOPPING: return "stopping";
    case PROC_TERMINATING: return "terminating";
    case PROC_KILLING: return "killing";
    case PROC_SWEEPING: return "sweeping";
    case PROC_DONE: return "done";
    }
    return "?";
}
