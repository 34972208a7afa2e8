/*
 * fuzz_acp_client.c - an ACP agent that sends anything, while a prompt is running.
 *
 * Each line is a message of the agent; a line of the byte 1 cancels the prompt. In the end the
 * session must close, whatever the agent has sent.
 */
#include "acp_bench.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct block hello = { .kind = BLOCK_TEXT, .text = STR("hello") };
    struct str rest = { (const char *)data, size };
    struct acp_bench b;
    bool closed;

    bench_open(&b);
    bench_prompt(&b, &hello);
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');

        if (str_eq(line, STR("\1")) && !b.over)
            op_cancel(&b.turn.op);
        else if (line.n)
            bench_say(&b, line);
        bench_settle(&b);
    }
    bench_fini(&b);
    closed = b.closed;
    if (!closed)
        abort();
    return 0;
}
