/*
 * network_fs.h - is a file on a network file system?
 *
 * SQLite needs shared memory and file locks between processes, which network file systems do not
 * provide reliably.
 */
#ifndef STATE_NETWORK_FS_H
#define STATE_NETWORK_FS_H

/* The name of the network file system that an open file lies on, such as "nfs"; NULL: on none. */
const char *network_fs_of(int fd);

#endif
