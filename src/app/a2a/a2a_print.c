#include "app/a2a/a2a_print.h"

#include "base/display.h"
#include "proto/a2a/client/a2a_report.h"

#include <stdio.h>

enum { CARD_MOST = 1 << 20 };

static struct a2a_job *job_of(struct a2a_oneshot *o)
{
    return o->ctx;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* One line for each result. The agent's JSON may contain line breaks between its values. */
static void print_raw(struct arena *mem, struct json v)
{
    struct str raw = json_raw(v);
    char *line = arena_cstr(mem, raw);

    for (size_t i = 0; i < raw.n; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = ' ';
    printf("%s\n", line);
    fflush(stdout);
}

/* ---- the card -------------------------------------------------------------------------------- */

static void put_row(struct buf *out, const char *name, struct str value)
{
    if (!value.n)
        return;
    buf_printf(out, "%-12s ", name);
    show_text(out, value);
    buf_putc(out, '\n');
}

static void put_skills(struct buf *out, struct arena *mem, struct json card)
{
    JSON_EACH(skill, json_get(card, STR("skills")))
    {
        buf_printf(out, "%-12s ", "skill");
        show_text(out, json_str(mem, json_get(skill, STR("id"))));
        buf_put(out, STR(": "));
        show_summary(out, json_str(mem, json_get(skill, STR("description"))));
        buf_putc(out, '\n');
    }
}

static void put_faces(struct buf *out, struct arena *mem, const struct a2a_peer *p)
{
    for (size_t i = 0; i < p->card.faces; i++) {
        const struct a2a_interface *f = &p->card.face[i];
        bool used = str_eq(f->url.text, p->face.url.text) && f->dialect == p->face.dialect &&
                    f->rest == p->face.rest;

        put_row(out, "interface",
                arena_printf(mem, STR_FMT " " STR_FMT " " STR_FMT "%s", STR_ARG(f->binding),
                             STR_ARG(f->version), STR_ARG(f->url.text), used ? "  (used)" : ""));
    }
}

void a2a_print_card(struct a2a_job *j)
{
    struct arena *mem = &j->app->project.mem;
    const struct a2a_peer *p = j->peer;
    AUTO_BUF out;

    buf_init(&out, CARD_MOST);
    if (j->app->opt.json) {
        print_raw(mem, p->card.root);
        return;
    }
    put_row(&out, "name", p->card.name);
    put_row(&out, "description", p->card.description);
    put_row(&out, "version", p->card.version);
    put_row(&out, "card", p->card.url.text);
    put_faces(&out, mem, p);
    put_row(&out, "streaming", p->card.streaming ? STR("yes") : STR("no"));
    put_skills(&out, mem, p->card.root);
    print_output(&out);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void print_text(struct a2a_job *j, struct str text)
{
    AUTO_BUF out;

    if (!text.n)
        return;
    buf_init(&out, 8 * text.n + 64);
    show_lines(&out, text);
    j->text_open = out.n && out.p[out.n - 1] != '\n';
    print_output(&out);
}

static void end_line(struct a2a_job *j)
{
    if (j->text_open)
        printf("\n");
    fflush(stdout);
    j->text_open = false;
}

static void print_name(struct a2a_job *j, const struct a2a_artifact *a, const struct block *b)
{
    AUTO_BUF out;

    end_line(j);
    buf_init(&out, 4096);
    buf_put(&out, STR("+ "));
    show_text(&out, str_head(b->name.n ? b->name : a->name.n ? a->name : a->id, 200));
    if (b->uri.n) {
        buf_putc(&out, ' ');
        show_text(&out, str_head(b->uri, 1000));
    } else if (b->type.n) {
        buf_put(&out, STR(" ("));
        show_text(&out, str_head(b->type, 100));
        buf_putc(&out, ')');
    }
    fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void print_parts(struct a2a_job *j, const struct a2a_artifact *a)
{
    for (size_t i = 0; i < a->parts.n; i++) {
        const struct block *b = &a->parts.v[i];

        if (b->kind == BLOCK_TEXT && !b->uri.n)
            print_text(j, b->text);
        else
            print_name(j, a, b);
    }
}

/* ---- updates --------------------------------------------------------------------------------- */

static void print_status(struct a2a_job *j, struct arena *mem, const struct a2a_status *s)
{
    struct str text = s->message ? a2a_text_of(mem, s->message->parts) : STR("");
    bool done = task_state_final(s->state) || s->state == TASK_INPUT_REQUIRED ||
                s->state == TASK_AUTH_REQUIRED;

    j->status = s->state;
    j->answered = true;
    if (!text.n)
        return;
    end_line(j);
    if (done)
        print_text(j, text);
    else
        print_notice(STR_FMT, STR_ARG(str_head(text, 400)));
    end_line(j);
}

static void note_task(struct a2a_job *j, struct str task)
{
    if (task.n && !str_eq(task, j->task))
        j->task = arena_str(&j->app->project.mem, task);
}

static void print_whole(struct a2a_job *j, struct arena *mem, const struct a2a_task *t)
{
    note_task(j, t->id);
    for (size_t i = 0; i < t->artifacts; i++) {
        print_parts(j, &t->artifact[i]);
        end_line(j);
    }
    print_status(j, mem, &t->status);
}

static void print_update(struct a2a_job *j, struct arena *mem, const struct a2a_update *u)
{
    const struct a2a_artifact said = { .id = STR("message"), .parts = u->message.parts };

    switch (u->kind) {
    case A2A_TASK: print_whole(j, mem, &u->task); break;
    case A2A_MESSAGE:
        print_parts(j, &said);
        end_line(j);
        break;
    case A2A_STATUS:
        note_task(j, u->task_id);
        print_status(j, mem, &u->status);
        break;
    case A2A_ARTIFACT:
        note_task(j, u->task_id);
        print_parts(j, &u->artifact);
        break;
    }
}

void a2a_print_update(struct a2a_oneshot *o, struct arena *mem, struct json result)
{
    struct a2a_job *j = job_of(o);
    struct a2a_update u;

    if (!a2a_read_update(mem, j->peer->face.dialect, j->peer->o.limits, result, &u, &o->broke))
        return;
    if (!j->app->opt.json) {
        print_update(j, mem, &u);
        return;
    }
    print_raw(mem, result);
    if (u.kind == A2A_TASK || u.kind == A2A_STATUS) {
        j->status = u.kind == A2A_TASK ? u.task.status.state : u.status.state;
        j->answered = true;
    }
}

void a2a_print_task(struct a2a_oneshot *o, struct arena *mem, struct json result)
{
    a2a_print_update(o, mem, result);
}

/* ---- lists ----------------------------------------------------------------------------------- */

void a2a_print_list(struct a2a_oneshot *o, struct arena *mem, struct json result)
{
    struct a2a_job *j = job_of(o);
    struct json tasks = json_get(result, STR("tasks"));
    AUTO_BUF out;

    buf_init(&out, (size_t)j->peer->o.limits->message_bytes * 2);
    if (j->app->opt.json) {
        print_raw(mem, result);
        return;
    }
    JSON_EACH(v, tasks)
    {
        struct a2a_task t;

        if (!a2a_read_task(mem, j->peer->face.dialect, j->peer->o.limits, v, &t, &o->broke))
            return;
        show_text(&out, t.id);
        buf_printf(&out, "  %-14s  ", task_state_names[t.status.state]);
        show_text(&out, t.status.time.p ? t.status.time : STR("-"));
        buf_putc(&out, '\n');
    }
    print_output(&out);
}

/* ---- the end --------------------------------------------------------------------------------- */

static int code_of_state(enum task_state state)
{
    switch (state) {
    case TASK_FAILED: return EXIT_FAILED;
    case TASK_REJECTED: return EXIT_REFUSED;
    case TASK_SUBMITTED:
    case TASK_WORKING:
    case TASK_INPUT_REQUIRED:
    case TASK_AUTH_REQUIRED:
    case TASK_COMPLETED:
    case TASK_CANCELED:
    case TASK_STATES: break;
    }
    return EXIT_OK;
}

int a2a_print_end(struct a2a_job *j)
{
    end_line(j);
    if (j->interrupted) {
        if (j->task.n)
            print_notice("the task " STR_FMT " may still run; see: " TREFOIL_NAME " a2a get",
                         STR_ARG(j->task));
        return EXIT_INTERRUPTED;
    }
    if (j->err.code)
        return print_error(&j->err);
    if (!j->answered)
        return EXIT_OK;
    if (j->status != TASK_COMPLETED && !j->app->opt.json)
        print_notice("task " STR_FMT " is %s", STR_ARG(j->task), task_state_names[j->status]);
    return code_of_state(j->status);
}
