"""Names of gem5's classes and parameters, as its sources have them, so that a configuration can be read without gem5."""

# src/cpu/o3/BaseO3CPU.py, FuncUnitConfig.py, src/cpu/pred/BranchPredictor.py, src/mem/cache/Cache.py,
# prefetch/Prefetcher.py, src/arch/*/...TLB.py.
CPU = """fetchWidth decodeWidth renameWidth dispatchWidth issueWidth wbWidth commitWidth squashWidth fetchBufferSize fetchQueueSize
    cacheLoadPorts cacheStorePorts LSQDepCheckShift SSITSize LFSTSize store_set_clear_period numROBEntries numIQEntries LQEntries
    SQEntries numPhysIntRegs numPhysFloatRegs numPhysVecRegs numPhysVecPredRegs numPhysMatRegs numPhysCCRegs branchPred mmu fuPool"""
CACHE = """size assoc tag_latency data_latency response_latency mshrs tgts_per_mshr write_buffers sequential_access clusivity
    writeback_clean prefetcher replacement_policy is_read_only"""
PARAMETERS = {
    "X86O3CPU": CPU,
    "ArmO3CPU": CPU,
    "Cache": CACHE,
    "X86TLB": "size entry_type",
    "ArmTLB": "size entry_type",
    "X86MMU": "dtb itb",
    "ArmMMU": "dtb itb l2_shared",
    "SimpleBTB": "numEntries tagBits",
    "ReturnAddrStack": "numEntries",
    "SimpleIndirectPredictor": "indirectSets indirectWays indirectTagSize indirectPathLength indirectGHRBits",
    "TAGEBase": "nHistoryTables minHist maxHist",
    "TAGE": "btb ras indirectBranchPred tage",
    "FUDesc": "count opList",
    "FUPool": "FUList",
    "IntMultDiv": "",
    "FP_MultDiv": "",
    "FP_ALU": "",
    "SIMD_Unit": "",
    "PredALU": "",
    "IprPort": "",
    "TaggedPrefetcher": "degree",
    "StridePrefetcher": "degree distance table_entries prefetch_on_access on_write",
    "SmsPrefetcher": "region_size",
    "DCPTPrefetcher": "dcpt",
    "LRURP": "",
    "RandomRP": "",
    "FIFORP": "",
    "TreePLRURP": "",
}
OP_CLASSES = """IntAlu IntMult IntDiv FloatAdd FloatMult SimdAdd SimdAlu SimdMisc SimdMult SimdShift SimdCvt SimdFloatAdd SimdFloatMult
    SimdFloatCvt MemRead MemWrite""".split()


def namespace():
    """What `from m5.objects import *` gives: classes that refuse parameters which gem5 does not have."""

    def checked(name, allowed):
        def init_subclass(cls, **_):
            wrong = {key for key in vars(cls) if not key.startswith("_")} - allowed
            assert not wrong, f"{name} of gem5 has no parameter {wrong}"

        return type(name, (), {"__init_subclass__": classmethod(init_subclass)})

    def op_desc(opClass, opLat=None, pipelined=True):  # noqa: N803 gem5's names
        assert opClass in OP_CLASSES, opClass
        return (opClass, opLat, pipelined)

    def made_of(parameter):
        def make(**given):
            assert set(given) == {parameter}, given
            return given[parameter]

        return make

    found = {name: checked(name, set(text.split())) for name, text in PARAMETERS.items()}
    return {
        **found,
        "OpDesc": op_desc,
        "MultiPrefetcher": made_of("prefetchers"),
        "DeltaCorrelatingPredictionTables": made_of("deltas_per_entry"),
    }


def read(text):
    """The classes of a configuration."""
    names = namespace()
    exec(compile(text.replace("from m5.objects import *", ""), "gem5", "exec"), names)  # noqa: S102 our own output
    return names
