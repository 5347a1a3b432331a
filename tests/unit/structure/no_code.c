/*
 * For tests of what measures where no kernel is executed: code that is emitted goes nowhere. A function that a test
 * defines itself takes the place of the one here.
 */
#include "arch/emit.h"
#include "lib/probe/probe.h"

__attribute__((weak)) struct code probe_code(struct probe *p, size_t bytes)
{
    (void)p;
    return (struct code){.bytes = bytes};
}

__attribute__((weak)) bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k)
{
    (void)p;
    (void)c;
    (void)entry;
    (void)k;
    return true;
}

__attribute__((weak)) void emit_loop(struct code *c, size_t start)
{
    (void)c;
    (void)start;
}

__attribute__((weak)) void emit_return(struct code *c)
{
    (void)c;
}
