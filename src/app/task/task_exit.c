#include "app/task/task_exit.h"

#include "term/print.h"

static int stop_code(struct str stop)
{
    static const enum turn_stop limits[] = { TURN_LENGTH, TURN_REQUESTS, TURN_BUDGET, TURN_TOKENS,
                                             TURN_TIME,   TURN_CONTEXT,  TURN_STUCK };

    if (stop.p && str_eq(stop, str_of(turn_stop_names[TURN_REFUSED])))
        return EXIT_REFUSED;
    if (stop.p && str_eq(stop, str_of(turn_stop_names[TURN_NO_MODEL])))
        return EXIT_USAGE;
    for (size_t i = 0; stop.p && i < ARRAY_LEN(limits); i++)
        if (str_eq(stop, str_of(turn_stop_names[limits[i]])))
            return EXIT_LIMIT;
    return EXIT_FAILED;
}

int task_exit_code(enum task_state state, struct str stop)
{
    int code = stop_code(stop);

    if (state == TASK_COMPLETED)
        return code == EXIT_FAILED ? EXIT_OK : code;
    return state == TASK_REJECTED ? EXIT_DENIED : code;
}
