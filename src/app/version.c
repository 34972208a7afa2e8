#include "app/app.h"

const char trefoil_version[] = TREFOIL_VERSION;
