/*
 * probe.h - find out which sandbox features this kernel offers, by using them in short-lived
 * processes.
 *
 * Reading the settings of the kernel is not enough: some systems allow a user namespace but refuse
 * every mount in it. `trefoil keep probe` writes a struct sandbox_support to stdout, which
 * loop/sandbox_support.c reads.
 */
#ifndef SANDBOX_PROBE_H
#define SANDBOX_PROBE_H

#include "loop/sandbox_profile.h"

/* Run `trefoil keep probe`. Returns the exit code. */
int sandbox_probe_main(void);

#endif
