/*
 * format.h - the API of a provider: write a request, and parse the events of the response stream.
 *
 * Pure: no sockets, no time. exchange.c sends the HTTP request, intake.c parses the event stream,
 * reply.c collects the answer. Each format is a file with one struct format.
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
    const char *key_header;               /* name of the header with the API key */
    const char *key_prefix;               /* text before the key in that header: "Bearer " */
    const char *version_header, *version; /* NULL: none */

    struct str (*url)(const struct model_call *a);
    void (*body)(const struct model_call *a, struct jw *w);

    /*
     * Handle one event. `type` is its name, "message" if it has none. Strings of `data` may be
     * decoded into scratch, which is valid during this callback. Errors that the API reports as
     * events do not arrive here: intake.c handles them.
     */
    bool (*event)(struct reply *r, struct arena *scratch, struct str type, struct json data,
                  struct err *e);
};

extern const struct format anthropic_format, openai_chat_format, openai_responses_format,
    gemini_format;

/* ---- for code that writes requests ---------------------------------------------------------- */

/* base_url + version + path; `version` ("/v1") is omitted if base_url ends with it. */
struct str ask_url(const struct model_call *a, const char *version, const char *path);

/*
 * Did this provider seal the block (reply_seal)? A provider cannot use the seals of other
 * providers.
 */
bool ask_sealed(const struct model_call *a, const struct block *b);

/* The arguments of a call as a raw JSON object, even if the model wrote invalid JSON. */
struct str ask_args(const struct model_call *a, const struct block *call);

/* ask_result_call returns the call that a result belongs to, or NULL; ask_result_name returns the
 * name of the tool of that call. */
const struct block *ask_result_call(const struct model_call *a, const struct block *result);
struct str ask_result_name(const struct model_call *a, const struct block *result);

/* Is the block media whose type begins with "image/", "audio/", ...? */
bool ask_is_media(const struct block *b, const char *type);

/* The text that replaces media which the API does not accept. */
struct str ask_left_out(const struct model_call *a, const struct block *media);

/* The media as a data URL: data:image/png;base64,... */
struct str ask_data_url(const struct model_call *a, const struct block *media);

/* Write the members of one tool; `schema_key` is the name that the API uses for its schema. */
void ask_write_tool(struct jw *w, const struct model_tool *t, const char *schema_key);

/*
 * Write the member `key`, an array of tools, each written by `one`. Without tools, write nothing.
 */
void ask_write_tools(const struct model_call *a, struct jw *w, const char *key,
                     void (*one)(struct jw *w, const struct model_tool *t, bool last));

/* The reasoning effort: "low", "medium", "high", "none"; NULL: the default of the provider. */
const char *ask_effort(const struct model_call *a);

/* ---- for code that reads streams ------------------------------------------------------------ */

/* The number at a path of members ("details.cached"); 0 if it is absent or no number. */
int64_t count_at(struct json v, const char *path);

/* The decoded string of a member; STR_NONE if it is absent. */
static inline struct str member(struct arena *mem, struct json v, const char *key)
{
    return json_str(mem, json_get(v, str_of(key)));
}

/* The same for a piece of text, which may be split inside a character (reply.h). */
static inline struct str member_delta(struct arena *mem, struct json v, const char *key)
{
    return json_str_halves(mem, json_get(v, str_of(key)));
}

#endif
