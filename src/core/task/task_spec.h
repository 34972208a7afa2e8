/* task_spec.h - converts a task spec to and from JSON, and gets the agent that a spec names. */
#ifndef CORE_TASK_TASK_SPEC_H
#define CORE_TASK_TASK_SPEC_H

#include "core/task/task.h"

struct task_spec task_spec_copy(struct arena *mem, const struct task_spec *spec);
struct str task_spec_write(struct arena *mem, const struct task_spec *spec);

/*
 * Parse the output of this or an earlier version of task_spec_write. ERR_INVALID: the JSON is
 * damaged.
 */
bool task_spec_read(struct arena *mem, struct str json, const struct limits *limits,
                    struct task_spec *out, struct err *e);

/* Convert the member "origin" of a stored spec. */
enum origin task_spec_origin(struct str origin);

/*
 * Get the agent from the registry, with the settings of the spec applied. The caller must drop it.
 */
struct agent *task_spec_agent(const struct task_spec *spec, struct agent_registry_port *registry,
                              struct err *e);

/* Return the instruction to insert before the prompt of a task; STR_NONE: there is none. */
struct str task_spec_preface(bool read_only);

#endif
