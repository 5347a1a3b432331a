"""
Random basic blocks of x86-64 code without memory accesses, and how many core cycles an iteration of each takes here.

Blocks are drawn from instruction forms, in registers drawn at random, so that they have chains of all lengths. They are
measured by a harness of its own, which shares nothing with fathom's: copies of a block in a loop, timed by the
time-stamp counter between loops of dependent additions, which take one cycle each and say how long a cycle is.
"""

import bisect
import ctypes
import mmap
import random
import re
import statistics
import subprocess

COPIES_BYTES = 1024  # of a loop's body: all of it fits in the operation cache of every core
ITERATIONS = 200  # of a loop
CODE_BYTES = 1 << 16
REPETITIONS = 1000  # at most, until so many are good:
GOOD = 15
LEAST = 5
FEW = 20
BESIDE = 0.03  # NOPs take half as long again, or twice as long, beside a sibling thread that executes instructions
GENERAL = ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12"]  # not rsp; r13 to r15 are the harness's
NARROW = {
    "rax": ("eax", "ax", "al"),
    "rcx": ("ecx", "cx", "cl"),
    "rdx": ("edx", "dx", "dl"),
    "rbx": ("ebx", "bx", "bl"),
    "rsi": ("esi", "si", "sil"),
    "rdi": ("edi", "di", "dil"),
    "rbp": ("ebp", "bp", "bpl"),
}
WIDTHS = {"r32": 0, "r16": 1, "r8": 2}
# Divisions and roots cost what their values make of them, and so do shifts by cl, which keep the flags where it is 0;
# MXCSR, the stack pointer and r15 must stay.
UNFIT = re.compile(
    r"div|sqrt|, cl$|\{|\[|zmm|^(xchg|cpuid|ldmxcsr|enter|leave|v?zero|emms|std|cld|fn?|lahf|sahf|bsw|rd|xgetbv|pause|[lms]fence)"
)
OPERAND = re.compile(r"r64|r32|r16|r8|xmm|ymm|i8|i16|i32|i64|[re]?[abcd]x|[abcd]l")


def fits(form):
    """Whether a form can stand in a block."""
    operands = [word.strip() for word in form.partition(" ")[2].split(",") if word.strip()]
    return bool(operands) and not UNFIT.search(form) and all(OPERAND.fullmatch(word) for word in operands)


def text_of(form, draw):
    """An instruction of that form, in Intel's syntax, with drawn registers and constants."""

    def operand(match):
        word = match[0]
        if word == "r64":
            return draw.choice(GENERAL)
        if word in WIDTHS:
            name = draw.choice(GENERAL)
            return NARROW[name][WIDTHS[word]] if name in NARROW else name + "dwb"[WIDTHS[word]]
        if word in ("xmm", "ymm"):
            return f"{word}{draw.randrange(12)}"
        return str(draw.randrange(1, 8)) if word[0] == "i" else word

    mnemonic, _, operands = form.partition(" ")
    return f"{mnemonic} " + re.sub(r"\b(r64|r32|r16|r8|xmm|ymm|i8|i16|i32|i64)\b", operand, operands)


def assemble(lines):
    """Bytes of each line; None where the assembler refuses it."""
    found = []
    done = subprocess.run(
        [
            "llvm-mc-19",
            "--assemble",
            "--show-encoding",
            "-triple=x86_64",
            "-mcpu=znver4",
            "--output-asm-variant=1",
            "--x86-asm-syntax=intel",
        ],
        input="\n".join(f"nop\n{line}" for line in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    for part in re.split(r"\tnop +# encoding: \[0x90\]", done.stdout)[1:]:
        codes = re.findall(r"encoding: \[([^\]]*)\]", part)
        found.append("".join(re.findall(r"0x([0-9a-f]{2})", codes[0])) if len(codes) == 1 and "A" not in codes[0] else None)
    assert len(found) == len(lines)
    return found


def draw_blocks(forms, count, seed):
    """`count` blocks of 4 to 20 instructions: each a list of instructions in hexadecimal digits, and one of their text."""
    draw = random.Random(seed)
    kinds = {"general": [f for f in forms if not re.search("mm", f)], "vector": [f for f in forms if re.search("mm", f)]}
    blocks = []
    while len(blocks) < count:
        share = draw.choice((0, 0.5, 1))
        lines = [
            text_of(draw.choice(kinds["general" if draw.random() < share else "vector"]), draw)
            for _ in range(draw.randrange(4, 21))
        ]
        blocks.append(lines)
    codes = iter(assemble([line for lines in blocks for line in lines]))
    coded = [(lines, [next(codes) for _ in lines]) for lines in blocks]
    return [([code for code in each if code], [line for line, code in zip(lines, each) if code]) for lines, each in coded]


def constant(name):
    """mov of 1 to a register of 64 bits."""
    number = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split().index(name)
    return f"{'49' if number > 7 else '48'}c7{0xC0 | number & 7:02x}01000000"


def ones():
    """Code that sets each vector register to four times 1.0, and general registers to 1."""
    first = "b80000803f660f6ec00fc6c000"  # mov eax, 0x3f800000; movd xmm0, eax; shufps xmm0, xmm0, 0
    copies = (f"0f28{0xC0 | i << 3:02x}" if i < 8 else f"440f28{0xC0 | (i - 8) << 3:02x}" for i in range(1, 16))
    return first + "".join(copies) + "".join(map(constant, GENERAL))


class Harness:
    """Executable memory, and the time that a loop in it takes. Code may use the memory at r13, a page of zeros."""

    PROLOGUE = "5355415441554156415749" "89ff"  # pushes what the ABI keeps; r15 = iterations
    EPILOGUE = "415f415e415d415c5d5bc3"

    def __init__(self):
        self.memory = mmap.mmap(-1, CODE_BYTES + mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.nops = []  # cycles of the NOPs below, sorted

    def loop(self, body, at):
        """A function of the number of iterations, that returns ticks."""
        start = bytes.fromhex("0faee80f310faee848c1e2204809c24989d6")  # lfence; rdtsc; lfence; r14 = ticks
        turn = bytes.fromhex("49ffcf") + bytes.fromhex("0f85") + (-(len(body) + 9)).to_bytes(4, "little", signed=True)
        end = bytes.fromhex("0faee80f3148c1e2204809d04c29f0c5f877")
        values = bytes.fromhex(ones())
        values += bytes.fromhex("49bd") + (self.address + CODE_BYTES).to_bytes(8, "little")  # mov r13, …
        fill = b"\x90" * (-(len(bytes.fromhex(self.PROLOGUE)) + len(values) + len(start)) % 64)
        code = bytes.fromhex(self.PROLOGUE) + values + fill + start + body + turn + end + bytes.fromhex(self.EPILOGUE)
        self.memory[at : at + len(code)] = code
        return ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(self.address + at)

    def cycles(self, block):
        """
        Core cycles an iteration: the median of what 2n copies take longer than n just before. None where too few readings
        are good: the additions before and after take as long to a part in 200, and NOPs are as fast as they were at least
        LEAST times before, and one time in FEW, since a sibling thread at work slows them down, and a wrong reading makes
        them too fast.
        """
        code = bytes.fromhex(block)
        copies = max(1, COPIES_BYTES // len(code) // 2)
        add, nop = bytes.fromhex("4801c0"), bytes.fromhex("0f1f4000")  # add rax, rax
        loops = [
            self.loop(each, 12288 * i)
            for i, each in enumerate((code * copies, code * copies * 2, add * 100, add * 200, nop * 200))
        ]
        for f in loops:
            f(ITERATIONS)
        good = []
        for _ in range(REPETITIONS):
            before = loops[3](ITERATIONS) - loops[2](ITERATIONS)
            one, two, nops = loops[0](ITERATIONS), loops[1](ITERATIONS), loops[4](ITERATIONS)
            after = loops[3](ITERATIONS) - loops[2](ITERATIONS)
            cycle = (before + after) / 2 / 100
            if abs(before - after) < 0.005 * after:
                bisect.insort(self.nops, nops / cycle)
                fast = self.nops[min(max(LEAST, len(self.nops) // FEW), len(self.nops)) - 1]
                if nops / cycle < fast * (1 + BESIDE):
                    good.append((two - one) / cycle)
            if len(good) == GOOD:
                return statistics.median(good) / copies
        return None
