/*
 * proc_state.h - the life of a child, without the child.
 *
 *   STARTING -> RUNNING -> STOPPING -> TERMINATING -> KILLING -> DONE
 *
 * STARTING     the keeper runs; whether the program does is not known yet
 * RUNNING      the child has become its program
 * STOPPING     asked politely: its stdin is closed; it has child_polite_ms
 * TERMINATING  SIGTERM went to its group; it has child_term_ms
 * KILLING      the keeper kills the whole tree, and has some seconds to say so
 * SWEEPING     there is no keeper any more, or it does not answer and is killed too: who is
 *              left of the tree comes to us, and we kill it
 * DONE         the keeper is gone and so is the tree
 *
 * From every state before DONE: the keeper ends with its last word -> DONE; without it ->
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
    PROC_ON_STARTED,     /* the keeper says that the program runs */
    PROC_ON_STOP,        /* our owner wants it to leave */
    PROC_ON_KILL,        /* our owner wants it gone */
    PROC_ON_TIME,        /* the time that a state has is up */
    PROC_ON_KEEPER_LEFT, /* the keeper ended after its last word: nobody is left */
    PROC_ON_KEEPER_LOST, /* the keeper ended without it */
    PROC_ON_SWEPT,       /* nobody is left among who came to us */
};

/* Pure: what comes after. The same state when the event changes nothing. */
enum proc_state proc_next(enum proc_state s, enum proc_event ev);

const char *proc_state_name(enum proc_state s);

#endif
