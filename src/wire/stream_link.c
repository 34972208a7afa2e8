#include "wire/stream_link.h"

#include "base/container.h"

static struct stream_link *stream_link_of(struct link *link)
{
    return CONTAINER_OF(link, struct stream_link, link);
}

static void on_stream_frame(void *ctx, const struct frame *frame)
{
    struct stream_link *l = ctx;

    l->link.events->on_frame(&l->link, frame);
}

static void on_stream_bytes(struct stream *io, struct str bytes)
{
    struct stream_link *l = io->owner;

    frame_reader_feed(&l->reader, bytes, on_stream_frame, l);
}

static void on_stream_end(struct stream *io, const struct err *e)
{
    struct stream_link *l = io->owner;

    if (l->closing) {
        if (e) /* the other side reads nothing more */
            stream_close(io);
        return;
    }
    if (!e)
        frame_reader_end(&l->reader, on_stream_frame, l);
    if (!l->closing)
        l->link.events->on_end(&l->link, e);
}

static void on_stream_room(struct stream *io)
{
    struct stream_link *l = io->owner;

    if (l->closing)
        stream_close(io);
    else
        stream_resume(io);
}

static void on_stream_closed(struct stream *io)
{
    struct stream_link *l = io->owner;

    frame_reader_fini(&l->reader);
    l->link.events->on_closed(&l->link);
}

const struct stream_events stream_link_events = { on_stream_bytes, on_stream_end, on_stream_room,
                                                  on_stream_closed };

static size_t total_bytes(const struct str *piece, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += piece[i].n;
    return sum;
}

static void send_pieces(struct link *link, const struct str *piece, size_t n)
{
    struct stream_link *l = stream_link_of(link);
    struct str all[LINK_PIECES + 1];
    char header[FRAME_HEADER];
    bool room;

    if (frame_reader_answer_in(&l->reader) == FRAMING_HEADER) {
        all[0] = (struct str){ header, frame_header(total_bytes(piece, n), header) };
        memcpy(all + 1, piece, n * sizeof(*piece));
    } else {
        memcpy(all, piece, n * sizeof(*piece));
        all[n] = STR("\n");
    }
    room = stream_write(l->io, all, n + 1);
    if (!room)
        stream_pause(l->io);
}

static void close_link(struct link *link)
{
    struct stream_link *l = stream_link_of(link);

    l->closing = true;
    frame_reader_stop(&l->reader);
    if (l->io->error)
        stream_close(l->io);
    else
        stream_tell_room(l->io);
}

static const struct link_kind stream_link_kind = {
    .name = "stream",
    .send = send_pieces,
    .close = close_link,
};

void stream_link_open(struct stream_link *l, struct stream *io, enum framing framing,
                      const struct limits *limits, const struct link_events *events, void *owner)
{
    l->link = (struct link){ &stream_link_kind, events, owner, NULL };
    l->io = io;
    l->closing = false;
    frame_reader_init(&l->reader, framing, limits);
    stream_start(io);
}
