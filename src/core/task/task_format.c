/*
 * task_format.c - formats the answer of a task as its output_format requests.
 *
 *   text          the text of the agent (default)
 *   json          one object: {"type":"result","result":TEXT,"is_error","stop","session_id",
 *                 "model","usage"}
 *   stream-json   one line of JSON per event, then that object as the last line
 *
 * If the task was taken over from another process, stream-json has only the tool and artifact
 * events of that process. The result of a tool call (r->call) is not formatted.
 */
#include "core/session/history_record.h"
#include "core/task/task_engine.h"
#include "core/task/task_result.h"

static struct str format_of(const struct task_run *r)
{
    return r->agent && !r->call ? r->agent->def->output_format : STR_NONE;
}

void task_format_event(struct task_run *r, const struct event *ev)
{
    struct jw w = jw_to(&r->lines);

    if (!str_eq(format_of(r), STR("stream-json")))
        return;
    if (!r->lines.max)
        buf_init_in(&r->lines, &r->mem, (size_t)r->engine->limits->store_value_bytes);
    event_write(&w, ev);
    buf_putc(&r->lines, '\n');
}

static void write_object(struct jw *w, const struct task_run *r, struct str answer)
{
    jw_object(w);
    jw_kplain(w, "type", STR("result"));
    jw_kstr(w, "result", answer);
    jw_kbool(w, "is_error", r->stop != TURN_END);
    jw_kstr(w, "stop", str_of(turn_stop_names[r->stop]));
    jw_kstr(w, "session_id", str_of(r->session_id));
    jw_kstr(w, "model", r->agent->model);
    jw_plain_key(w, STR("usage"));
    usage_write(w, &r->usage);
    jw_object_end(w);
}

struct str task_format_answer(struct task_run *r, struct str answer)
{
    struct str format = format_of(r);
    bool lines = str_eq(format, STR("stream-json"));
    struct buf out;
    struct jw w = jw_to(&out);

    if (!lines && !str_eq(format, STR("json")))
        return answer;
    buf_init_in(&out, &r->mem, 2 * (size_t)r->engine->limits->store_value_bytes);
    if (lines && r->lines.n)
        buf_put(&out, buf_str(&r->lines));
    write_object(&w, r, answer);
    return buf_str(&out);
}
