/* Instructions that the catalogue leaves out, each with the reason. */
#include <stdio.h>
#include <string.h>

#include "scripts/catalogue-x86_64/forms.h"

static const struct {
    ZydisInstructionCategory category;
    const char *what, *why;
} categories[] = {
    {ZYDIS_CATEGORY_CALL, "calls", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_RET, "returns", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_COND_BR, "loop loope loopne jecxz, and conditional branches of 16 bits",
     "change the register that kernels may count with, or are hardly used; the other conditional branches are "
     "measured"},
    {ZYDIS_CATEGORY_UNCOND_BR, "indirect jumps", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_INTERRUPT, "software interrupts", "enter a handler"},
    {ZYDIS_CATEGORY_IO, "port input and output", "reaches devices"},
    {ZYDIS_CATEGORY_IOSTRINGOP, "port input and output of strings", "reaches devices"},
    {ZYDIS_CATEGORY_STRINGOP, "string instructions",
     "move RSI and RDI, which kernels address and count with; with REP the cost depends on counts"},
    {ZYDIS_CATEGORY_SYSCALL, "system calls", "enter a handler"},
    {ZYDIS_CATEGORY_SYSRET, "returns from system calls", "privileged"},
    {ZYDIS_CATEGORY_SYSTEM, "system instructions", "privileged, or change what the system relies on"},
    {ZYDIS_CATEGORY_SEGOP, "segment loads", "change what the system relies on"},
    {ZYDIS_CATEGORY_RDWRFSGS, "FS and GS base", "the C library's thread is there"},
    {ZYDIS_CATEGORY_VTX, "virtualisation", "privileged"},
    {ZYDIS_CATEGORY_SGX, "enclaves", "privileged, or change what the system relies on"},
    {ZYDIS_CATEGORY_SMAP, "CLAC and STAC", "privileged"},
    {ZYDIS_CATEGORY_PCONFIG, "PCONFIG", "privileged"},
    {ZYDIS_CATEGORY_HRESET, "HRESET", "privileged"},
    {ZYDIS_CATEGORY_KEYLOCKER, "key locker", "needs keys that only the system loads"},
    {ZYDIS_CATEGORY_KEYLOCKER_WIDE, "key locker, wide", "needs keys that only the system loads"},
    {ZYDIS_CATEGORY_XSAVE, "XSAVE and XRSTOR",
     "store or replace state of the system's choice; FXSAVE and FXRSTOR are measured"},
    {ZYDIS_CATEGORY_XSAVEOPT, "XSAVEOPT", "stores state of the system's choice"},
    {ZYDIS_CATEGORY_WAITPKG, "UMONITOR, UMWAIT, TPAUSE", "wait"},
    {ZYDIS_CATEGORY_UINTR, "user interrupts", "enter a handler"},
    {ZYDIS_CATEGORY_CET, "shadow stack", "changes what returns rely on"},
    {ZYDIS_CATEGORY_ENQCMD, "ENQCMD", "reaches devices"},
    {ZYDIS_CATEGORY_PKU, "protection keys", "change what the system relies on"},
    {ZYDIS_CATEGORY_MPX, "bounds", "no core in scope has them"},
    {ZYDIS_CATEGORY_PADLOCK, "PadLock", "no core in scope has it"},
    {ZYDIS_CATEGORY_KNC, "Knights Corner", "no core in scope has it"},
    {ZYDIS_CATEGORY_KNCMASK, "Knights Corner, masks", "no core in scope has it"},
    {ZYDIS_CATEGORY_KNCSCALAR, "Knights Corner, scalar", "no core in scope has it"},
    {ZYDIS_CATEGORY_AMX_TILE, "tiles", "need a configuration and a permission first"},
    {ZYDIS_CATEGORY_TSX_LDTRK, "load tracking", "control flow: transactions"},
    {ZYDIS_CATEGORY_PT, "PTWRITE", "writes into a trace"},
    {ZYDIS_CATEGORY_PUSH, "pushes", "move the stack pointer"},
    {ZYDIS_CATEGORY_POP, "pops", "move the stack pointer"},
    {ZYDIS_CATEGORY_RDPRU, "RDPRU", "registers of the system's choice"},
};

/* By mnemonic, where Zydis has no category for what the instruction does. */
static const struct {
    const char *mnemonics, *why;
} mnemonics[] = {
    {"fldenv frstor fnstenv fnsave",
     "replace the state of x87, or change it behind what they store; FXSAVE and FXRSTOR are measured"},
    {"ffree ffreep", "leave a hole in the stack of x87"},
    {"hlt mwait monitor mwaitx monitorx umwait tpause", "waits"},
    {"cli sti std popf popfq", "change flags that the system relies on"},
    {"pushf pushfq", "move the stack pointer"},
    {"ud0 ud1 ud2", "fault on purpose"},
    {"leave enter", "move the stack pointer"},
    {"xabort xbegin xend xtest", "control flow: transactions"},
    {"cpuid rdtsc rdtscp rdpmc", "taken by a hypervisor, forbidden by the system, or what the measuring itself uses"},
    {"rdrand rdseed", "wait for entropy, shared between cores"},
    {"xgetbv getsec", "registers of the system's choice"},
    {"xlat", "reads by an address that is made of two registers"},
    {"maskmovq maskmovdqu vmaskmovdqu clzero movdir64b", "reads or writes by registers that have a fixed place here"},
    {"rounding and exceptions in the instruction ({er}, {sae})", "cost what the forms without them cost"},
    {"lwpins lwpval llwpcb slwpcb", "lightweight profiling, withdrawn"},
    {"invlpga skinit vmload vmsave vmrun vmmcall", "virtualisation"},
};

static const char *excluded_by_name(const char *mnemonic)
{
    const size_t length = strlen(mnemonic);

    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
        for (const char *at = mnemonics[i].mnemonics; (at = strstr(at, mnemonic)); at += length)
            if ((at == mnemonics[i].mnemonics || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
                return mnemonics[i].why;
    return NULL;
}

static bool excluded_by_category(ZydisInstructionCategory c)
{
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        if (categories[i].category == c)
            return true;
    return false;
}

bool is_usable(const struct decoded *d)
{
    if (d->i.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED || excluded_by_category(d->i.meta.category) ||
        excluded_by_name(ZydisMnemonicGetString(d->i.mnemonic)) || d->i.operand_count > FORM_OPERANDS ||
        d->i.avx.rounding.mode || d->i.avx.has_sae)
        return false;
    /*
     * 0F 1F is the documented NOP (SDM vol. 2B, NOP); some cores execute the opcodes beside it as CLDEMOTE and others
     */
    if (d->i.mnemonic == ZYDIS_MNEMONIC_NOP && d->i.opcode_map == ZYDIS_OPCODE_MAP_0F && d->i.opcode != 0x1f)
        return false;
    for (unsigned k = 0; k < d->i.operand_count; k++) {
        const ZydisDecodedOperand *o = &d->o[k];
        if (o->type == ZYDIS_OPERAND_TYPE_POINTER)
            return false;
        /* other addressing modes are measured by the load-to-use probe */
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
            o->mem.index != ZYDIS_REGISTER_NONE)
            return false;
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
            ((o->mem.base != ZYDIS_REGISTER_RSI && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN) ||
             (o->mem.segment != ZYDIS_REGISTER_DS && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)))
            return false;
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            switch (ZydisRegisterGetClass(o->reg.value)) {
            case ZYDIS_REGCLASS_SEGMENT:
            case ZYDIS_REGCLASS_TABLE:
            case ZYDIS_REGCLASS_TEST:
            case ZYDIS_REGCLASS_CONTROL:
            case ZYDIS_REGCLASS_DEBUG:
            case ZYDIS_REGCLASS_BOUND:
            case ZYDIS_REGCLASS_TMM: return false;
            default: break;
            }
    }
    return true;
}

void print_left_out(void)
{
    printf("const struct form_left_out forms_left_out[] = {\n");
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        printf("{\"%s\",\"%s\"},\n", categories[i].what, categories[i].why);
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
        printf("{\"%s\",\"%s\"},\n", mnemonics[i].mnemonics, mnemonics[i].why);
    printf("{NULL,NULL}};\n");
}
