"""Registers of every processor that QEMU emulates, read from outside through its GDB stub (-gdb).

So what a run changed and did not put back shows, whatever the run itself says. The protocol: GDB manual, appendix E.
"""

import os
import re
import shutil
import socket
import tempfile
import time

# What changes by itself while firmware waits: time, where the last exception or interrupt came from, and the sticky flags
# of floating point, which belong to whoever computes.
MOVES = re.compile(r"(?i)CNT.?CT|TVAL|CVAL|PMCCNTR|ESR_|ELR_|SPSR|FAR_|PAR_|AFSR|^ISR_|_IAR|HPPIR|_RPR|^FPSR$|DBGDTR|RNDR")


class Stub:
    """A connection. The machine stands still while it is open."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(20)
        self._socket.connect(path)
        self._data = b""
        self._packet()  # connecting stops the machine, which it reports

    def close(self):
        self.ask("D")
        self._socket.close()

    def ask(self, text):
        """Sends a packet; returns the answer to it."""
        self._socket.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) % 256))
        return self._packet()

    def _packet(self):
        while not (found := re.match(rb"[^$]*\$([^#]*)#..", self._data, re.DOTALL)):
            more = self._socket.recv(65536)
            if not more:
                raise OSError("QEMU has closed the connection")
            self._data += more
        self._data = self._data[found.end():]
        self._socket.sendall(b"+")
        # `}` escapes the next byte, `*` repeats the one before
        plain = re.sub(rb"\}(.)", lambda m: bytes([m[1][0] ^ 0x20]), found[1], flags=re.DOTALL)
        return re.sub(rb"(.)\*(.)", lambda m: m[1] * (m[2][0] - 28), plain, flags=re.DOTALL).decode("latin-1")

    def document(self, name):
        text = ""
        while True:
            part = self.ask(f"qXfer:features:read:{name}:{len(text):x},800")
            text += part[1:]
            if part[0] == "l":
                return text

    def monitor(self, command):
        """The output of a command of QEMU's monitor."""
        answer, text = self.ask("qRcmd," + command.encode().hex()), ""
        while answer.startswith("O") and answer != "OK":
            text += bytes.fromhex(answer[1:]).decode()
            answer = self._packet()
        return text

    def threads(self):
        return self.ask("qfThreadInfo").removeprefix("m").split(",")


def system_registers(stub):
    """Number -> name of the registers that control the core."""
    found, number = {}, 0
    for name in re.findall(r'<xi:include href="([^"]+)"', stub.document("target.xml")):
        for text in re.findall(r"<reg [^>]*>", re.sub(r"<!--.*?-->", "", stub.document(name), flags=re.DOTALL)):
            given = re.search(r'regnum="(\d+)"', text)
            number = int(given[1]) if given else number
            label = re.search(r'name="([^"]+)"', text)[1]
            if "system" in name or re.fullmatch(r"cr[0348]|efer|(fs|gs|k_gs)_base|mxcsr|fctrl", label):
                found[number] = label
            number += 1
    return {number: label for number, label in found.items() if not MOVES.search(label)}


def steady(name, text):
    """The value without what moves in it: a timer's condition (CNT*_CTL.ISTATUS, Arm ARM D24.10)."""
    if re.fullmatch(r"CNT\w+_CTL_\w+", name):
        return f"{int.from_bytes(bytes.fromhex(text), 'little') & ~4:x}"
    # A task register that was never loaded cannot be given back: LTR takes no null selector (Intel SDM vol. 2A, LTR).
    return "any" if name == "TR" and (text.startswith("0000 ") or "TSS64-avl" in text) else text


def read_all(path):
    """(processor, register) -> its value as text."""
    stub, values = Stub(path), {}
    try:
        names = system_registers(stub)
        for cpu, thread in enumerate(stub.threads()):
            stub.ask(f"Hg{thread}")
            values.update({(cpu, name): steady(name, stub.ask(f"p{number:x}")) for number, name in names.items()})
        for cpu in range(len(stub.threads())):
            stub.monitor(f"cpu {cpu}")
            lines = re.findall(r"(?m)^ *(GDT|IDT|LDT|TR|EFER|DR7) *=(.*)$", stub.monitor("info registers"))
            lines += re.findall(r"(?m)^(LVT\w+|SPIV|TPR)\s+(0x\w+)", stub.monitor("info lapic"))
            values.update({(cpu, name): steady(name, text.strip()) for name, text in lines})
    finally:
        stub.close()
    return values


class Debugger:
    """Reads all registers each time it is called; `complaints` compares the readings with the first one."""

    LEAST = 5  # so many registers are always there

    def __init__(self):
        self._folder = tempfile.mkdtemp()  # a socket's path must be short
        self._path = os.path.join(self._folder, "gdb")
        self.arguments = ["-gdb", f"unix:{self._path},server=on,wait=off"]
        self.readings = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self._folder)

    def read(self):
        time.sleep(0.5)  # what the program that wrote the last line does after it
        self.readings.append(read_all(self._path))

    def complaints(self):
        if len(self.readings) < 2 or len(self.readings[0]) < self.LEAST:
            return [f"registers were read {len(self.readings)} times, {[len(one) for one in self.readings]} of them"]
        first = self.readings[0]
        return [f"register {name} of processor {cpu} was {value}, and is {later.get((cpu, name))} after a run"
                for later in self.readings[1:] for (cpu, name), value in first.items()
                if later.get((cpu, name)) != value]
