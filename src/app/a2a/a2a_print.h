/* a2a_print.h - what `trefoil a2a` prints: text for people, or with --json what the agent sent. */
#ifndef APP_A2A_A2A_PRINT_H
#define APP_A2A_A2A_PRINT_H

#include "app/a2a/a2a_job.h"

void a2a_print_card(struct a2a_job *j);

/* For a2a_job_run: an update of a task, a whole task, a page of tasks. */
void a2a_print_update(struct a2a_oneshot *o, struct arena *mem, struct json result);
void a2a_print_task(struct a2a_oneshot *o, struct arena *mem, struct json result);
void a2a_print_list(struct a2a_oneshot *o, struct arena *mem, struct json result);

/* Print the error or the state of the task, and return the exit code. */
int a2a_print_end(struct a2a_job *j);

#endif
