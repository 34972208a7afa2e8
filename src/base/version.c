#include "base/version.h"

const char trefoil_version[] = TREFOIL_VERSION;
