/*
 * Configuration from any bytes: nothing is read out of bounds, the warnings are few and printable, and every accepted
 * value is in the range that lib/plan/config.h states.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/plan/config.h"
#include "lib/plan/cores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void note(void *context, const char *subject, const char *text)
{
    unsigned *warnings = context;

    assert(strcmp(subject, "fuzz") == 0);
    for (; *text; text++)
        assert(*text >= ' ' && *text <= '~');
    assert(++*warnings <= 21);
}

static void check(const struct config *c)
{
    assert(memchr(c->probes, 0, sizeof c->probes) && memchr(c->notes, 0, sizeof c->notes));
    assert((unsigned)c->profile < PROFILES && (unsigned)c->after < AFTERS);
    assert(c->repeat >= 1 && c->repeat <= 1000000);
    assert(c->memory_mib == 0 || c->memory_mib == MEMORY_ALL || (c->memory_mib >= 8 && c->memory_mib <= 1048576));
    assert(c->deadline_ms >= 10 && c->deadline_ms <= 60000);
    assert(c->watchdog == 0 || (c->watchdog >= 10 && c->watchdog <= 600));
    assert(memchr(c->cores, 0, sizeof c->cores) && cores_valid(c->cores));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct config c;
    unsigned warnings = 0;

    config_defaults(&c);
    config_parse(&c, "fuzz", (const char *)data, bytes, note, &warnings);
    check(&c);
    return 0;
}
