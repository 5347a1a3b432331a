#include "lib/measure/responder.h"

void responder_run(void *responder)
{
    const struct responder *r = responder;

    while (!r->stop) {
        const uint64_t number = *r->word;
        if (number % 2)
            *r->word = number + 1;
    }
}
