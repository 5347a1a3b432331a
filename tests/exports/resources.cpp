/*
 * What a scheduling model of LLVM says of single instructions of x86-64, each without its neighbours.
 *
 * usage: resources CPU <INSTRUCTIONS
 * INSTRUCTIONS: a line of hexadecimal digits each. The first line of the answer names each resource with its number of
 * units, and of a group its parts: NAME=UNITS:PART:PART. Then a line for each instruction: LLVM's name of it, its
 * micro-operations, and RESOURCE=CYCLES for each resource that it occupies; `-` in place of what LLVM does not know. As
 * in LLVM's tables (MCSubtargetInfo.h), what occupies a group occupies each larger group, too.
 */
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

static void print_resources(const MCSchedModel &model)
{
    for (unsigned i = 1; i < model.getNumProcResourceKinds(); i++) {
        const MCProcResourceDesc *r = model.getProcResource(i);
        printf("%s=%u", r->Name, r->NumUnits);
        for (unsigned n = 0; r->SubUnitsIdxBegin && n < r->NumUnits; n++)
            printf(":%s", model.getProcResource(r->SubUnitsIdxBegin[n])->Name);
        printf(" ");
    }
    printf("\n");
}

static void print_instruction(const MCSubtargetInfo &subtarget, const MCInstrInfo &instructions, const MCInst &i)
{
    const MCSchedModel &model = subtarget.getSchedModel();
    unsigned number = instructions.get(i.getOpcode()).getSchedClass();
    const MCSchedClassDesc *d = model.getSchedClassDesc(number);

    printf("%s", instructions.getName(i.getOpcode()).str().c_str());
    while (number && d->isVariant()) {
        number = subtarget.resolveVariantSchedClass(number, &i, &instructions, model.getProcessorID());
        d = model.getSchedClassDesc(number);
    }
    if (!number || !d->isValid()) {
        printf(" -\n");
        return;
    }
    printf(" %u", d->NumMicroOps);
    for (auto *r = subtarget.getWriteProcResBegin(d); r != subtarget.getWriteProcResEnd(d); ++r)
        printf(" %s=%u", model.getProcResource(r->ProcResourceIdx)->Name, r->ReleaseAtCycle - r->AcquireAtCycle);
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: resources CPU <INSTRUCTIONS\n");
        return 2;
    }
    InitializeAllTargetInfos();
    InitializeAllTargetMCs();
    InitializeAllDisassemblers();
    const std::string triple = "x86_64-pc-linux-gnu";
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(triple, error);
    std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple));
    MCTargetOptions options;
    std::unique_ptr<MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple, options));
    std::unique_ptr<MCInstrInfo> instructions(target->createMCInstrInfo());
    std::unique_ptr<MCSubtargetInfo> everything(target->createMCSubtargetInfo(triple, "sapphirerapids", ""));
    std::unique_ptr<MCSubtargetInfo> core(target->createMCSubtargetInfo(triple, argv[1], ""));
    MCContext context(Triple(triple), assembly.get(), registers.get(), everything.get());
    std::unique_ptr<MCDisassembler> disassembler(target->createMCDisassembler(*everything, context));

    print_resources(core->getSchedModel());
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<uint8_t> bytes;
        MCInst i;
        uint64_t size;
        for (size_t n = 0; n + 1 < line.size(); n += 2)
            bytes.push_back((uint8_t)std::stoul(line.substr(n, 2), nullptr, 16));
        if (disassembler->getInstruction(i, size, bytes, 0, nulls()) == MCDisassembler::Success)
            print_instruction(*core, *instructions, i);
        else
            printf("- -\n");
    }
    return 0;
}
