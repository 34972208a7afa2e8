/*
 * proc_state.h - the life cycle of a child process, as a pure state machine.
 *
 *   STARTING -> RUNNING -> STOPPING -> TERMINATING -> KILLING -> DONE
 *
 * STARTING     the keeper runs; whether the program runs is not known yet
 * RUNNING      the child has executed its program
 * STOPPING     stdin is closed; the child has child_polite_ms to exit
 * TERMINATING  SIGTERM was sent to its group; it has child_term_ms
 * KILLING      the keeper kills the whole tree and has some seconds to report it
 * SWEEPING     the keeper is gone, or does not answer and is killed too: we inherit the rest of
 *              the tree and kill it
 * DONE         the keeper and the tree are gone
 *
 * From every state before DONE: the keeper exits after its final report -> DONE; without it ->
 * SWEEPING; a kill goes straight to KILLING. No event leads back.
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
    PROC_ON_STOP,        /* our owner asks it to exit */
    PROC_ON_KILL,        /* our owner kills it */
    PROC_ON_TIME,        /* the time that a state has is up */
    PROC_ON_KEEPER_LEFT, /* the keeper exited after its final report: no process is left */
    PROC_ON_KEEPER_LOST, /* the keeper ended without it */
    PROC_ON_SWEPT,       /* no process that we inherited is left */
};

/* Pure: the next state. The same state when the event changes nothing. */
enum proc_state proc_next(enum proc_state s, enum proc_event ev);

const char *proc_state_name(enum proc_state s);

#endif
