/*
 * fault.h - turn the failure of a model request into a sentence, and decide whether to retry.
 *
 * Providers report errors by an HTTP status, by a word in a JSON body, or inside a stream. A table
 * of words and a table of statuses classify them. The sentence never contains the API key or the
 * value of a configured header.
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

/* The response had this status (not 2xx) and this body. */
void fault_status(struct fault *f, const struct provider_spec *s, int status, struct str body);

/* Is this event of a stream an error? Then *f describes it. */
bool fault_event(struct fault *f, const struct provider_spec *s, struct arena *mem,
                 struct json data);

/* There was no HTTP response, or its stream could not be parsed. */
void fault_transport(struct fault *f, const struct provider_spec *s, const struct err *e);

/*
 * How long to wait, from the headers Retry-After (seconds or a date) and Retry-After-Ms; -1:
 * unknown.
 */
int64_t fault_retry_after(struct str after, struct str after_ms, int64_t wall_ms);

#endif
