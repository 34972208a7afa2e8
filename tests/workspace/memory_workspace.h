/*
 * memory_workspace.h - a workspace for tests: files in memory that another program holds.
 *
 *   buffer.txt   holds MEMORY_BUFFER at the start, whatever the disk has
 *   broken*      every operation fails with ERR_SYSTEM
 *   slow*        no operation ends before it is cancelled
 *   moving*      read once, it changes: a write that expects what was read fails
 *
 * Writes create files. Only test executables link it.
 */
#ifndef TESTS_MEMORY_WORKSPACE_H
#define TESTS_MEMORY_WORKSPACE_H

#include "core/workspace.h"

#define MEMORY_BUFFER "unsaved one\nunsaved two\nunsaved three\n"

extern const struct workspace_kind memory_kind;

/* What a file holds, "" when there is none. */
struct str memory_file(const char *path);

#endif
