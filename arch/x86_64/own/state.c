#include "arch/x86_64/own/state.h"

struct own_state own;
struct core_state core;
