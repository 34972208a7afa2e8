/* skill.c - the tool that returns the instructions of a skill. */
#include "core/agent/skill.h"
#include "base/utf8.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

struct skill_args {
    struct str name;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("name", PICK_STR, struct skill_args, name, PICK_MUST),
};

enum { NAMES_MOST = 1 << 16, NAME_SHOWN = 64 };

/* Which there are, for a model that guessed. */
static struct str names_of(struct call *call, const struct skill_list *list)
{
    struct buf names;

    buf_init_in(&names, call->mem, NAMES_MOST);
    for (size_t i = 0; list && i < list->n; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", list->v[i].name);
    return names.n ? buf_str(&names) : STR("none");
}

static void start(struct call *call)
{
    const struct skill_list *list = call->host->skills;
    const struct skill *s;
    struct skill_args args = { 0 };
    struct str folder;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    s = skills_find(list, args.name);
    if (!s) {
        call_failed(call, "unknown skill " STR_FMT "; available skills: " STR_FMT,
                    STR_ARG(utf8_head(args.name, NAME_SHOWN)), STR_ARG(names_of(call, list)));
        return;
    }
    call_text(call, s->body);
    folder = str_of(s->origin);
    while (folder.n && folder.p[folder.n - 1] != '/')
        folder.n--;
    call_text(call, arena_printf(call->mem, "Files named by this skill are in " STR_FMT,
                                 STR_ARG(folder)));
    call_done(call);
}

const struct tool tool_skill = {
    .name = "skill",
    .title = "Load a skill",
    .description = "Load a skill: instructions of this project for one kind of work. Before you "
                   "begin such work, load the skill that fits, and follow it.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"name\":{\"type\":\"string\",\"description\":\"Name of the skill.\"}},"
                    "\"required\":[\"name\"]}",
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .always = true,
    .start = start,
};
