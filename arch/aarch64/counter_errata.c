/*
 * Names: Linux, Documentation/devicetree/bindings/timer/arm,arch_timer.yaml. What each needs, and the OEM identifiers:
 * Linux, drivers/clocksource/arm_arch_timer.c; single-source, since no vendor's list of errata is public.
 */
#include "arch/aarch64/counter_errata.h"

#include <stddef.h>
#include <string.h>

uint32_t counter_erratum = COUNTER_SOUND;

const char *const counter_errata_properties[] = {"fsl,erratum-a008585", "hisilicon,erratum-161010101",
                                                 "allwinner,erratum-unknown1", NULL};
static const uint32_t meanings[] = {COUNTER_EQUAL, COUNTER_NEAR, COUNTER_BETWEEN_ROLLS};

uint32_t counter_erratum_of_property(const char *name)
{
    for (size_t i = 0; counter_errata_properties[i]; i++)
        if (!strcmp(counter_errata_properties[i], name))
            return meanings[i];
    return COUNTER_SOUND;
}

uint32_t counter_erratum_of_oem(const char oem[6], const char oem_table[8], uint32_t oem_revision)
{
    static const char *const hisilicon[] = {"HIP05   ", "HIP06   ", "HIP07   "};

    for (size_t i = 0; i < sizeof hisilicon / sizeof hisilicon[0]; i++)
        if (!memcmp(oem, "HISI  ", 6) && !memcmp(oem_table, hisilicon[i], 8) && oem_revision == 0)
            return COUNTER_NEAR;
    return COUNTER_SOUND;
}
