/*
 * fault.h - the error of a request to a model, as a sentence, and whether to retry.
 *
 * Providers report errors by status, by a word in a JSON body, or inside a stream. A table of words
 * and one of statuses classify them. The sentence never contains the key or a configured header.
 */
#ifndef PROVIDER_FAULT_H
#define PROVIDER_FAULT_H

#include "base/json.h"
#include "core/provider_spec.h"

struct fault {
    struct err err;
    bool again;       /* a temporary error: retry */
    bool context;     /* the conversation is too long: reported as STOP_CONTEXT, not as an error */
    int64_t after_ms; /* how long the provider asks to wait; -1: unknown */
};

/* The answer had this status (not 2xx) and this body. */
void fault_status(struct fault *f, const struct provider_spec *s, int status, struct str body);

/* Is this event of a stream an error? Then *f describes it. */
bool fault_event(struct fault *f, const struct provider_spec *s, struct arena *mem,
                 struct json data);

/* The request failed below HTTP, or its stream could not be read. */
void fault_transport(struct fault *f, const struct provider_spec *s, const struct err *e);

/* Retry-After as seconds or a date, Retry-After-Ms; -1 when there is none. */
int64_t fault_retry_after(struct str after, struct str after_ms, int64_t wall_ms);

#endif
