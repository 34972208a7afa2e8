/*
 * fuzz_script.c - any bytes as the rules of a script agent.
 *
 * A script that is accepted stays within its limits: rules and events are counted, every event has
 * a type and what its type needs, and what is stored of it as raw JSON is JSON. Looking for a rule
 * gives one of the script's.
 */
#include "base/auto.h"
#include "provider/script.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void must_be_json(struct arena *mem, struct str raw, enum json_type type)
{
    const struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = UINT32_MAX };
    struct json v;
    struct err e;

    must(json_read(mem, raw, &opts, &v, &e) && json_type(v) == type);
}

static void check_event(struct arena *mem, const struct script_event *ev)
{
    must(ev->type < SCRIPT_TYPES && ev->stop < TURN_STOPS && ev->pieces >= 1 &&
         ev->pieces <= 1000 && ev->delay_ms >= 0 && ev->delay_ms <= SCRIPT_DELAY_MOST);
    if (ev->type == SCRIPT_TEXT || ev->type == SCRIPT_THOUGHT)
        must(ev->event.text.p != NULL);
    if (ev->type == SCRIPT_PLAN)
        must_be_json(mem, ev->event.plan, JSON_ARRAY);
    if (ev->type == SCRIPT_PERMISSION || ev->type == SCRIPT_FORM)
        must_be_json(mem, ev->params, JSON_OBJECT);
    if (ev->type == SCRIPT_TOOL) {
        must(ev->event.tool.status < CALLED_STATES && ev->event.tool.kind <= TOOL_KINDS);
        if (ev->event.tool.args.p)
            must_be_json(mem, ev->event.tool.args, JSON_OBJECT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct str text = { (const char *)data, size };
    const struct script_rule *found;
    struct script s = { 0 };
    struct err e = { 0 };
    size_t events = 0;

    if (!script_read(&mem, text, "f", &s, &e)) {
        must((e.code == ERR_INVALID || e.code == ERR_LIMIT) && !strncmp(e.text, "f:", 2));
        return 0;
    }
    must(s.rules <= SCRIPT_RULES_MOST);
    for (size_t i = 0; i < s.rules; i++) {
        events += s.rule[i].events;
        for (size_t k = 0; k < s.rule[i].events; k++)
            check_event(&mem, &s.rule[i].event[k]);
    }
    must(events <= SCRIPT_EVENTS_MOST);
    found = script_find(&s, STR("m-1"), STR("hello"));
    must(!found || (found >= s.rule && found < s.rule + s.rules));
    return 0;
}
