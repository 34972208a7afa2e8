/* args_brief.h - the arguments of a call as they may be shown to who decides about it. */
#ifndef CORE_ARGS_BRIEF_H
#define CORE_ARGS_BRIEF_H

#include "base/json.h"

/*
 * One JSON object in mem: values whose names are those of secrets are "***"; long texts, lists and
 * deep ones are cut, and say so. Arguments that are no object are {}.
 */
struct str args_brief(struct arena *mem, struct json args);

#endif
