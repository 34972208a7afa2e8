/*
 * intake.h - parse the response stream of a model into its answer.
 *
 * Call intake_feed with the bytes as they arrive, in pieces of any size, then intake_end. After a
 * failure, or when the answer is complete (reply.over), the rest is ignored.
 */
#ifndef PROVIDER_INTAKE_H
#define PROVIDER_INTAKE_H

#include "provider/fault.h"
#include "provider/format.h"
#include "wire/sse_read.h"

struct intake {
    const struct provider_spec *spec;
    const struct format *format;
    struct sse_reader sse;
    struct reply reply;
    struct arena scratch; /* memory for one event */
    struct fault fault;   /* set if failed */
    bool failed;
};

void intake_init(struct intake *in, const struct provider_spec *s, const struct format *format,
                 struct model_turn *t, const struct limits *l);
void intake_fini(struct intake *in);

/* False: the request has failed; in->fault is the error. */
bool intake_feed(struct intake *in, struct str bytes);

/* The stream has ended. False: the answer is not complete; in->fault is the error. */
bool intake_end(struct intake *in);

#endif
