/* fixtures.h - tools, resources and prompts for conversations that the built-in ones cannot show. */
#ifndef TALK_FIXTURES_H
#define TALK_FIXTURES_H

#include "core/tool/offer.h"

/* Fill a source; its tools that change something change this one. */
void fixtures_fill(struct offer_source *s);

#endif
