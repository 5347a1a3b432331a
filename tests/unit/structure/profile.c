/*
 * For tests of what measures: a run of profile `standard`. A function that a test defines itself takes the place of the
 * one here.
 */
#include "lib/probe/probe.h"

__attribute__((weak)) double probe_scale(const struct probe *p, double smoke, double quick, double standard,
                                         double full)
{
    (void)p;
    (void)smoke;
    (void)quick;
    (void)full;
    return standard;
}

__attribute__((weak)) double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    (void)p;
    (void)smoke;
    return otherwise;
}

__attribute__((weak)) bool probe_is_smoke(const struct probe *p)
{
    (void)p;
    return false;
}

__attribute__((weak)) bool probe_is_simulated(const struct probe *p)
{
    (void)p;
    return false;
}

__attribute__((weak)) double probe_simulated(const struct probe *p, double simulated, double otherwise)
{
    (void)p;
    (void)simulated;
    return otherwise;
}
