/*
 * render.h - print what an agent does: for a person at a terminal, or for a program behind a pipe.
 *
 * There are two outputs. The agent's answer goes to the answer output as it arrives. Everything
 * else goes to the side output: finished tool calls (one line each), notices, the plan, the stop
 * reason. A pipe on the answer output therefore gets only the answer. If both outputs are one
 * terminal (`together`), an unfinished line is ended before another one begins.
 *
 * On terminals, a spinner on the side output shows the elapsed time and the running tool while
 * nothing is printed. It is erased before anything else is written.
 *
 * Text of models and tools is made safe for terminals (display.h) and passed to pipes unchanged.
 * With `json`, every event is one line of the answer output, and the side output stays empty.
 *
 * The tool calls of a called agent are shown indented; its text arrives as the call's result.
 *
 * The renderer answers no questions: `can` always returns false. Clients that ask wrap it in their
 * own work_client and pass events on to render_event.
 */
#ifndef TERM_RENDER_H
#define TERM_RENDER_H

#include "base/limits.h"
#include "core/event.h"
#include "loop/loop.h"

enum render_side { RENDER_ANSWER, RENDER_ASIDE };

/* Where lines go. Bytes are borrowed for the call. */
struct render_sink {
    void (*put)(struct render_sink *s, enum render_side side, struct str bytes);
};

/* Borrowed as long as the render. */
struct render_opts {
    struct loop *loop;
    const struct limits *limits;
    struct render_sink *sink;
    const char *root;  /* paths below it are shown without it; NULL: whole */
    bool json;         /* one event per line */
    bool thoughts;     /* show them, dimmed */
    bool answer_shown; /* to a person: the answer's side is a terminal */
    bool together;     /* both sides are the same one */
    bool colour;       /* aside */
    bool spin;         /* aside may move its cursor */
    int columns;       /* of aside; 0: not known */
};

struct render {
    struct work_client client; /* first */
    struct render_opts opt;
    struct render_run *runs; /* calls under way, the oldest first */
    struct buf line;         /* being put together */
    char message[64];        /* of which text was printed last */
    bool open[2];            /* this side stands in the middle of a line */
    bool thinking;           /* thoughts were printed last */
    bool below;              /* it is of an agent that was called */
    bool working;            /* a turn is under way: the spinner may turn */
    size_t asking;           /* questions that are open: it must not */
    bool spinning;           /* it is on the screen */
    unsigned frame;
    int64_t since; /* loop_now() when nothing began to be printed */
    struct timer tick;
};

void render_init(struct render *r, const struct render_opts *opts);
void render_fini(struct render *r);

/* A turn begins: until its end event, the renderer shows that it is waiting. */
void render_wait(struct render *r);

/* Print an event of the agent, or of an agent that it has called. */
void render_event(struct render *r, const struct event *ev);
void render_below(struct render *r, const struct event *ev);

/* Other output follows on the terminal: erase the spinner and move to the start of a line. */
void render_hold(struct render *r);

/* Allow the spinner again. Each hold needs one call of this function. */
void render_release(struct render *r);

/* Print a line to the side output, such as a warning of the command. */
void render_note(struct render *r, struct str text);

/* The name of a tool and its main argument, as its line shows them: "file_edit src/a.c". */
void render_tool_label(struct buf *out, struct str name, struct str path, struct str args,
                       const char *root);

/* Colours are wanted: no NO_COLOR, and a TERM that is not dumb. */
bool render_colours(void);

#endif
