/*
 * proc_state.h - the life cycle of a child process, as a pure state machine.
 *
 *   STARTING -> RUNNING -> STOPPING -> TERMINATING -> KILLING -> DONE
 *
 * STARTING     the keeper runs; it has not reported yet whether the child has started
 * RUNNING      the child has executed its program
 * STOPPING     stdin is closed; the child has child_polite_ms to exit
 * TERMINATING  SIGTERM was sent to the child's process group; the child has child_term_ms to exit
 * KILLING      the keeper kills the whole tree and has some seconds to report it
 * SWEEPING     the keeper died, or did not report in time and was killed: we inherit the processes
 *              that are left and kill them
 * DONE         the keeper and the tree are gone
 *
 * States may be skipped. In any state, if the keeper exits after its final report, the child is
 * DONE; if the keeper ends without that report, the next state is SWEEPING. A kill by the owner
 * leads directly to KILLING. No event leads to an earlier state.
 */
#ifndef LOOP_PROC_STATE_H
#define LOOP_PROC_STATE_H

enum proc_state {
    PROC_STARTING,
    PROC_RUNNING,
    PROC_STOPPING,
    PROC_TERMINATING,
    PROC_KILLING,
    PROC_SWEEPING,
    PROC_DONE,
};

enum proc_event {
    PROC_ON_STARTED,     /* the keeper reports that the program runs */
    PROC_ON_STOP,        /* the owner asks the child to exit */
    PROC_ON_KILL,        /* the owner kills the child */
    PROC_ON_TIME,        /* the time limit of the state has passed */
    PROC_ON_KEEPER_LEFT, /* the keeper exited after its final report: no process is left */
    PROC_ON_KEEPER_LOST, /* the keeper ended without a final report */
    PROC_ON_SWEPT,       /* no process that we inherited is left */
};

/* Pure: the next state. The same state when the event changes nothing. */
enum proc_state proc_next(enum proc_state s, enum proc_event ev);

const char *proc_state_name(enum proc_state s);

#endif
