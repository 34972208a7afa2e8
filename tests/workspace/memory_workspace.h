/*
 * memory_workspace.h - a workspace for tests: files in memory that another program holds, and
 * terminals whose commands are not programs.
 *
 *   buffer.txt   holds MEMORY_BUFFER at the start, whatever the disk has
 *   broken*      every operation fails with ERR_SYSTEM
 *   slow*        no operation ends before it is cancelled
 *   moving*      read once, it changes: a write that expects what was read fails
 *
 *   huge.txt     has MEMORY_HUGE bytes
 *
 * Writes create files. The commands of a terminal:
 *
 *   say TEXT     writes the text and exits with code 3
 *   flood        writes MEMORY_FLOOD characters of two bytes, at once, and exits with code 0
 *   slow         writes "begun" and runs until it is killed: then signal 9
 *   broken       cannot be started
 *   late         is never started, until the request is cancelled
 *
 * Terminals have no stdin. Only test executables link it.
 */
#ifndef TESTS_MEMORY_WORKSPACE_H
#define TESTS_MEMORY_WORKSPACE_H

#include "core/workspace.h"

#define MEMORY_BUFFER "unsaved one\nunsaved two\nunsaved three\n"

enum { MEMORY_HUGE = 3 << 20, MEMORY_FLOOD = 100001 };

extern const struct workspace_kind memory_kind;

/* How many terminals are open. */
extern int memory_terminals;

/* What a file holds, "" when there is none. */
struct str memory_file(const char *path);

#endif
