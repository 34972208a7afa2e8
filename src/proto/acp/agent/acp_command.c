#include "proto/acp/agent/acp_command.h"

#include "base/auto.h"
#include "core/agent/skill.h"
#include "core/session/undo.h"
#include "proto/acp/agent/acp_update.h"

enum { TEXT_MOST = 1 << 20 };

/* A running command. In the memory of the request. */
struct acp_command_run {
    struct undo undo;
};

struct acp_command {
    const char *name, *description, *hint; /* hint: what the argument is; NULL: none */
    void (*start)(struct acp_prompt *p, struct str rest);
};

/* ---- turns ----------------------------------------------------------------------------------- */

static void on_turned(struct op *op, const struct err *e, void *ctx)
{
    struct acp_prompt *p = ctx;

    (void)op;
    acp_update_end_turn(p->session);
    if (!e && p->turn.stop != TURN_CANCELED && p->turn.why.code)
        acp_update_text(p->session, str_of(p->turn.why.text));
    acp_prompt_end(p, !e && p->turn.stop == TURN_CANCELED ? TURN_CANCELED : TURN_END, e);
}

static void start_compact(struct acp_prompt *p, struct str rest)
{
    struct acp_session *s = p->session;

    (void)rest;
    turn_compact(&p->turn, &s->session, s->listener, &p->op, on_turned, p);
}

static void start_continue(struct acp_prompt *p, struct str rest)
{
    struct acp_session *s = p->session;

    (void)rest;
    if (s->session.interrupted) {
        turn_resume(&p->turn, &s->session, s->listener, &p->op, on_turned, p);
        return;
    }
    acp_update_text(s, STR("No turn was interrupted."));
    acp_prompt_end(p, TURN_END, NULL);
}

/* ---- undo ------------------------------------------------------------------------------------ */

static void on_undone(struct op *op, const struct err *e, void *ctx)
{
    struct acp_prompt *p = ctx;
    struct undo *u = &p->command->undo;
    AUTO_BUF out;

    (void)op;
    buf_init(&out, TEXT_MOST);
    if (u->files.n)
        buf_printf(&out, "Undid the file changes of the last turn%s:\n" STR_FMT,
                   e ? ", where possible" : "", STR_ARG(buf_str(&u->files)));
    if (e && e->code != ERR_CANCELED)
        buf_put(&out, str_of(e->text));
    if (out.n)
        acp_update_text(p->session, buf_str(&out));
    undo_fini(u);
    acp_prompt_end(p, e && e->code == ERR_CANCELED ? TURN_CANCELED : TURN_END, NULL);
}

static void start_undo(struct acp_prompt *p, struct str rest)
{
    (void)rest;
    p->command = ARENA_NEW(p->in->mem, struct acp_command_run);
    undo_start(&p->command->undo, &p->session->session, &p->op, on_undone, p);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void start_tools(struct acp_prompt *p, struct str rest)
{
    const struct session *s = &p->session->session;
    const struct tool *t;
    size_t i = 0;
    AUTO_BUF out;

    (void)rest;
    buf_init(&out, TEXT_MOST);
    while ((t = session_tool_at(s, &i))) {
        struct str all = str_of(t->description);

        buf_printf(&out, "- `%s`: " STR_FMT "\n", t->name, STR_ARG(str_cut(&all, '\n')));
    }
    acp_update_text(p->session, out.n ? buf_str(&out) : STR("The agent has no tools."));
    acp_prompt_end(p, TURN_END, NULL);
}

static void start_cost(struct acp_prompt *p, struct str rest)
{
    double cost = p->session->session.cost;
    char text[80] = "The cost is unknown: no prices are configured for this model.";

    (void)rest;
    if (cost >= 0)
        snprintf(text, sizeof(text), "This session has cost $%.4f so far.", cost);
    acp_update_text(p->session, str_of(text));
    acp_prompt_end(p, TURN_END, NULL);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct acp_command commands[] = {
    { "compact", "Summarize the conversation so far, to free space in the context", NULL,
      start_compact },
    { "undo", "Undo the file changes of the last turn", NULL, start_undo },
    { "continue", "Resume a turn that was interrupted", NULL, start_continue },
    { "tools", "List the tools of the agent", NULL, start_tools },
    { "cost", "Show what the session has cost", NULL, start_cost },
};

static const struct skill_list *skills_of(const struct acp_session *s)
{
    return s->session.host.skills;
}

static void write_command(struct jw *w, struct str name, struct str description, const char *hint)
{
    jw_object(w);
    jw_kstr(w, "name", name);
    jw_kstr(w, "description", description);
    if (hint) {
        jw_plain_key(w, STR("input"));
        jw_object(w);
        jw_kstr(w, "hint", str_of(hint));
        jw_object_end(w);
    }
    jw_object_end(w);
}

void acp_commands_write(struct jw *w, const struct acp_session *s)
{
    const struct skill_list *skills = skills_of(s);

    jw_array(w);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        write_command(w, str_of(commands[i].name), str_of(commands[i].description),
                      commands[i].hint);
    for (size_t i = 0; skills && i < skills->n; i++)
        write_command(w, str_of(skills->v[i].name), skills->v[i].description,
                      "what to do with this skill");
    jw_array_end(w);
}

/* The agent loads the skill with its tool; what follows the name is the user's request. */
static void use_skill(struct acp_prompt *p, const struct skill *skill, struct str rest)
{
    struct arena *mem = p->in->mem;
    struct block *v = ARENA_ARRAY(mem, struct block, p->blocks.n);

    memcpy(v, p->blocks.v, p->blocks.n * sizeof(*v));
    v[0].text = arena_printf(mem, "Use the skill %s%s" STR_FMT, skill->name, rest.n ? ": " : ".",
                             STR_ARG(rest));
    p->blocks.v = v;
}

bool acp_command_start(struct acp_prompt *p)
{
    struct str rest = p->blocks.v[0].text, name;
    const struct skill *skill;

    if (p->blocks.v[0].kind != BLOCK_TEXT || p->blocks.v[0].uri.p || !str_starts(rest, STR("/")))
        return false;
    rest = str_skip(rest, 1);
    name = str_trim(str_cut(&rest, ' '));
    rest = str_trim(rest);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (str_eq(name, str_of(commands[i].name))) {
            commands[i].start(p, rest);
            return true;
        }
    }
    skill = skills_find(skills_of(p->session), name);
    if (skill)
        use_skill(p, skill, rest);
    return false;
}
