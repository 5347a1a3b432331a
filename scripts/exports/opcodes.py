"""LLVM's names of the instructions of a run, by disassembling their bytes with llvm-mc-19."""

import re
import subprocess

from exports.core import Refused

# What ends a form's instructions, and what LLVM calls it: UD2; UDF.
MARKS = {"x86_64": ("0f0b", "TRAP"), "aarch64": ("00000000", "UDF")}
TRIPLES = {"x86_64": "x86_64-pc-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}
# LLVM's names of cores that fathom knows, as far as there are models of them; else one that it knows in any case.
CPUS = {
    "raptor-cove": "sapphirerapids",
    "golden-cove": "sapphirerapids",
    "skylake": "skylake",
    "zen2": "znver2",
    "zen3": "znver3",
    "zen4": "znver4",
    "neoverse-n1": "neoverse-n1",
    "neoverse-n2": "neoverse-n2",
    "neoverse-v1": "neoverse-v1",
    "neoverse-v2": "neoverse-v2",
}
ANY_CPU = {"x86_64": "x86-64", "aarch64": "generic"}
EVERYTHING = {"x86_64": ["-mcpu=sapphirerapids"], "aarch64": ["-mattr=+all"]}


def cpu_of(core):
    return CPUS.get(core.machine.get("core_name"), ANY_CPU[core.isa])


def opcodes(forms, isa):
    """LLVM's opcode and the kinds of its operands for each form; None where LLVM does not know it."""
    mark, last = MARKS[isa]
    codes = [form.row["bytes"] + mark for form in forms]
    text = "\n".join(" ".join("0x" + code[i : i + 2] for i in range(0, len(code), 2)) for code in codes)
    command = ["llvm-mc-19", "--disassemble", "--show-inst", f"-triple={TRIPLES[isa]}", *EVERYTHING[isa]]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Refused("llvm-mc-19 is missing, which knows LLVM's names of opcodes: install llvm-19") from None
    found, now = [], []
    for inst in re.findall(r"<MCInst #\d+ (\w+)((?:\s*(?:#|//)\s*<MCOperand [^>]*>)*)", done.stdout):
        if inst[0].startswith(last):
            found.append(now[0] if len(now) == 1 else None)
            now = []
        else:
            operands = re.findall(r"<MCOperand (\w+):(-?\w+)", inst[1])
            # negative ones as in i_0x-3d: of 64 bits without a sign llvm-exegesis writes what it cannot read
            now.append((inst[0], [f"i_0x{int(value):x}" if kind == "Imm" else "%noreg" for kind, value in operands]))
    if len(found) != len(forms):
        raise Refused(f"llvm-mc-19 finds {len(found)} instructions in the bytes of {len(forms)} forms")
    return found
