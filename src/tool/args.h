/* args.h - decodes the arguments of a tool call. */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "tool/file/beneath.h"

/*
 * Decode the arguments of the call into *out. An unknown member is an error. False: the call has
 * failed with the reason.
 */
bool tool_args(struct call *call, const struct pick *row, size_t rows, void *out);

/* Call place_of with the memory of the call. False: the call has failed with the reason. */
bool tool_place(struct call *call, struct str path, struct place *out);

/*
 * Call place_to_write, for a path that the call will change. False: the call has failed with the
 * reason.
 */
bool tool_place_to_write(struct call *call, struct str path, struct place *out);

/*
 * Set the fields of the place that restrict what the call may do with the file. The guard has
 * decided these restrictions.
 */
void tool_place_rights(const struct call *call, struct place *p);

#endif
