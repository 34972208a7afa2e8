/*
 * a2a_webhook.h - deliver the updates of tasks to webhooks.
 *
 * Each push configuration gets the updates of its task in their order, each at least once. The
 * number of the last delivered event is stored, so delivery continues after a restart: the events
 * of the task are the queue. A webhook acknowledges an update with a status of 2xx. Otherwise the
 * update is sent again after a wait that doubles each time, until limits.push_tries or
 * limits.push_keep_ms is reached; then the configuration is given up, with a line in the log.
 *
 *   FINDING   the task is being read
 *   READING   events are being read
 *   SENDING   an update was sent, and the answer has not arrived
 *   STORING   the answer was a success, which is being stored
 *   WAITING   until the next attempt
 *   ENDING    the end of the delivery is being stored
 *
 * Webhooks are addresses from outside: the guard for such addresses applies, redirects are not
 * followed, and trefoil never connects to itself. A webhook on this machine is accepted only from a
 * client on this machine.
 */
#ifndef PROTO_A2A_SERVER_A2A_WEBHOOK_H
#define PROTO_A2A_SERVER_A2A_WEBHOOK_H

#include "core/store_pushes.h"
#include "proto/a2a/a2a_codec.h"
#include "proto/a2a/server/a2a_server.h"

/* What is stored with a configuration. */
struct a2a_push_setup {
    struct a2a_push push;
    enum a2a_dialect dialect; /* of the client that has set it, and of its updates */
    bool loopback;            /* the client was on this machine */
};

/* Check the URL and the texts of a configuration. */
bool a2a_push_check(const struct a2a_server *s, const struct a2a_push_setup *setup, struct err *e);

/* Convert a setup to the text that is stored, and back. */
bool a2a_push_setup_write(struct arena *mem, const struct limits *limits,
                          const struct a2a_push_setup *setup, struct str *out, struct err *e);
bool a2a_push_setup_read(struct arena *mem, struct str text, struct a2a_push_setup *out);

/* Begin the delivery for a stored configuration; one that runs for it already is stopped. */
void a2a_webhook_begin(struct a2a_server *s, const struct store_push *push);

/* Stop the delivery for a configuration, because it was deleted. */
void a2a_webhook_stop(struct a2a_server *s, struct str task, struct str id);

/* Continue all deliveries that were not finished when the last process ended. */
void a2a_webhooks_resume(struct a2a_server *s);

/* Stop all deliveries, because the task engine is closing. They are resumed by the next process. */
void a2a_webhooks_stop(struct a2a_server *s);

#endif
