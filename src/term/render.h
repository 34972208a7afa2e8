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
 * If the agent calls another agent, the tool calls of the called agent are shown indented. Its text
 * is not shown, because the text is the result of the call.
 *
 * The renderer answers no questions: `can` of its work_client always returns false. A command that
 * can ask the user has its own work_client, and passes events to render_event.
 */
#ifndef TERM_RENDER_H
#define TERM_RENDER_H

#include "base/limits.h"
#include "core/event.h"
#include "loop/loop.h"

enum render_side { RENDER_ANSWER, RENDER_ASIDE };

/* The receiver of the output. */
struct render_sink {
    void (*put)(struct render_sink *s, enum render_side side, struct str bytes);
};

/* Everything that the pointers refer to must stay valid as long as the renderer. */
struct render_opts {
    struct loop *loop;
    const struct limits *limits;
    struct render_sink *sink;
    const char *root;  /* prefix that is removed from paths; NULL: none */
    bool json;         /* print each event as a line of JSON */
    bool thoughts;     /* show thoughts, dimmed */
    bool answer_shown; /* the answer output is a terminal */
    bool together;     /* both outputs are the same terminal */
    bool colour;       /* use colours on the side output */
    bool spin;         /* show the spinner on the side output */
    int columns;       /* width of the side output; 0: unknown */
};

struct render {
    struct work_client client; /* first */
    struct render_opts opt;
    struct render_run *runs; /* running tool calls, the oldest first */
    struct buf line;         /* the line that is being written */
    char message[64];        /* the id of the message whose text was printed last */
    bool open[2];            /* this output is in the middle of a line; by enum render_side */
    bool thinking;           /* the last output was a thought */
    bool below;              /* the current event is of an agent that the agent has called */
    bool working;            /* a turn is running, so the spinner may be shown */
    size_t asking;           /* number of render_hold without render_release: no spinner */
    bool spinning;           /* the spinner is on the screen */
    unsigned frame;
    int64_t since; /* loop_now() at the last output */
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

/* Does the environment allow colours? NO_COLOR must not be set, and TERM must not be "dumb". */
bool render_colours(void);

#endif
