#include "arch/aarch64/own/state.h"

struct own_state own;
