/* args.h - decode the arguments of a tool call. */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "tool/beneath.h"

/* Decode the arguments; unknown members are errors. False: the call has failed with the reason. */
bool tool_args(struct call *call, const struct pick *row, size_t rows, void *out);

/* Call place_of with the memory of the call. False: the call has failed with the reason. */
bool tool_place(struct call *call, struct str path, struct place *out);

/* The same for a path that the call will change: place_to_write. */
bool tool_place_to_write(struct call *call, struct str path, struct place *out);

/* Copy into a place what the guard allows the call to do with the file opened there. */
void tool_place_rights(const struct call *call, struct place *p);

#endif
