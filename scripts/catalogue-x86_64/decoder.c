/* Zydis, set up for 64-bit code. */
#include "scripts/catalogue-x86_64/forms.h"

static ZydisDecoder decoder;

void decoder_start(void)
{
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

bool decode(const uint8_t *bytes, struct decoded *d)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, LONGEST, &d->i, d->o));
}
