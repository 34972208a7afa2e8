/*
 * hidden_sockets.c - sockets in the file system.
 *
 * Neither a read-only mount nor a network namespace keeps a child from connecting to a socket that
 * it can name, and Landlock does so only from ABI 9 on. So every listening socket outside of the
 * covered folders is masked by an empty file.
 */
#include "sandbox/plan.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool plan_socket(struct sandbox_plan *p, const char *path, struct err *e)
{
    const char *real = path_real(&p->mem, path);
    const char *cover;
    struct stat st;
    bool shown = false;

    if (!real || lstat(real, &st) < 0 || !S_ISSOCK(st.st_mode) || path_list_above(&p->hidden, real))
        return true;
    cover = path_list_above(&p->covers, real);
    for (size_t i = 0; i < p->trees && cover; i++)
        shown |= path_within(real, p->tree[i].path) && path_within(p->tree[i].path, cover);
    if (cover && !shown)
        return true;
    return path_list_add(&p->mem, &p->hidden, real) ||
           fail(e, ERR_LIMIT, "too many sockets to hide (most: %d)", PATH_LIST_MOST);
}

/*
 * A socket that was bound by a relative name: relative to the working folder that its process had
 * then. That is most likely the one that some process has now.
 */
static bool plan_relative(struct sandbox_plan *p, const char *name, struct err *e)
{
    DIR *d = opendir("/proc");
    const struct dirent *entry;
    bool ok = true;

    while (d && ok && (entry = readdir(d))) {
        char link[32 + NAME_MAX], cwd[PATH_MAX];
        ssize_t n;

        snprintf(link, sizeof(link), "/proc/%s/cwd", entry->d_name);
        n = entry->d_name[0] > '0' && entry->d_name[0] <= '9' ? readlink(link, cwd, sizeof(cwd) - 1)
                                                              : -1;
        if (n <= 0)
            continue;
        cwd[n] = '\0';
        ok = plan_socket(p, path_join(&p->mem, cwd, name), e);
    }
    if (d)
        closedir(d);
    return ok;
}

/* The path is the eighth column. It is missing, or begins with '@', where there is no file. */
static const char *path_of_line(char *line)
{
    int at = 0;

    sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %n", &at);
    line[at + (int)strcspn(line + at, "\n")] = '\0';
    return at && line[at] && line[at] != '@' ? line + at : NULL;
}

bool plan_sockets(struct sandbox_plan *p, struct err *e)
{
    FILE *f = fopen("/proc/net/unix", "re");
    char line[512];
    bool ok = f && fgets(line, sizeof(line), f); /* the head of the table */

    if (!ok) { /* without /proc nothing can be found; the mounts need it as well */
        fail_sys(e, "list the sockets of /proc/net/unix");
        if (f)
            fclose(f);
        return false;
    }
    while (ok && fgets(line, sizeof(line), f)) {
        const char *path = path_of_line(line);

        if (path)
            ok = path[0] == '/' ? plan_socket(p, path, e) : plan_relative(p, path, e);
    }
    fclose(f);
    return ok;
}
