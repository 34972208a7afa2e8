#include "loop/job.h"

#include "base/container.h"

#include <uv.h>

_Static_assert(sizeof(uv_work_t) <= sizeof(((struct job *)0)->uv), "room for a uv_work_t");

static void job_cancel(struct op *op)
{
    struct job *job = CONTAINER_OF(op, struct job, op);

    uv_cancel((uv_req_t *)job->uv); /* too late when it runs already: on_done settles it then */
}

static const struct op_kind job_kind = { .name = "job", .cancel = job_cancel };

static void run(uv_work_t *req)
{
    struct job *job = req->data;

    job->ok = job->work(job, &job->err);
}

static void on_done(uv_work_t *req, int status)
{
    struct job *job = req->data;

    if (status == UV_ECANCELED || job->op.canceled)
        op_fail(&job->op, &(struct err){ ERR_CANCELED, "cancelled" });
    else if (job->ok)
        op_ok(&job->op);
    else
        op_fail(&job->op, &job->err);
}

void job_start(struct job *job, struct loop *loop, struct op *parent, job_work_fn *work,
               op_done_fn *done, void *ctx)
{
    uv_work_t *req = (uv_work_t *)job->uv;

    op_begin(&job->op, &job_kind, loop, parent, done, ctx);
    job->work = work;
    job->ok = false;
    req->data = job;
    uv_queue_work(loop_uv(loop), req, run, on_done);
}
