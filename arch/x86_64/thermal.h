/*
 * IA32_THERM_STATUS (Intel SDM vol. 4, table 2-2; announced by CPUID.01H:EDX[22]): each cause of throttling has a
 * status bit and a log bit, which stays set once the status was set. Bits 6 to 9, of the two temperature thresholds,
 * only notify.
 */
#ifndef FATHOM_ARCH_X86_64_THERMAL_H
#define FATHOM_ARCH_X86_64_THERMAL_H

#define MSR_THERM_STATUS 0x19c
/*
 * Bits of the causes that stop the core's clock for parts of the time: thermal monitor, PROCHOT or FORCEPR, critical
 * temperature.
 */
#define THERM_HEAT 0x003f
/* Bits of the causes that only limit which clock the core chooses: power, current, and other domains. */
#define THERM_LIMITS 0xfc00

#endif
