/*
 * format.h - one API of one provider: writes a request and parses the events of its stream.
 *
 * Pure: no sockets, no time. exchange.c does the HTTP, intake.c parses the event stream, reply.c
 * assembles the answer. A format is one file with one of these tables.
 */
#ifndef PROVIDER_FORMAT_H
#define PROVIDER_FORMAT_H

#include "core/provider_spec.h"
#include "provider/reply.h"

/* The input for writing a request. */
struct model_call {
    const struct provider_spec *spec; /* complete: base_url is set */
    const struct model_request *req;
    struct arena *mem;
};

struct format {
    const char *key_header;               /* header of the API key ... */
    const char *key_prefix;               /* ... which follows this prefix: "Bearer " */
    const char *version_header, *version; /* NULL: none */

    struct str (*url)(const struct model_call *a);
    void (*body)(const struct model_call *a, struct jw *w);

    /*
     * One event. `type` is the event's name, "message" when it has none; strings of `data` may be
     * decoded into scratch, which is valid for the call. An error that the API reports inside
     * its stream is not a failure here: intake.c checks for it first.
     */
    bool (*event)(struct reply *r, struct arena *scratch, struct str type, struct json data,
                  struct err *e);
};

extern const struct format anthropic_format, openai_chat_format, openai_responses_format,
    gemini_format;

/* ---- for code that writes requests ---------------------------------------------------------- */

/* base_url followed by a path; `version` ("/v1") is inserted unless the base ends with it. */
struct str ask_url(const struct model_call *a, const char *version, const char *path);

/* Has this provider sealed the block? It cannot use seals of other providers. */
bool ask_sealed(const struct model_call *a, const struct block *b);

/* The arguments of a call as a raw JSON object, whatever the model wrote. */
struct str ask_args(const struct model_call *a, const struct block *call);

/* The call that a result belongs to, or NULL; the name of its tool. */
const struct block *ask_result_call(const struct model_call *a, const struct block *result);
struct str ask_result_name(const struct model_call *a, const struct block *result);

/* Is it media of this kind: "image/", "audio/"? */
bool ask_is_media(const struct block *b, const char *type);

/* The text that replaces media which the API does not accept. */
struct str ask_left_out(const struct model_call *a, const struct block *media);

/* data:image/png;base64,... */
struct str ask_data_url(const struct model_call *a, const struct block *media);

/* One tool as members of an object; the API calls its schema `schema_key`. */
void ask_write_tool(struct jw *w, const struct model_tool *t, const char *schema_key);

/* A member `key`: an array of tools as objects, each written by `one`. Without tools: nothing. */
void ask_write_tools(const struct model_call *a, struct jw *w, const char *key,
                     void (*one)(struct jw *w, const struct model_tool *t, bool last));

/* "low", "medium", "high", "none"; NULL for the default. */
const char *ask_effort(const struct model_call *a);

/* ---- for code that reads streams ------------------------------------------------------------ */

/* A count at a path of members ("details.cached"), 0 when it is absent or no number. */
int64_t count_at(struct json v, const char *path);

/* Decoded string of a member, STR_NONE when absent. */
static inline struct str member(struct arena *mem, struct json v, const char *key)
{
    return json_str(mem, json_get(v, str_of(key)));
}

/* The same for a piece of text, which may have been split inside a character (reply.h). */
static inline struct str member_delta(struct arena *mem, struct json v, const char *key)
{
    return json_str_halves(mem, json_get(v, str_of(key)));
}

#endif
