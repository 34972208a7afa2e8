/* Events as bytes. */
#include "wire/sse_write.h"

#include "tap.h"

static const struct {
    struct sse_out in;
    const char *out;
} rows[] = {
    { { .data = STR("x") }, "data: x\n\n" },
    { { .data = STR("") }, "data: \n\n" },
    { { .event = STR("message"), .data = STR("{}") }, "event: message\ndata: {}\n\n" },
    { { .id = STR("7"), .data = STR("") }, "id: 7\ndata: \n\n" },
    { { .event = STR("e"), .id = STR("i"), .data = STR("d"), .retry_ms = 1500 },
      "event: e\nid: i\nretry: 1500\ndata: d\n\n" },
    { { .retry_ms = 4294967295 }, "retry: 4294967295\n\n" },
    { { .id = STR("") }, "id: \n\n" },
    { { .retry_ms = 0 }, "" },
    { { .data = STR("a\nb") }, "data: a\ndata: b\n\n" },
    { { .data = STR("a\r\nb") }, "data: a\ndata: b\n\n" },
    { { .data = STR("a\rb") }, "data: a\ndata: b\n\n" },
    { { .data = STR("a\n\rb") }, "data: a\ndata: \ndata: b\n\n" },
    { { .data = STR("a\n") }, "data: a\ndata: \n\n" },
    { { .data = STR("\n") }, "data: \ndata: \n\n" },
    { { .data = STR("\r\n\r\n") }, "data: \ndata: \ndata: \n\n" },
    { { .data = STR("\n\n\n\n\n\n\n\n") },
      "data: \ndata: \ndata: \ndata: \ndata: \ndata: \ndata: \ndata: \ndata: \n\n" },
    { { .data = STR("data: x\n\nevent: y") }, "data: data: x\ndata: \ndata: event: y\n\n" },
    /* a line break in a name would be another field */
    { { .event = STR("a\ndata: evil"), .id = STR("1\rretry: 1"), .data = STR("d") },
      "event: a\nid: 1\ndata: d\n\n" },
};

TEST(events_are_written_so_that_they_read_back)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sse_pieces pieces;
        AUTO_BUF all;

        buf_init(&all, 4096);
        sse_write(&rows[i].in, &pieces);
        OK(pieces.n <= SSE_PIECES);
        for (size_t k = 0; k < pieces.n; k++)
            buf_put(&all, pieces.at[k]);
        EQ_S(buf_str(&all), rows[i].out);
        EQ(pieces.lines.full, false);
        sse_pieces_fini(&pieces);
    }
}

TEST_MAIN()
