#include "arch/aarch64/own/el1_registers.h"

#include "arch/aarch64/registers.h"

uint64_t el1_read(enum el1_register r, bool e2h)
{
    switch (r) {
#define EL1_CASE(name, crn, crm, op2) \
    case EL1_##name: return e2h ? READ(S3_5_C##crn##_C##crm##_##op2) : READ(S3_0_C##crn##_C##crm##_##op2);
        EL1_REGISTERS(EL1_CASE)
#undef EL1_CASE
    default: return 0;
    }
}

void el1_write(enum el1_register r, bool e2h, uint64_t value)
{
    switch (r) {
#define EL1_CASE(name, crn, crm, op2) \
    case EL1_##name: \
        if (e2h) \
            WRITE(S3_5_C##crn##_C##crm##_##op2, value); \
        else \
            WRITE(S3_0_C##crn##_C##crm##_##op2, value); \
        break;
        EL1_REGISTERS(EL1_CASE)
#undef EL1_CASE
    default: break;
    }
}
