#include "provider/intake.h"

static void give_up(struct intake *in, const struct err *e)
{
    fault_transport(&in->fault, in->spec, e);
    in->failed = true;
    sse_read_stop(&in->sse);
}

static bool read_event(struct intake *in, const struct sse_event *ev, struct err *e)
{
    struct json_opts opts = limits_json(in->reply.limits);
    struct json data;

    if (!json_read(&in->scratch, ev->data, &opts, &data, e))
        return false;
    if (fault_event(&in->fault, in->spec, &in->scratch, data)) {
        in->failed = true;
        sse_read_stop(&in->sse);
        return true;
    }
    return in->format->event(&in->reply, &in->scratch, ev->event, data, e);
}

static void on_event(const struct sse_event *ev, void *ctx)
{
    struct intake *in = ctx;
    struct err e;

    if (!ev->data.n) /* a keep-alive */
        return;
    if (str_eq(ev->data, STR("[DONE]"))) { /* OpenAI and compatible servers */
        in->reply.over = in->reply.stopped;
        return;
    }
    if (!read_event(in, ev, &e)) {
        fail_in(&e, "event " STR_FMT, STR_ARG(str_head(ev->event, 40)));
        give_up(in, &e);
    }
    if (in->reply.over)
        sse_read_stop(&in->sse);
    arena_reset(&in->scratch);
}

void intake_init(struct intake *in, const struct provider_spec *s, const struct format *format,
                 struct model_turn *t, const struct limits *l)
{
    *in = (struct intake){ .spec = s, .format = format };
    sse_read_init(&in->sse, (size_t)l->model_event_bytes, on_event, in);
    reply_init(&in->reply, t, l, s->name);
}

void intake_fini(struct intake *in)
{
    sse_read_fini(&in->sse);
    arena_fini(&in->scratch);
}

bool intake_feed(struct intake *in, struct str bytes)
{
    struct err e;

    if (!in->failed && !sse_read_feed(&in->sse, bytes, &e))
        give_up(in, &e);
    return !in->failed;
}

bool intake_end(struct intake *in)
{
    struct err e;

    if (!in->failed && !in->reply.stopped) {
        fail(&e, ERR_CLOSED, "the answer ended before it was complete");
        give_up(in, &e);
    }
    return !in->failed;
}
