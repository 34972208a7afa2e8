#include "state/root_id.h"

#include "base/auto.h"
#include "base/json.h"
#include "base/pick.h"
#include "base/utf8.h"
#include "loop/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define FILE_NAME "root.json"

enum { MACHINE_MOST = 256, FILE_MOST = 64 << 10, FILE_DEPTH = 4, FILE_VALUES = 32 };

/* ---- of a folder ------------------------------------------------------------------------ */

/* Empty where the machine has no id, as in small containers. */
static struct str machine_id(struct arena *mem)
{
    static const char *const paths[] = { "/etc/machine-id", "/var/lib/dbus/machine-id" };
    struct str text;
    struct err e;

    for (size_t i = 0; i < ARRAY_LEN(paths); i++)
        if (file_read(mem, paths[i], MACHINE_MOST, &text, &e))
            return str_cut(&text, '\n');
    return STR("");
}

static struct str born_text(struct arena *mem, const struct statx *st)
{
    if (!(st->stx_mask & STATX_BTIME))
        return STR("");
    return arena_printf(mem, "%lld.%09u", (long long)st->stx_btime.tv_sec, st->stx_btime.tv_nsec);
}

bool root_id_of(struct arena *mem, const char *path, struct root_id *out, struct err *e)
{
    struct statx st;

    if (utf8_valid(str_of(path)) != strlen(path))
        return fail(e, ERR_INVALID, "the path of the root folder is not UTF-8");
    if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_BTIME, &st) < 0)
        return fail_sys(e, "root folder %s", path);
    *out = (struct root_id){
        .path = str_of(path),
        .machine = machine_id(mem),
        .device = arena_printf(mem, "%u:%u", st.stx_dev_major, st.stx_dev_minor),
        .inode = arena_printf(mem, "%llu", (unsigned long long)st.stx_ino),
        .born = born_text(mem, &st),
    };
    return true;
}

/* ---- the fields ------------------------------------------------------------------------- */

static const struct pick fields[] = {
    PICK_FIELD("path", PICK_STR, struct root_id, path, PICK_MUST),
    PICK_FIELD("machine", PICK_STR, struct root_id, machine, PICK_MUST),
    PICK_FIELD("device", PICK_STR, struct root_id, device, PICK_MUST),
    PICK_FIELD("inode", PICK_STR, struct root_id, inode, PICK_MUST),
    PICK_FIELD("born", PICK_STR, struct root_id, born, PICK_MUST),
};

static struct str field_of(const struct root_id *id, const struct pick *field)
{
    return *(const struct str *)(const void *)((const char *)id + field->offset);
}

bool root_id_same(const struct root_id *a, const struct root_id *b, const char **differs)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (!str_eq(field_of(a, &fields[i]), field_of(b, &fields[i]))) {
            *differs = fields[i].name.p;
            return false;
        }
    return true;
}

/* ---- the file --------------------------------------------------------------------------- */

bool root_id_read(struct arena *mem, const char *state, struct root_id *out, struct err *e)
{
    struct json_opts opts = { .file = FILE_NAME,
                              .max_depth = FILE_DEPTH,
                              .max_values = FILE_VALUES };
    struct root_id id = { 0 };
    struct json file;
    struct str text;

    if (!file_read_beneath(mem, state, FILE_NAME, FILE_MOST, &text, NULL, e))
        return false;
    if (!json_read(mem, text, &opts, &file, e) ||
        !pick(mem, file, PICK_TABLE(fields), PICK_LENIENT, &id, e))
        return fail_in(e, "%s/" FILE_NAME, state);
    *out = id;
    return true;
}

bool root_id_write(const char *state, const struct root_id *id, struct err *e)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, FILE_MOST);
    jw_object(&w);
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        jw_kstr(&w, fields[i].name.p, field_of(id, &fields[i]));
    jw_object_end(&w);
    buf_putc(&out, '\n');
    if (out.full)
        return fail(e, ERR_LIMIT, "%s/" FILE_NAME " would be too long", state);
    return file_write_beneath(state, FILE_NAME, buf_str(&out), 0600, e);
}
