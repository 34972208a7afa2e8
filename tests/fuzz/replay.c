/*
 * replay.c - run a fuzz target over every file of a folder, as TAP. For builds without
 * libFuzzer, so that what fuzzing once found is tried again in every check.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int only_files(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static int replay(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *data;
    long size;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0)
        return -1;
    rewind(f);
    data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
        return -1;
    fclose(f);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    struct dirent **entry;
    int n = argc == 2 ? scandir(argv[1], &entry, only_files, alphasort) : -1, bad = 0;

    if (n <= 0) {
        printf("Bail out! no corpus in %s\n", argc == 2 ? argv[1] : "?");
        return 1;
    }
    printf("1..1\n");
    for (int i = 0; i < n; i++) {
        bad += replay(argv[1], entry[i]->d_name) != 0;
        free(entry[i]);
    }
    free(entry);
    printf("%sok 1 - %d inputs replayed\n", bad ? "not " : "", n);
    return bad != 0;
}
