/*
 * pin_file.h - the pins of one MCP server: the approved definitions of its tools.
 *
 * The pins are stored in tool-pins/SERVER.json in the state directory of a root:
 *
 *   {"version":1,"tools":[{"name","pinned":TIME,"definition":{...},
 *                          "changed":{...},"seen":TIME}]}
 *
 * definition  the approved definition: what the server sent when the tool was first used, or what
 *             the user has approved since
 * changed     the definition that the server sent last, if it differs; else absent
 *
 * Both definitions are canonical (json_canonical.h), so they can be compared as texts. The pin of a
 * tool that the server no longer lists is kept: otherwise a server could change a tool unnoticed by
 * removing the tool first. Such pins are dropped only if the file would be too large.
 *
 * The file is private to the user (0600) and replaced as a whole. A process that changes such a
 * file holds an exclusive lock on tool-pins/lock. Readers need no lock. All functions block.
 */
#ifndef STATE_PIN_FILE_H
#define STATE_PIN_FILE_H

#include "base/arena.h"
#include "base/err.h"

#define PIN_FOLDER "tool-pins"

struct tool_pin {
    struct str name; /* name of the tool, as the server spells it */
    struct str definition;
    struct str changed; /* the latest definition, if it differs from `definition`; else STR_NONE */
    int64_t pinned_ms, seen_ms;
    bool listed; /* internal: the server lists the tool now */
};

struct pin_list {
    struct tool_pin *v; /* the pins, sorted by the bytes of the names */
    size_t n;
};

/* Identifies the file with the pins of one server of a root. */
struct pin_file {
    const char *state;  /* path of the state directory */
    const char *server; /* name of the server */
    size_t most;        /* maximum size of the file in bytes */
};

/* Read the pins into mem. If there is no file, the list is empty. */
bool pin_file_read(const struct pin_file *f, struct arena *mem, struct pin_list *out,
                   struct err *e);

/* Find the pin of a tool. NULL: there is none. */
struct tool_pin *pin_list_find(const struct pin_list *l, struct str tool);

/* A definition that the server has listed, or that the user approves. */
struct pin_definition {
    struct str tool, text;
};

/*
 * Record the tools that the server lists now: pin the new ones, and store the changed definitions
 * of the others.
 */
bool pin_file_note(const struct pin_file *f, const struct pin_definition *now, size_t n,
                   struct err *e);

/*
 * Store that the user approves these changed definitions. If the file now contains another
 * definition of a tool, that tool is not approved. *out_n is the number of approved definitions.
 */
bool pin_file_approve(const struct pin_file *f, const struct pin_definition *shown, size_t n,
                      size_t *out_n, struct err *e);

/* Delete all pins of the server, if there are any. */
bool pin_file_forget(const struct pin_file *f, struct err *e);

#endif
