/* fixture_resources.c - three resources and a template. */
#include "fixture.h"

static struct offer_source source;

/* {"id":ID,"templateTest":true,"data":"Data for ID: ID"}, as the text of a block. */
static void read_template(struct call *call)
{
    struct str id = fixture_arg(call, STR("id"));
    struct fixture_block b;
    struct buf data;
    struct jw w = jw_to(&data);

    buf_init_in(&data, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "id", id);
    jw_kbool(&w, "templateTest", true);
    jw_kstr(&w, "data", arena_printf(call->mem, "Data for ID: " STR_FMT, STR_ARG(id)));
    jw_object_end(&w);
    fixture_block_begin(&b, call);
    jw_object(&b.w);
    jw_kstr(&b.w, "uri", call->uri);
    jw_kstr(&b.w, "mimeType", STR("application/json"));
    jw_kstr(&b.w, "text", buf_str(&data));
    jw_object_end(&b.w);
    fixture_block_end(&b);
    call_done(call);
}

/* The suite reads the first one to look at its caching. */
static const struct resource resources[] = {
    { .uri = "test://static-text",
      .name = "Static text",
      .description = "A text that never changes",
      .mime_type = "text/plain",
      .ctx = FIXTURE_BLOCKS("{\"uri\":\"test://static-text\",\"mimeType\":\"text/plain\","
                            "\"text\":\"This is the content of the static text resource.\"}"),
      .read = fixture_fixed },
    { .uri = "test://static-binary",
      .name = "Static picture",
      .description = "A picture that never changes",
      .mime_type = "image/png",
      .ctx = FIXTURE_BLOCKS("{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\","
                            "\"blob\":\"" FIXTURE_PNG "\"}"),
      .read = fixture_fixed },
    { .uri = "test://watched-resource",
      .name = "Watched resource",
      .description = "A text to subscribe to",
      .mime_type = "text/plain",
      .ctx = FIXTURE_BLOCKS("{\"uri\":\"test://watched-resource\",\"mimeType\":\"text/plain\","
                            "\"text\":\"Watched resource content\"}"),
      .read = fixture_fixed },
    { .uri = "test://template/{id}/data",
      .is_template = true,
      .name = "Data by id",
      .description = "Data that is made for any id",
      .mime_type = "application/json",
      .read = read_template },
};

void fixture_resources_join(struct offer *o)
{
    static const struct resource *list[ARRAY_LEN(resources)];

    for (size_t i = 0; i < ARRAY_LEN(resources); i++)
        list[i] = &resources[i];
    source.resource = list;
    source.resources = ARRAY_LEN(resources);
    offer_join(o, &source);
}
