/*
 * worker.c - three lists: `gathered` is used by the loop only, `waiting` and `finished` only under
 * the lock. The thread uses the loop only through uv_async_send.
 */
#include "loop/worker.h"

#include "base/container.h"
#include "base/mem.h"

#include <uv.h>

struct work_list {
    struct work *first, **tail;
};

struct worker {
    struct loop *loop;
    worker_run_fn *run;
    worker_done_fn *done;
    void *ctx;
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t wake;
    uv_async_t back; /* something is finished; keeps the loop alive while there is a load */
    struct work_list gathered, waiting, finished;
    struct post hand_over;
    size_t load;
    bool stop;
};

static void list_init(struct work_list *l)
{
    l->first = NULL;
    l->tail = &l->first;
}

/* Move all of `from` to the end of `to`. */
static void list_move(struct work_list *to, struct work_list *from)
{
    if (!from->first)
        return;
    *to->tail = from->first;
    to->tail = from->tail;
    list_init(from);
}

/* ---- the thread --------------------------------------------------------------------------- */

/* Wait for a batch. False: none is left, and none will come. */
static bool take_batch(struct worker *w, struct work_list *batch)
{
    uv_mutex_lock(&w->lock);
    while (!w->waiting.first && !w->stop)
        uv_cond_wait(&w->wake, &w->lock);
    list_move(batch, &w->waiting);
    uv_mutex_unlock(&w->lock);
    return batch->first != NULL;
}

static void work_on(void *arg)
{
    struct worker *w = arg;
    struct work_list batch;

    list_init(&batch);
    while (take_batch(w, &batch)) {
        w->run(w->ctx, batch.first);
        uv_mutex_lock(&w->lock);
        list_move(&w->finished, &batch);
        uv_mutex_unlock(&w->lock);
        uv_async_send(&w->back);
    }
}

/* ---- the loop ----------------------------------------------------------------------------- */

static void bring_back(struct worker *w)
{
    struct work_list all;

    list_init(&all);
    uv_mutex_lock(&w->lock);
    list_move(&all, &w->finished);
    uv_mutex_unlock(&w->lock);
    while (all.first) {
        struct work *work = all.first;

        all.first = work->next;
        if (!--w->load)
            uv_unref((uv_handle_t *)&w->back);
        w->done(w->ctx, work);
    }
}

static void on_back(uv_async_t *back)
{
    bring_back(back->data);
}

static void on_hand_over(struct post *p)
{
    struct worker *w = CONTAINER_OF(p, struct worker, hand_over);

    uv_mutex_lock(&w->lock);
    list_move(&w->waiting, &w->gathered);
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->lock);
}

void worker_put(struct worker *w, struct work *work)
{
    work->next = NULL;
    *w->gathered.tail = work;
    w->gathered.tail = &work->next;
    if (!w->load++)
        uv_ref((uv_handle_t *)&w->back);
    loop_post_flush(w->loop, &w->hand_over);
}

size_t worker_load(const struct worker *w)
{
    return w->load;
}

static void on_closed(uv_handle_t *h)
{
    mem_free(h->data);
}

/* The thread has ended, or never began. */
static void dismantle(struct worker *w)
{
    uv_cond_destroy(&w->wake);
    uv_mutex_destroy(&w->lock);
    uv_close((uv_handle_t *)&w->back, on_closed);
}

bool worker_open(struct loop *loop, worker_run_fn *run, worker_done_fn *done, void *ctx,
                 struct worker **out, struct err *e)
{
    struct worker *w = MEM_NEW(struct worker);
    int code;

    *w = (struct worker){ .loop = loop, .run = run, .done = done, .ctx = ctx };
    list_init(&w->gathered);
    list_init(&w->waiting);
    list_init(&w->finished);
    w->hand_over.fn = on_hand_over;
    w->back.data = w;
    uv_mutex_init(&w->lock);
    uv_cond_init(&w->wake);
    uv_async_init(loop_uv(loop), &w->back, on_back);
    uv_unref((uv_handle_t *)&w->back);
    code = uv_thread_create(&w->thread, work_on, w);
    if (code) {
        dismantle(w);
        return fail(e, ERR_SYSTEM, "cannot start a thread: %s", uv_strerror(code));
    }
    *out = w;
    return true;
}

void worker_close(struct worker *w)
{
    loop_unpost(w->loop, &w->hand_over);
    uv_mutex_lock(&w->lock);
    list_move(&w->waiting, &w->gathered);
    w->stop = true;
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->lock);
    uv_thread_join(&w->thread);
    bring_back(w);
    dismantle(w);
}
