/* version.h - the name and the version of this program. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define TREFOIL_NAME "trefoil"

extern const char trefoil_version[];

#endif
