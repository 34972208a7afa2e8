#include "store/audit_head.h"

#include "base/arena.h"
#include "base/auto.h"
#include "base/id.h"
#include "base/pick.h"
#include "loop/file.h"
#include "store/audit_seal.h"

enum { HEAD_MOST = 4096, HEAD_DEPTH = 4, HEAD_VALUES = 32 };

struct head_text {
    int64_t version, seals, records;
    struct str key, first, last;
};

static const struct pick head_fields[] = {
    PICK_RANGE("version", struct head_text, version, PICK_MUST, 1, 1),
    PICK_FIELD("key", PICK_STR, struct head_text, key, PICK_MUST),
    PICK_FIELD("first", PICK_STR, struct head_text, first, PICK_MUST),
    PICK_FIELD("last", PICK_STR, struct head_text, last, PICK_MUST),
    PICK_RANGE("seals", struct head_text, seals, PICK_MUST, 0, INT64_MAX),
    PICK_RANGE("records", struct head_text, records, PICK_MUST, 0, INT64_MAX),
};

static const char *head_path(struct arena *mem, const char *folder)
{
    return arena_printf(mem, "%s/audit.json", folder).p;
}

static bool take_hash(struct str text, char out[AUDIT_HASH + 1])
{
    if (text.n != AUDIT_HASH)
        return false;
    str_to_c(text, out, AUDIT_HASH + 1);
    return true;
}

bool audit_head_read(const char *folder, struct audit_head *out, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    const char *path = head_path(&mem, folder);
    const struct json_opts opts = { .file = path,
                                    .max_depth = HEAD_DEPTH,
                                    .max_values = HEAD_VALUES };
    struct head_text t = { 0 };
    struct audit_head h = { 0 };
    struct str text;
    struct json root;

    if (!file_read_secret(&mem, path, HEAD_MOST, &text, e) ||
        !json_read(&mem, text, &opts, &root, e) ||
        !pick(&mem, root, PICK_TABLE(head_fields), PICK_STRICT, &t, e))
        return false;
    if (!take_hash(t.key, h.key) || !take_hash(t.first, h.first) || !take_hash(t.last, h.last))
        return fail(e, ERR_INVALID, "%s: expected hashes of %d digits", path, AUDIT_HASH);
    h.seals = t.seals;
    h.records = t.records;
    *out = h;
    return true;
}

bool audit_head_write(const char *folder, const struct audit_head *head, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, HEAD_MOST);
    jw_object(&w);
    jw_kint(&w, "version", 1);
    jw_kstr(&w, "key", str_of(head->key));
    jw_kstr(&w, "first", str_of(head->first));
    jw_kstr(&w, "last", str_of(head->last));
    jw_kint(&w, "seals", head->seals);
    jw_kint(&w, "records", head->records);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    return file_write(head_path(&mem, folder), buf_str(&out), 0600, e);
}

void audit_head_new(struct audit_head *out, const char last[AUDIT_HASH + 1])
{
    unsigned char random[AUDIT_HASH / 2];

    *out = (struct audit_head){ 0 };
    id_random(random, sizeof(random));
    audit_hex(random, sizeof(random), out->key);
    memcpy(out->first, last, AUDIT_HASH + 1);
    memcpy(out->last, last, AUDIT_HASH + 1);
}
