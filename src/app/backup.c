/* backup.c - `trefoil backup FILE`: copies the database, even while other processes write to it. */
#include "app/app.h"
#include "store/store.h"

static int backup_run(struct app *app, const void *args, int words, char **word)
{
    const char *path;
    struct err e;

    (void)args;
    (void)words;
    if (!project_find_database(&app->project, &path, &e)) {
        fail_in(&e, "nothing to back up");
        return print_error(&e);
    }
    if (!store_file_backup(path, word[0], NULL, &e))
        return print_error(&e);
    return app_done(app, "saved", path, word[0]);
}

const struct verb verb_backup = {
    .name = "backup",
    .words = "FILE",
    .summary = "Copy the database of this root into a new file",
    .least = 1,
    .most = 1,
    .run = backup_run,
};
