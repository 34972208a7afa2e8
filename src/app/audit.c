/*
 * audit.c - `trefoil audit show|verify|export`: the record of every tool call that the guard has
 * judged (store/audit_log.h).
 *
 * Reads the files, even while other processes write to them. Creates and repairs nothing.
 */
#include "app/app.h"
#include "base/auto.h"
#include "base/display.h"
#include "base/nearest.h"
#include "core/guard/guard_check.h"
#include "loop/file.h"
#include "store/audit_check.h"

#include <stdio.h>

enum { SHOWN_PRESET = 50, OUTPUT_MOST = 1 << 30 };

struct audit_args {
    const char *last, *tool, *decision, *work, *who;
};

/* The filters for records, and the records that were found. */
struct audit_reading {
    struct app *app;
    const struct audit_args *args;
    uint64_t last; /* 0: all */
    struct arena mem;
    struct audit_record *found;
    size_t n, room;
    struct app_list problems;
    size_t bad;
    struct audit_visitor visitor;
    struct audit_report report;
};

/* ---- the options ------------------------------------------------------------------------------ */

static int check_decision(const char *word)
{
    struct nearest n = nearest_to(str_of(word));

    for (size_t i = 0; i < ARRAY_LEN(guard_says_names); i++) {
        if (str_eq(str_of(word), str_of(guard_says_names[i])))
            return EXIT_OK;
        nearest_try(&n, str_of(guard_says_names[i]));
    }
    return print_usage_error("--decision %.40s: expected allow, ask or deny%s", word,
                             nearest_hint(&n));
}

static int read_options(struct audit_reading *r)
{
    const struct audit_args *a = r->args;

    if (a->last && !str_uint(str_of(a->last), 0, UINT32_MAX, &r->last))
        return print_usage_error("--last %.40s: expected a number; 0 means all records", a->last);
    return a->decision ? check_decision(a->decision) : EXIT_OK;
}

/* ---- records ---------------------------------------------------------------------------------- */

static bool read_record(struct arena *mem, const struct audit_record *record, struct json *out)
{
    const struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct err e;

    return json_read(mem, record->text, &opts, out, &e) && json_type(*out) == JSON_OBJECT;
}

static struct str field(struct arena *mem, struct json v, const char *key)
{
    return json_str(mem, json_get(v, str_of(key)));
}

/*
 * Does the text identify the id? Lists shorten ids to their beginning or their end, so both are
 * accepted.
 */
static bool is_id(struct str id, const char *wanted)
{
    return id.n && (str_starts(id, str_of(wanted)) || str_ends(id, str_of(wanted)));
}

static bool fits(const struct audit_args *a, struct arena *mem, struct json v)
{
    return (!a->tool || str_eq(field(mem, v, "tool"), str_of(a->tool))) &&
           (!a->decision || str_eq(field(mem, v, "verdict"), str_of(a->decision))) &&
           (!a->who || str_eq(field(mem, v, "who"), str_of(a->who))) &&
           (!a->work || is_id(field(mem, v, "work"), a->work));
}

/*
 * Does the record match the filters? An incomplete line, which a crash can leave, matches no
 * filter.
 */
static bool is_wanted(const struct audit_args *a, const struct audit_record *record)
{
    AUTO_ARENA mem = { 0 };
    struct json v;

    if (!a->tool && !a->decision && !a->who && !a->work)
        return true;
    return read_record(&mem, record, &v) && fits(a, &mem, v);
}

static void on_record(const struct audit_visitor *v, const struct audit_record *record)
{
    struct audit_reading *r = v->ctx;

    if (!is_wanted(r->args, record))
        return;
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 256;

        r->found =
            arena_grow(&r->mem, r->found, r->room * sizeof(*r->found), room * sizeof(*r->found));
        r->room = room;
    }
    r->found[r->n++] = *record;
}

/* ---- problems --------------------------------------------------------------------------------- */

static void write_problem(struct jw *w, const struct audit_problem *p)
{
    jw_object(w);
    jw_kstr(w, "file", str_of(p->file));
    jw_kint(w, "line", p->line);
    if (p->last >= p->first) {
        jw_kint(w, "first_record", p->first);
        jw_kint(w, "last_record", p->last);
    }
    jw_kstr(w, "problem", str_of(p->why));
    jw_object_end(w);
}

static void put_problem(struct buf *out, const struct audit_problem *p)
{
    buf_printf(out, "%s", p->file);
    if (p->line)
        buf_printf(out, ":%lld", (long long)p->line);
    if (p->last > p->first)
        buf_printf(out, "  records %lld to %lld", (long long)p->first, (long long)p->last);
    else if (p->last == p->first)
        buf_printf(out, "  record %lld", (long long)p->first);
    buf_printf(out, "  %s\n", p->why);
}

static void on_problem(const struct audit_visitor *v, const struct audit_problem *problem)
{
    struct audit_reading *r = v->ctx;

    r->bad++;
    if (r->problems.json)
        write_problem(&r->problems.w, problem);
    else
        put_problem(&r->problems.out, problem);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Read the log. If it cannot be read, prints the reason to stderr and returns false. */
static bool read_log(struct audit_reading *r)
{
    struct state_dir *state = &r->app->project.state;
    struct err e;

    r->visitor.ctx = r;
    r->report.sound = true;
    if (!state_dir_find(state, &e)) {
        if (e.code == ERR_NOT_FOUND)
            return true;
        print_error(&e);
        return false;
    }
    if (audit_check(state->path, &r->app->project.config.limits, &r->mem, &r->visitor, &r->report,
                    &e))
        return true;
    print_error(&e);
    return false;
}

/*
 * Read the records that match the filters, and keep only the last ones if --last limits their
 * number.
 */
static int read_records(struct audit_reading *r)
{
    int code = read_options(r);

    r->visitor.record = on_record;
    if (code == EXIT_OK && !read_log(r))
        code = EXIT_FAILED;
    if (code == EXIT_OK && r->last && r->n > r->last) {
        r->found += r->n - r->last;
        r->n = r->last;
    }
    return code;
}

static void note_changes(const struct audit_reading *r)
{
    if (!r->report.sound)
        print_notice("the audit log was modified: %s; see: " TREFOIL_NAME " audit verify",
                     r->report.where);
}

/* ---- show ------------------------------------------------------------------------------------- */

static void put_field(struct buf *out, struct arena *mem, struct json v, const char *key,
                      const char *after)
{
    struct str text = field(mem, v, key);

    show_text(out, text.n ? text : STR("-"));
    buf_put(out, str_of(after));
}

static void put_record(struct buf *out, const struct audit_record *record)
{
    AUTO_ARENA mem = { 0 };
    struct json v;
    int64_t ms = 0;

    buf_printf(out, "%6lld  ", (long long)record->number);
    if (!read_record(&mem, record, &v)) {
        show_text(out, str_head(record->text, 100));
        buf_putc(out, '\n');
        return;
    }
    json_int(json_get(v, STR("ms")), &ms);
    put_field(out, &mem, v, "time", "  ");
    put_field(out, &mem, v, "verdict", "  ");
    put_field(out, &mem, v, "tool", "  ");
    put_field(out, &mem, v, "who", " ");
    put_field(out, &mem, v, "principal", "  ");
    put_field(out, &mem, v, "outcome", "");
    buf_printf(out, " %lld ms", (long long)ms);
    if (json_here(json_get(v, STR("by")))) {
        buf_put(out, STR("  by "));
        put_field(out, &mem, v, "by", "");
    }
    buf_putc(out, '\n');
}

static void write_record(struct jw *w, const struct audit_record *record)
{
    AUTO_ARENA mem = { 0 };
    struct json v;

    jw_object(w);
    jw_kint(w, "number", record->number);
    jw_kstr(w, "file", str_of(record->file));
    jw_kint(w, "line", record->line);
    if (read_record(&mem, record, &v))
        jw_kraw(w, "record", record->text);
    else
        jw_kstr(w, "text", record->text);
    jw_object_end(w);
}

static int audit_show(struct audit_reading *r, int words, char **word)
{
    struct app_list list;
    int code;

    (void)words;
    (void)word;
    r->last = SHOWN_PRESET;
    code = read_records(r);
    if (code != EXIT_OK)
        return code;
    app_list_begin(&list, r->app);
    for (size_t i = 0; i < r->n; i++)
        if (list.json)
            write_record(&list.w, &r->found[i]);
        else
            put_record(&list.out, &r->found[i]);
    app_list_end(&list, true);
    note_changes(r);
    return EXIT_OK;
}

/* ---- export ----------------------------------------------------------------------------------- */

static int audit_export(struct audit_reading *r, int words, char **word)
{
    int code = read_records(r);
    AUTO_BUF out;
    struct err e;

    buf_init(&out, OUTPUT_MOST);
    if (code != EXIT_OK)
        return code;
    for (size_t i = 0; i < r->n; i++) {
        buf_put(&out, r->found[i].text);
        buf_putc(&out, '\n');
    }
    note_changes(r);
    if (out.full)
        return print_usage_error("audit export: more than %d bytes; select fewer with --last",
                                 OUTPUT_MOST);
    if (!words || str_eq(str_of(word[0]), STR("-")))
        print_output(&out);
    else if (!file_write(word[0], buf_str(&out), 0600, &e))
        return print_error(&e);
    return EXIT_OK;
}

/* ---- verify ----------------------------------------------------------------------------------- */

static void print_verdict_json(struct audit_reading *r)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUTPUT_MOST);
    jw_array_end(&r->problems.w);
    jw_object(&w);
    jw_kbool(&w, "sound", r->report.sound);
    jw_kint(&w, "files", r->report.files);
    jw_kint(&w, "records", r->report.records);
    jw_kint(&w, "unsealed", r->report.unsealed);
    jw_kraw(&w, "problems", buf_str(&r->problems.out));
    jw_object_end(&w);
    buf_putc(&out, '\n');
    print_output(&out);
}

static void print_verdict(struct audit_reading *r)
{
    struct buf *out = &r->problems.out;

    if (!r->report.files && r->report.sound)
        buf_put(out, STR("no calls are recorded yet\n"));
    else
        buf_printf(out, "%lld records in %lld files; ", (long long)r->report.records,
                   (long long)r->report.files);
    if (r->bad)
        buf_printf(out, "%zu problems: the audit log was modified\n", r->bad);
    else if (r->report.files)
        buf_printf(out, "all seals valid%s\n",
                   r->report.unsealed ? "; some lines have no seal, which is normal after a crash"
                                      : "");
    print_output(out);
}

static int audit_verify(struct audit_reading *r, int words, char **word)
{
    (void)words;
    (void)word;
    app_list_begin(&r->problems, r->app);
    r->visitor.problem = on_problem;
    if (!read_log(r)) {
        buf_fini(&r->problems.out);
        return EXIT_FAILED;
    }
    if (r->problems.json)
        print_verdict_json(r);
    else
        print_verdict(r);
    buf_fini(&r->problems.out);
    return r->report.sound ? EXIT_OK : EXIT_FAILED;
}

/* ---- the verb --------------------------------------------------------------------------------- */

#define FILTERS "last tool decision who work"

static const struct subcommand subcommands[] = {
    { "show", "", "Show the latest recorded tool calls", 0, 0, FILTERS },
    { "verify", "", "Check that no record was changed, inserted or deleted", 0, 0, NULL },
    { "export", "[FILE]", "Write the records to a file or stdout, one JSON object per line", 0, 1,
      FILTERS },
};

static int (*const runs[])(struct audit_reading *r, int words,
                           char **word) = { audit_show, audit_verify, audit_export };

static int audit_run(struct app *app, const void *args, int words, char **word)
{
    struct audit_reading r = { .app = app, .args = args };
    size_t i = 0;
    int code;

    while (words && !str_eq(str_of(word[0]), str_of(subcommands[i].name)))
        i++;
    code = runs[i](&r, words ? words - 1 : 0, word + (words > 0));
    arena_fini(&r.mem);
    return code;
}

static const struct option options[] = {
    { "last", OPTION_TEXT, offsetof(struct audit_args, last), "N",
      "Select the last N records, or all if N is 0 (default: 50 for show, 0 for export)" },
    { "tool", OPTION_TEXT, offsetof(struct audit_args, tool), "NAME", "Select calls of this tool" },
    { "decision", OPTION_TEXT, offsetof(struct audit_args, decision), "WORD",
      "Select calls with this decision of the guard: allow, ask or deny" },
    { "who", OPTION_TEXT, offsetof(struct audit_args, who), "NAME",
      "Select calls by this agent or client (cli, mcp, ...)" },
    { "work", OPTION_TEXT, offsetof(struct audit_args, work), "ID",
      "Select calls of this session or task" },
};

const struct verb verb_audit = {
    .name = "audit",
    .words = "[show | verify | export]",
    .summary = "Show, verify and export the record of tool calls",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct audit_args),
    .run = audit_run,
};
