/*
 * mcp_list.c - send lists in pages.
 *
 * A cursor is the index of the first item of the next page, encoded so that clients do not
 * interpret it. If the list has become shorter since the last page, the list ends.
 */
#include "base/base64.h"
#include "base/digits.h"
#include "proto/mcp/server/mcp_method.h"

static const struct str mark = STR("at:");

struct list {
    struct str cursor;
};

static const struct pick list_fields[] = {
    PICK_FIELD("cursor", PICK_STR, struct list, cursor, 0),
};

static bool read_cursor(struct arena *mem, struct str cursor, size_t *at)
{
    struct str text;
    uint64_t n;

    if (!base64_decode(mem, BASE64_URL, cursor, &text) || !str_starts(text, mark) ||
        !str_uint(str_skip(text, mark.n), 1, UINT32_MAX, &n))
        return false;
    *at = n;
    return true;
}

bool mcp_page_read(struct rpc_in *in, struct mcp_list_page *page)
{
    struct list params = { 0 };

    *page = (struct mcp_list_page){ 0, (size_t)in->peer->rpc->limits->mcp_page_items };
    if (!rpc_params(in, PICK_TABLE(list_fields), &params))
        return false;
    if (!params.cursor.p || read_cursor(in->mem, params.cursor, &page->at))
        return true;
    rpc_error(in, RPC_INVALID_PARAMS, "params.cursor: not a cursor of this server");
    return false;
}

bool mcp_page_take(struct mcp_list_page *page)
{
    if (!page->left)
        return false;
    page->left--;
    return true;
}

void mcp_page_cursor(struct jw *w, struct arena *mem, size_t at)
{
    struct str text = arena_printf(mem, STR_FMT "%zu", STR_ARG(mark), at);

    jw_kstr(w, "nextCursor", base64_encode(mem, BASE64_URL, text));
}
