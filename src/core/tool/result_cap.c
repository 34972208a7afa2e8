/* result_cap.c - truncates the results of forwarded calls. */
#include "core/tool/result_cap.h"

#include "base/auto.h"
#include "base/utf8.h"
#include "core/tool/linked_results.h"

size_t result_cap(const struct call *call)
{
    int64_t own = call->result_chars;

    return (size_t)(own ? own : call->host->limits->tool_result_chars);
}

/* ---- counting ------------------------------------------------------------------------------ */

/* The object that has the text of a block: the block itself, or the resource in it. */
static struct json text_holder(struct json block)
{
    struct json resource = json_get(block, STR("resource"));

    return json_type(json_get(block, STR("text"))) == JSON_STRING ? block : resource;
}

static struct str text_of(struct arena *mem, struct json block)
{
    return json_str(mem, json_get(text_holder(block), STR("text")));
}

static size_t count_text(struct json content)
{
    AUTO_ARENA mem = { 0 };
    size_t n = 0;

    JSON_EACH(block, content)
    n += utf8_count(text_of(&mem, block));
    return n;
}

/* ---- cutting ------------------------------------------------------------------------------- */

/* The first `most` characters. */
static struct str head_of(struct str text, size_t most)
{
    size_t chars = 0, i = 0;

    for (; i < text.n; i++)
        if (((unsigned char)text.p[i] & 0xc0) != 0x80 && chars++ == most)
            break;
    return str_head(text, i);
}

static void write_key(struct jw *w, struct json key)
{
    struct str raw = json_raw(key);

    jw_plain_key(w, str_head(str_skip(raw, 1), raw.n - 2));
}

static void write_with_text(struct jw *w, struct json object, struct json holder, struct str text)
{
    jw_object(w);
    JSON_MEMBERS(key, object)
    {
        if (object.at == holder.at && json_is(key, STR("text")))
            continue;
        if (json_value(key).at != holder.at) {
            jw_member(w, key);
            continue;
        }
        write_key(w, key);
        write_with_text(w, holder, holder, text);
    }
    if (object.at == holder.at)
        jw_kstr(w, "text", text);
    jw_object_end(w);
}

static void put_cut_block(struct call *call, struct arena *mem, struct json block, size_t left,
                          size_t lost)
{
    struct str text = arena_printf(mem,
                                   STR_FMT "\n"
                                           "[truncated: %zu more characters]",
                                   STR_ARG(head_of(text_of(mem, block), left)), lost);
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, (size_t)call->host->limits->message_bytes);
    write_with_text(&w, block, text_holder(block), text);
    if (!out.full)
        call_block(call, buf_str(&out));
}

static void cut(struct call *call, struct json result, size_t all, size_t most)
{
    size_t left = most;
    bool done = false;
    AUTO_ARENA mem = { 0 };

    JSON_EACH(block, json_get(result, STR("content")))
    {
        size_t n = utf8_count(text_of(&mem, block));

        if (n <= left && (!n || !done)) {
            call_block(call, json_raw(block));
            left -= n;
        } else if (!done) {
            put_cut_block(call, &mem, block, left, all - most);
            done = true;
            left = 0;
        }
    }
    call->is_error = json_true(json_get(result, STR("isError")));
}

/* ---- links to results ---------------------------------------------------------------------- */

static void put_link(struct call *call, struct str uri, struct str raw)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, 4096);
    jw_object(&w);
    jw_kstr(&w, "type", STR("resource_link"));
    jw_kstr(&w, "uri", uri);
    jw_kstr(&w, "name", str_of(call->what));
    jw_kstr(&w, "description", STR("the full result"));
    jw_kstr(&w, "mimeType", STR("application/json"));
    jw_kint(&w, "size", (int64_t)raw.n);
    jw_object_end(&w);
    call_block(call, buf_str(&out));
}

static void refuse(struct call *call, struct str raw, size_t chars, size_t most, bool links)
{
    struct kept_results *kept = links ? call->host->kept : NULL;
    struct str uri =
        kept ? kept_results_add(kept, call->mem, call->caller->principal, raw) : STR_NONE;

    call_text(call, arena_printf(call->mem,
                                 "the result of %s has %zu characters, more than the allowed %zu%s",
                                 call->what, chars, most,
                                 uri.p ? "; read the full result by its link" : ""));
    if (uri.p)
        put_link(call, uri, raw);
    call->is_error = true;
}

void result_cap_forwarded(struct call *call, bool links)
{
    struct json_opts opts = limits_json(call->host->limits);
    struct str raw = call->raw_result;
    struct json all = call->result, structured;
    size_t most = result_cap(call), chars, in_structured;
    struct err e;

    if (raw.n <= most) /* bytes, so fewer characters */
        return;
    if (!json_here(all) && !json_read(call->mem, raw, &opts, &all, &e))
        return;
    structured = json_get(all, STR("structuredContent"));
    chars = count_text(json_get(all, STR("content")));
    in_structured = json_here(structured) ? utf8_count(json_raw(structured)) : 0;
    if (chars <= most && in_structured <= most)
        return;
    call->raw_result = STR_NONE;
    if (json_here(structured))
        refuse(call, raw, chars > in_structured ? chars : in_structured, most, links);
    else
        cut(call, all, chars, most);
}
