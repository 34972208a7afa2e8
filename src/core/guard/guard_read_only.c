/* guard_read_only.c - decides what a read-only agent may do; guard_read_only.h has the rule. */
#include "core/guard/guard_read_only.h"

#include "base/auto.h"
#include "core/guard/protected_path.h"
#include "core/tool/path_args.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the rule ------------------------------------------------------------------------------ */

const struct guard_scope *guard_read_only_by(const struct guard_scope *s)
{
    const struct guard_scope *by = NULL;

    for (; s; s = s->parent)
        if (s->mode == AGENT_READ_ONLY)
            by = s;
    return by;
}

bool guard_is_read_only(const struct guard_scope *s)
{
    return guard_read_only_by(s) != NULL;
}

/* The sandbox keeps the command from writing, and the user has said which ones are useful. */
static bool is_readonly_command(const struct guard_facts *f)
{
    const struct guard_sandbox *box = &f->sandbox;

    if (!box->runs || box->kind != SANDBOX_READ_ONLY || !box->enforced || box->elsewhere)
        return false;
    for (const struct guard_scope *s = f->scope; s; s = s->parent)
        if (guard_call_fits(f, &s->readonly_shell))
            return true;
    return false;
}

void guard_check_mode(const struct guard_facts *f, struct guard_check_finding *to)
{
    const struct tool *t = f->tool;

    if (!guard_is_read_only(f->scope)) {
        guard_pass(to, "the mode is read-write");
        return;
    }
    guard_pass(to, t->alias ? "read-only mode: the tool declares that it only reads"
                            : "read-only mode: it writes nothing outside .vault/");
    if (t->alias && !t->read_only)
        guard_say(to, GUARD_ASK,
                  "the mode is read-only, and %.64s does not declare that it only reads; " STR_FMT
                  " mode = \"read-write\" allows it",
                  t->name,
                  STR_ARG(str_head(guard_scope_section(guard_read_only_by(f->scope)), 40)));
    else if (is_readonly_command(f))
        guard_pass(to, "read-only mode: [guard] readonly_shell lists this command");
    else if (!t->alias && t->kind == TOOL_EXECUTE && !t->read_only)
        guard_say(to, GUARD_DENY, "%.64s runs commands, and the mode is read-only", t->name);
    else if (!t->alias && tool_kind_writes(t->kind) && !f->in_vault)
        guard_say(to, GUARD_DENY, "%.64s writes outside .vault/, and the mode is read-only",
                  t->name);
}

/* ---- the writable folder ------------------------------------------------------------------- */

static const struct str vault = STR(".vault/");

/* A link may still be added to the path later, so the tool checks again when it opens the path. */
static bool seems_without_links(const struct host *host, const char *path)
{
    const struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd = (int)syscall(SYS_openat2, host->root_fd, path, &how, sizeof(how));

    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == ENOENT;
}

bool vault_holds(struct str below)
{
    return below.n > vault.n && str_starts(below, vault) && str_find_byte(below, 0) < 0;
}

bool guard_in_vault(const struct host *host, struct json args)
{
    AUTO_ARENA mem = { 0 };
    struct pick_strs paths;

    if (!path_args(&mem, host, args, &paths))
        return false;
    for (size_t i = 0; i < paths.n; i++)
        if (!vault_holds(paths.v[i]) || !seems_without_links(host, arena_cstr(&mem, paths.v[i])))
            return false;
    return paths.n > 0;
}
