/*
 * network_fs.h - checks whether a file is on a network file system.
 *
 * SQLite needs shared memory and file locks between processes, which network file systems do not
 * provide reliably.
 */
#ifndef STATE_NETWORK_FS_H
#define STATE_NETWORK_FS_H

/*
 * Return the type of the network file system of an open file, such as "nfs". NULL: the file is
 * local.
 */
const char *network_fs_of(int fd);

#endif
