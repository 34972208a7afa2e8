/* tree_rss.h - how much memory a process and all below it hold. */
#ifndef APP_TREE_RSS_H
#define APP_TREE_RSS_H

#include <stdint.h>

/*
 * Resident kilobytes of `pid` and its descendants, as far as they can be seen; 0 without /proc.
 * Pages that several of them share are counted for each.
 */
int64_t tree_rss_kb(int pid);

#endif
