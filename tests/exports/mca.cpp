/*
 * llvm-mca with another scheduling model: simulates blocks of x86-64 code with the model of an exported .td file, and
 * with one that LLVM has, by LLVM's own library (llvm::mca) for both.
 *
 * The model is compiled by llvm-tblgen-19 for a target that has nothing but opcodes of the same names (stub.py). Of
 * the real target's instructions the scheduling class is replaced by that of the stub's instruction of the same name.
 *
 * usage: mca CPU <BLOCKS
 * BLOCKS: a line of hexadecimal digits each. For each block a line: cycles an iteration by the model and by CPU's, `-`
 * where an instruction is not in the model; and what binds by the model: `width`, the name of a resource, or `chain` where
 * neither explains the cycles.
 */
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

#define GET_REGINFO_ENUM
#include "registers.inc"
#define GET_INSTRINFO_ENUM
#define GET_INSTRINFO_MC_DESC
#include "instructions.inc"
#define GET_SUBTARGETINFO_MC_DESC
#include "subtarget.inc"

static const unsigned few = 100, many = 300; /* iterations: their difference is free of what happens at the ends */

/* The target's instructions with scheduling classes of the stub. */
class Renumbered : public MCInstrInfo
{
    std::vector<char> bytes;

  public:
    Renumbered(const MCInstrInfo &real, const std::map<std::string, unsigned> &classes)
    {
        /* Descriptions lie in descending order of opcodes, and what they refer to behind them (MCInstrDesc.h). */
        const unsigned count = real.getNumOpcodes();
        const MCInstrDesc *first = &real.get(count - 1), *end = &real.get(0) + 1;
        size_t tail = 0;
        for (unsigned i = 0; i < count; i++) {
            const MCInstrDesc &d = real.get(i);
            tail = std::max(tail, (size_t)((const char *)d.operands().end() - (const char *)end));
            tail = std::max(tail, (size_t)((const char *)d.implicit_uses().end() - (const char *)end));
            tail = std::max(tail, (size_t)((const char *)d.implicit_defs().end() - (const char *)end));
        }
        bytes.assign((const char *)first, (const char *)end + tail);
        MCInstrDesc *mine = (MCInstrDesc *)bytes.data();
        for (unsigned i = 0; i < count; i++) {
            auto known = classes.find(real.getName(i).str());
            mine[count - 1 - i].SchedClass = known == classes.end() ? 0 : known->second;
        }
        InitMCInstrInfo(mine, nullptr, nullptr, nullptr, nullptr, count);
    }
};

/* That a write of a part of a register clears the rest is the instruction set's business, the other questions the model's. */
class Clearing : public MCInstrAnalysis
{
    const MCInstrAnalysis &real;

  public:
    Clearing(const MCInstrInfo *info, const MCInstrAnalysis &real) : MCInstrAnalysis(info), real(real)
    {
    }
    bool clearsSuperRegisters(const MCRegisterInfo &registers, const MCInst &i, APInt &mask) const override
    {
        return real.clearsSuperRegisters(registers, i, mask);
    }
};

struct world {
    const MCSubtargetInfo &subtarget;
    const MCInstrInfo &instructions;
    const MCRegisterInfo &registers;
    const MCInstrAnalysis *analysis;
};

static std::optional<unsigned> cycles(const world &w, const std::vector<MCInst> &block, unsigned iterations)
{
    mca::InstrumentManager instruments(w.subtarget, w.instructions);
    mca::InstrBuilder builder(w.subtarget, w.instructions, w.registers, w.analysis, instruments, 100);
    std::vector<std::unique_ptr<mca::Instruction>> sequence;
    for (const MCInst &i : block) {
        auto lowered = builder.createInstruction(i, {});
        if (!lowered) {
            consumeError(lowered.takeError());
            return std::nullopt;
        }
        sequence.push_back(std::move(*lowered));
    }
    mca::CircularSourceMgr source(sequence, iterations);
    mca::Context context(w.registers, w.subtarget);
    mca::CustomBehaviour behaviour(w.subtarget, source, w.instructions);
    mca::PipelineOptions options(0, 0, 0, 0, 0, 0, true, false);
    auto pipeline = context.createDefaultPipeline(options, source, behaviour);
    auto took = pipeline->run();
    if (!took) {
        consumeError(took.takeError());
        return std::nullopt;
    }
    return *took;
}

static void print(const world &w, const std::vector<MCInst> &block, const char *end)
{
    auto a = cycles(w, block, few), b = cycles(w, block, many);
    if (a && b)
        printf("%.4f%s", (*b - *a) / double(many - few), end);
    else
        printf("-%s", end);
}

/* What binds a block: the front end's width or a resource where one of them takes as many cycles, else dependences. */
static std::string term(const world &w, const std::vector<MCInst> &block)
{
    const MCSchedModel &model = w.subtarget.getSchedModel();
    auto a = cycles(w, block, few), b = cycles(w, block, many);
    std::vector<double> busy(model.getNumProcResourceKinds());
    double operations = 0, most = 0;
    std::string name = "width";

    for (const MCInst &i : block) {
        const MCSchedClassDesc *d = model.getSchedClassDesc(w.instructions.get(i.getOpcode()).getSchedClass());
        if (!d->isValid())
            return "-";
        operations += d->NumMicroOps;
        for (auto *r = w.subtarget.getWriteProcResBegin(d); r != w.subtarget.getWriteProcResEnd(d); ++r)
            busy[r->ProcResourceIdx] += double(r->ReleaseAtCycle) / model.getProcResource(r->ProcResourceIdx)->NumUnits;
    }
    if (!a || !b)
        return "-";
    most = operations / model.IssueWidth;
    for (unsigned i = 1; i < busy.size(); i++)
        if (busy[i] > most) {
            most = busy[i];
            name = model.getProcResource(i)->Name;
        }
    return (*b - *a) / double(many - few) > 1.05 * most ? "chain" : name; /* 5 %: ends of iterations that do not fit */
}

static bool disassemble(const MCDisassembler &d, const std::string &hex, std::vector<MCInst> &block)
{
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back((uint8_t)std::stoul(hex.substr(i, 2), nullptr, 16));
    for (uint64_t at = 0, size = 0; at < bytes.size(); at += size) {
        MCInst i;
        if (d.getInstruction(i, size, ArrayRef<uint8_t>(bytes).slice(at), at, nulls()) != MCDisassembler::Success)
            return false;
        block.push_back(i);
    }
    return !block.empty();
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: mca CPU <BLOCKS\n");
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
    std::unique_ptr<MCSubtargetInfo> stock(target->createMCSubtargetInfo(triple, argv[1], ""));
    std::unique_ptr<MCInstrAnalysis> analysis(target->createMCInstrAnalysis(instructions.get()));
    MCContext context(Triple(triple), assembly.get(), registers.get(), everything.get());
    std::unique_ptr<MCDisassembler> disassembler(target->createMCDisassembler(*everything, context));

    MCInstrInfo stub;
    InitFathomMCInstrInfo(&stub);
    std::map<std::string, unsigned> classes;
    for (unsigned i = 0; i < stub.getNumOpcodes(); i++)
        classes[stub.getName(i).str()] = stub.get(i).getSchedClass();
    Renumbered renumbered(*instructions, classes);
    std::unique_ptr<MCSubtargetInfo> exported(createFathomMCSubtargetInfoImpl(Triple(triple), "fathom", "fathom", ""));

    const Clearing clearing(&renumbered, *analysis);
    const world ours = {*exported, renumbered, *registers, &clearing},
                theirs = {*stock, *instructions, *registers, analysis.get()};
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<MCInst> block;
        if (!disassemble(*disassembler, line, block)) {
            printf("- - -\n");
            continue;
        }
        print(ours, block, " ");
        print(theirs, block, " ");
        printf("%s\n", term(ours, block).c_str());
    }
    return 0;
}
