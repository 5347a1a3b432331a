"""Compiles an exported scheduling model with llvm-tblgen-19, for a target that has its opcodes and nothing else."""

import pathlib
import re
import subprocess

LLVM = "/usr/include/llvm-19"
LLVM_C = "/usr/include/llvm-c-19"
STUB = """
include "llvm/Target/Target.td"
def R : Register<"r"> {{ let Namespace = "Fathom"; }}
foreach name = ["GR64", "GPR64"] in def name : RegisterClass<"Fathom", [i64], 64, (add R)>;
foreach name = ["VR128", "FPR128"] in def name : RegisterClass<"Fathom", [i64], 64, (add R)>;
class Opcode : Instruction {{
  let Namespace = "Fathom";
  let OutOperandList = (outs GR64:$to);
  let InOperandList = (ins);
  let AsmString = "";
  let Size = 1;
  bits<8> Inst = 0;
}}
foreach name = [{opcodes}] in def name : Opcode;
include "{model}"
def FathomInstrInfo : InstrInfo;
def Fathom : Target {{ let InstructionSet = FathomInstrInfo; }}
def : ProcessorModel<"fathom", {name}, []>;
"""


def opcodes(text):
    """Opcodes of all InstRW, in order."""
    return [
        word
        for part in re.findall(r"\(instrs\n(.*?)\)>", text, re.DOTALL)
        for line in part.splitlines()
        for word in re.findall(r"\w+", line.partition("//")[0])
    ]


def compile_model(model, folder, without_registers=False):
    """
    llvm-tblgen-19's tables of the model: instructions.inc, registers.inc, subtarget.inc in `folder`. Raises
    AssertionError with what the compiler says. Numbers of register classes are the stub's: to simulate, leave
    register files out.
    """
    text = pathlib.Path(model).read_text(encoding="utf-8")
    name = re.search(r"def (\w+) : SchedMachineModel", text)[1]
    folder = pathlib.Path(folder)
    if without_registers:
        text = re.sub(r"^def .* : RegisterFile<.*\n", "", text, flags=re.MULTILINE)
    (folder / "model.td").write_text(text, encoding="utf-8")
    names = ", ".join(f'"{opcode}"' for opcode in opcodes(text))
    (folder / "stub.td").write_text(STUB.format(opcodes=names, model="model.td", name=name), encoding="utf-8")
    for option, output in (("instr-info", "instructions"), ("register-info", "registers"), ("subtarget", "subtarget")):
        done = subprocess.run(
            [
                "llvm-tblgen-19",
                f"-gen-{option}",
                "-I",
                LLVM,
                "-I",
                folder,
                folder / "stub.td",
                "-o",
                folder / f"{output}.inc",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[:2000]
    return folder


def build_simulator(folder):
    """The program of mca.cpp with the model that was compiled there."""
    return build(pathlib.Path(__file__).with_name("mca.cpp"), folder)


def build(source, folder):
    """The program of a C++ file that uses LLVM's library, in `folder`."""
    program = folder / source.stem
    done = subprocess.run(
        [
            "g++",
            "-std=c++17",
            "-O1",
            "-fno-rtti",
            "-w",
            "-I",
            LLVM,
            "-I",
            LLVM_C,
            "-I",
            folder,
            source,
            "-o",
            program,
            "-L/usr/lib/llvm-19/lib",
            "-lLLVM-19",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:3000]
    return program
