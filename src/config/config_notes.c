#include "config/config_notes.h"

#include <stdarg.h>
#include <stdio.h>

enum { LONGEST = 1024 }; /* of one sentence; what is longer is cut */

static bool config_notes_said(const struct notes *list, struct str text)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i].text, text))
            return true;
    return false;
}

void note(struct arena *mem, struct notes *list, enum log_level level, const char *fmt, ...)
{
    char text[LONGEST];
    va_list ap;

    if (!list)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (config_notes_said(list, str_of(text)))
        return;
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2 : 8;

        list->v = arena_grow(mem, list->v, list->room * sizeof(*list->v), room * sizeof(*list->v));
        list->room = room;
    }
    list->v[list->n++] = (struct note){ level, arena_str(mem, str_of(text)) };
}

void notes_log(const struct notes *list)
{
    for (size_t i = 0; i < list->n; i++)
        LOG(list->v[i].level, "config", list->v[i].text.p);
}
