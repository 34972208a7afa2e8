/* process_memory.h - how much memory a process and all below it hold. */
#ifndef WEB_PROCESS_MEMORY_H
#define WEB_PROCESS_MEMORY_H

#include <stdint.h>

/*
 * Resident kilobytes of `pid` and its descendants, as far as they can be seen; 0 without /proc.
 * Pages that several of them share are counted for each.
 */
int64_t tree_rss_kb(int pid);

#endif
