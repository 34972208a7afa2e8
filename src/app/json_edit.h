/*
 * json_edit.h - put one member into the JSON file of another program; every other byte stays.
 *
 * Comments and commas before closing brackets are accepted and kept. The new text is read again
 * before it is given back: it must say what it said, and the new member.
 */
#ifndef APP_JSON_EDIT_H
#define APP_JSON_EDIT_H

#include "base/json.h"

enum json_edit {
    JSON_EDIT_DONE,
    JSON_EDIT_SAME,    /* it is there already, just so; *out is the old text */
    JSON_EDIT_DIFFERS, /* it is there with another value, and `replace` is not set; likewise */
};

struct json_edit_put {
    const char *file; /* for messages */
    struct str text;  /* "" when there is none */
    struct str map;   /* the member of the document that holds the entries; made when absent */
    struct str name;  /* of the entry */
    struct str value; /* JSON */
    bool replace;
};

bool json_edit_put(struct arena *mem, const struct json_edit_put *put, enum json_edit *how,
                   struct str *out, struct err *e);

#endif
