/* process_memory.h - measures the memory of a process and its descendants. */
#ifndef WEB_PROCESS_MEMORY_H
#define WEB_PROCESS_MEMORY_H

#include <stdint.h>

/*
 * Return the resident memory of `pid` and its visible descendants in KiB; 0 if there is no /proc. A
 * page that several processes share is counted several times.
 */
int64_t tree_rss_kb(int pid);

#endif
