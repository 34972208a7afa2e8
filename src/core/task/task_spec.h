/* task_spec.h - a task spec as JSON, and the agent that it names. */
#ifndef CORE_TASK_TASK_SPEC_H
#define CORE_TASK_TASK_SPEC_H

#include "core/task/task.h"

struct task_spec task_spec_copy(struct arena *mem, const struct task_spec *spec);
struct str task_spec_write(struct arena *mem, const struct task_spec *spec);

/* Parse the output of task_spec_write, also of earlier versions. ERR_INVALID: damaged. */
bool task_spec_read(struct arena *mem, struct str json, const struct limits *limits,
                    struct task_spec *out, struct err *e);

/* The origin of a stored task, from the member "origin" of its JSON. */
enum origin task_spec_origin(struct str origin);

/*
 * Get the agent from the registry, with the settings of the spec applied. The caller must drop it.
 */
struct agent *task_spec_agent(const struct task_spec *spec, struct agent_registry_port *registry,
                              struct err *e);

/* The instruction that precedes the prompt; STR_NONE: none. */
struct str task_spec_preface(bool read_only);

#endif
