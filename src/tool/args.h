/* args.h - what all tools need of their arguments. */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "tool/beneath.h"

/* Decode them, strictly. False: the call has failed with the reason. */
bool tool_args(struct call *call, const struct pick *row, size_t rows, void *out);

/* place_of, in the memory of the call. False: the call has failed with the reason. */
bool tool_place(struct call *call, struct str path, struct place *out);

/* The same for a path that the call would change: place_to_write. */
bool tool_place_to_write(struct call *call, struct str path, struct place *out);

/* What both put into a place of their own: how the call may use what is opened there. */
void tool_place_rights(const struct call *call, struct place *p);

#endif
