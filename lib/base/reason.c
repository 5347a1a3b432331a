#include "lib/base/reason.h"

const struct reason_text reasons[REASONS] = {
    {"", "it is decided", ""},
#define REASON(constant, token, sentence, advice) {token, sentence, advice},
#include "lib/base/reasons.def"
#undef REASON
};
