/*
 * connect_gemini.h - `trefoil connect gemini --agents`: let Gemini CLI call the agents that `trefoil
 * serve` offers over A2A (config/gemini_agents.h).
 */
#ifndef APP_CONNECT_GEMINI_H
#define APP_CONNECT_GEMINI_H

#include "app/app.h"

struct connect_gemini {
    const char *url;  /* where trefoil serves; NULL: as configured */
    const char *card; /* "agent.json" or "agent-card.json"; NULL: agent.json */
    bool user;        /* the files of the user, not of the project */
    bool print;       /* print the files, write nothing */
    bool force;       /* replace files that trefoil has not written */
    bool off;         /* only set experimental.enableAgents to false */
};

int connect_gemini_run(struct app *app, const struct connect_gemini *c);

#endif
