/*
 * shown_error.h - what a client over the network learns about a failure inside trefoil.
 *
 * The text of ERR_SYSTEM names paths of the state directory, SQL or libraries. Users of this
 * machine (command line, stdio, Unix socket) need this text and get it. For all other clients, the
 * text is written to the log, and the client gets a general sentence.
 */
#ifndef CORE_SHOWN_ERROR_H
#define CORE_SHOWN_ERROR_H

#include "base/err.h"
#include "core/principal.h"

/*
 * Return the error to show to a client of this origin: `e` itself, or `own` with a general
 * sentence. In the second case the function logs the text of *e.
 */
const struct err *shown_error(enum origin origin, const struct err *e, struct err *own);

#endif
