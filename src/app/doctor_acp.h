/* doctor_acp.h - the programs that speak ACP and are installed, for `trefoil doctor`. */
#ifndef APP_DOCTOR_ACP_H
#define APP_DOCTOR_ACP_H

#include "app/app.h"

/*
 * Return "claude (claude-agent-acp 0.99.1), ..." for the presets whose programs are on PATH. Each
 * program is started with --version, and killed if it does not end in some seconds. *n is the
 * number of programs.
 */
struct str doctor_acp_programs(struct app *app, size_t *n);

#endif
