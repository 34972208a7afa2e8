/* The four rules of op.h, and the corners where they meet. */
#include "base/container.h"
#include "loop/op.h"

#include "tap.h"

/* An op that writes down what happens to it. */
struct probe {
    struct op op; /* first */
    char id;
    bool settles_on_cancel;
    bool inside_call; /* a call of ours is on the stack: done must not run now */
    int done, cancels, released;
    enum err_code code;
};

static char story[64]; /* one letter per event, in order */

static void note(char c)
{
    size_t n = strlen(story);

    if (n + 1 < sizeof(story)) {
        story[n] = c;
        story[n + 1] = 0;
    }
}

static struct probe *probe_of(struct op *op)
{
    return CONTAINER_OF(op, struct probe, op);
}

static void on_cancel(struct op *op)
{
    struct probe *p = probe_of(op);

    p->cancels++;
    note(p->id);
    if (p->settles_on_cancel)
        op_fail(op, &(struct err){ ERR_CANCELED, "canceled" });
}

static void on_release(struct op *op)
{
    probe_of(op)->released++;
}

static const struct op_kind probe_kind = { "probe", on_cancel, on_release };
static const struct op_kind plain_kind = { "plain", NULL, NULL };

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct probe *p = probe_of(op);

    OK(ctx == &story);
    OK(!p->inside_call);
    OK(!p->released);
    p->done++;
    p->code = e ? e->code : ERR_NONE;
    note(p->id);
}

static void begin(struct probe *p, char id, struct loop *loop, struct probe *parent)
{
    *p = (struct probe){ .id = id };
    op_begin(&p->op, &probe_kind, loop, parent ? &parent->op : NULL, on_done, &story);
}

static struct loop *fresh(void)
{
    story[0] = 0;
    return loop_new(LOOP_FAKE_CLOCK);
}

static void settle_all(struct loop *loop)
{
    while (loop_run_once(loop))
        ;
}

TEST(an_op_is_told_once_from_the_loop_and_then_released)
{
    struct loop *loop = fresh();
    struct probe a;

    begin(&a, 'a', loop, NULL);
    a.inside_call = true;
    op_ok(&a.op);
    a.inside_call = false;
    EQ(a.done, 0);
    settle_all(loop);
    EQ(a.done, 1);
    EQ(a.code, ERR_NONE);
    EQ(a.released, 1);
    settle_all(loop);
    EQ(a.done, 1);
    loop_free(loop);
}

TEST(a_failure_carries_its_code)
{
    struct loop *loop = fresh();
    struct probe a;

    begin(&a, 'a', loop, NULL);
    op_fail(&a.op, &(struct err){ ERR_TIMEOUT, "late" });
    settle_all(loop);
    EQ(a.code, ERR_TIMEOUT);
    loop_free(loop);
}

TEST(a_parent_is_told_after_its_last_child)
{
    struct loop *loop = fresh();
    struct probe a, b, c;

    begin(&a, 'a', loop, NULL);
    begin(&b, 'b', loop, &a);
    begin(&c, 'c', loop, &a);
    op_ok(&a.op);
    settle_all(loop);
    EQ_STR(story, "");
    op_ok(&c.op);
    settle_all(loop);
    EQ_STR(story, "c");
    op_ok(&b.op);
    settle_all(loop);
    EQ_STR(story, "cba");
    loop_free(loop);
}

TEST(children_leave_from_any_place_among_their_siblings)
{
    struct loop *loop = fresh();
    struct probe a, k[4];
    const int order[] = { 1, 3, 0, 2 };

    begin(&a, 'a', loop, NULL);
    for (int i = 0; i < 4; i++)
        begin(&k[i], (char)('0' + i), loop, &a);
    op_ok(&a.op);
    for (int i = 0; i < 4; i++) {
        op_ok(&k[order[i]].op);
        settle_all(loop);
    }
    EQ_STR(story, "1302a");
    loop_free(loop);
}

TEST(a_child_begun_after_its_parent_settled_is_still_waited_for)
{
    struct loop *loop = fresh();
    struct probe a, b;

    begin(&a, 'a', loop, NULL);
    op_ok(&a.op); /* its delivery is posted now */
    begin(&b, 'b', loop, &a);
    settle_all(loop);
    EQ_STR(story, "");
    op_ok(&b.op);
    settle_all(loop);
    EQ_STR(story, "ba");
    loop_free(loop);
}

TEST(cancel_goes_down_the_tree_children_first_youngest_first)
{
    struct loop *loop = fresh();
    struct probe a, b, c, d;

    begin(&a, 'a', loop, NULL);
    begin(&b, 'b', loop, &a);
    begin(&c, 'c', loop, &b);
    begin(&d, 'd', loop, &a);
    op_cancel(&a.op);
    EQ_STR(story, "dcba");
    op_cancel(&a.op);
    EQ_STR(story, "dcba");
    EQ(a.done + b.done + c.done + d.done, 0); /* asked, not settled */
    op_ok(&a.op);
    op_ok(&b.op); /* a request: an op may still succeed */
    op_ok(&c.op);
    op_ok(&d.op);
    settle_all(loop);
    EQ_STR(story, "dcbacdba");
    EQ(b.code, ERR_NONE);
    loop_free(loop);
}

TEST(an_op_that_settles_inside_cancel_is_told_from_the_loop)
{
    struct loop *loop = fresh();
    struct probe a, b;

    begin(&a, 'a', loop, NULL);
    begin(&b, 'b', loop, &a);
    a.settles_on_cancel = b.settles_on_cancel = true;
    a.inside_call = b.inside_call = true;
    op_cancel(&a.op);
    a.inside_call = b.inside_call = false;
    settle_all(loop);
    EQ_STR(story, "baba");
    EQ(a.code, ERR_CANCELED);
    EQ(b.code, ERR_CANCELED);
    loop_free(loop);
}

TEST(an_op_without_a_cancel_function_fails_at_once)
{
    struct loop *loop = fresh();
    struct probe a = { .id = 'a' };

    op_begin(&a.op, &plain_kind, loop, NULL, on_done, &story);
    op_cancel(&a.op);
    OK(a.op.settled);
    settle_all(loop);
    EQ(a.code, ERR_CANCELED);
    loop_free(loop);
}

TEST(cancelling_what_has_settled_reaches_only_its_children)
{
    struct loop *loop = fresh();
    struct probe a, b;

    begin(&a, 'a', loop, NULL);
    begin(&b, 'b', loop, &a);
    op_ok(&a.op);
    op_cancel(&a.op);
    EQ(a.cancels, 0);
    EQ(b.cancels, 1);
    op_ok(&b.op);
    settle_all(loop);
    EQ(a.code, ERR_NONE);
    EQ(a.done, 1);
    loop_free(loop);
}

TEST(a_child_begun_late_under_a_cancelled_parent_is_cancelled_from_the_loop)
{
    struct loop *loop = fresh();
    struct probe a, b;

    begin(&a, 'a', loop, NULL);
    op_cancel(&a.op);
    begin(&b, 'b', loop, &a);
    EQ(b.cancels, 0); /* its owner may not have set it up yet */
    b.settles_on_cancel = true;
    settle_all(loop);
    EQ(b.cancels, 1);
    EQ(b.code, ERR_CANCELED);
    op_ok(&a.op);
    settle_all(loop);
    EQ_STR(story, "abba");
    loop_free(loop);
}

TEST(a_late_child_that_settles_before_its_cancel_is_told_once)
{
    struct loop *loop = fresh();
    struct probe a, b;

    begin(&a, 'a', loop, NULL);
    op_cancel(&a.op);
    begin(&b, 'b', loop, &a);
    op_ok(&b.op);
    settle_all(loop);
    EQ(b.cancels, 0);
    EQ(b.done, 1);
    EQ(b.code, ERR_NONE);
    op_ok(&a.op);
    settle_all(loop);
    EQ(a.done, 1);
    loop_free(loop);
}

TEST(a_late_child_passes_the_cancel_to_its_own_children)
{
    struct loop *loop = fresh();
    struct probe a, b, c;

    begin(&a, 'a', loop, NULL);
    op_cancel(&a.op);
    begin(&b, 'b', loop, &a);
    begin(&c, 'c', loop, &b); /* b itself has not been asked yet */
    op_ok(&b.op);
    settle_all(loop);
    EQ(b.cancels, 0); /* it had settled */
    EQ(c.cancels, 1);
    op_ok(&c.op);
    op_ok(&a.op);
    settle_all(loop);
    EQ_STR(story, "accba");
    loop_free(loop);
}

/* An op that is begun again in its own done callback, three times. */
struct again {
    struct op op;
    struct op *parent;
    int rounds;
};

static void on_again(struct op *op, const struct err *e, void *ctx)
{
    struct again *a = CONTAINER_OF(op, struct again, op);

    OK(!e);
    if (++a->rounds == 3)
        return;
    op_begin(op, &plain_kind, ctx, a->parent, on_again, ctx);
    op_ok(op);
}

TEST(done_may_begin_the_same_op_again_and_the_parent_waits)
{
    struct loop *loop = fresh();
    struct probe a;
    struct again b = { .parent = &a.op };

    begin(&a, 'a', loop, NULL);
    op_begin(&b.op, &plain_kind, loop, &a.op, on_again, loop);
    op_ok(&b.op);
    op_ok(&a.op);
    while (b.rounds < 3) {
        EQ(a.done, 0);
        loop_run_once(loop);
    }
    settle_all(loop);
    EQ(b.rounds, 3);
    EQ(a.done, 1);
    loop_free(loop);
}

TEST_MAIN()
