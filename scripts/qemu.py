#!/usr/bin/env python3
"""Boots an image in QEMU, from the command line or from another script.

e.g.: scripts/qemu.py --isa aarch64 --timeout 120 copy-of-fathom.img

The serial line is the only output: scripts get it whole, people see it as it comes. QEMU always emulates instruction by
instruction (TCG, never KVM), so that it behaves the same on every computer.

Ends with QEMU's status, 0 when the machine switched itself off; 1 when it was stopped after --timeout seconds; 2 for
wrong arguments.
"""

import argparse
import contextlib
import json
import os
import re
import selectors
import shlex
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field

import records

# Where Debian has the firmware. edk2 comes as code and an empty variable store.
EDK2 = {
    "x86_64": ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    "aarch64": ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd"),
}
# With Secure Boot on, and Debian's test key in PK, KEK and db. The password of the key is "snakeoil".
SECURE = {
    "x86_64": ("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd"),
    "aarch64": ("/usr/share/AAVMF/AAVMF_CODE.snakeoil.fd", "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd"),
}
UBOOT = {
    "x86_64": "/usr/lib/u-boot/qemu-x86_64/u-boot.rom",
    "aarch64": "/usr/lib/u-boot/qemu_arm64/u-boot.bin",
}


@dataclass
class Machine:
    """The machine to emulate."""

    isa: str = "x86_64"  # x86_64, aarch64
    firmware: str = "edk2"  # edk2 (OVMF, AAVMF), uboot
    secure: bool = False  # edk2 with Secure Boot on
    image: str = None  # disk to boot from
    disk: str = "virtio"  # virtio, usb (storage on xHCI), none
    read_only: bool = False
    cpu: str = "max"
    memory: int = 512  # MiB
    smp: int = 1
    el2: bool = False  # AArch64: firmware and image run at EL2
    icount: int = None  # instruction counting: an instruction takes 2^icount ns
    kernel: str = None  # start this .EFI by -kernel, without a disk
    tftp: str = None  # boot this .EFI over the network, from its folder
    state: str = None  # go on from the state in this file, which the same machine has saved
    arguments: list = field(default_factory=list)  # anything more, as words of the command line


def command(machine):
    """QEMU's command line as a list of words."""
    m = machine
    words = [f"qemu-system-{m.isa}", "-accel", "tcg", "-cpu", m.cpu, "-m", str(m.memory), "-smp", str(m.smp)]
    words += ["-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot"]

    kind = "virt" if m.isa == "aarch64" else "pc" if m.firmware == "uboot" else "q35"
    words += ["-machine", f"{kind},virtualization=on" if m.el2 else kind]
    if m.firmware == "uboot":
        words += ["-bios", UBOOT[m.isa]]
    else:
        code, variables = (SECURE if m.secure else EDK2)[m.isa]
        if m.secure and m.isa == "x86_64":  # only system management mode may write variables
            words += ["-machine", "smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"]
        words += ["-drive", f"if=pflash,format=raw,readonly=on,file={code}"]
        words += ["-drive", f"if=pflash,format=raw,snapshot=on,file={variables}"]  # changes are thrown away
        if m.isa == "aarch64":
            words += ["-boot", "menu=on,splash-time=0"]  # otherwise AAVMF waits five seconds for a key

    if m.image and m.disk != "none":
        mode = ",readonly=on" if m.read_only else ""
        words += ["-drive", f"if=none,id=stick,format=raw,file={m.image}{mode}"]
        if m.disk == "usb":
            words += ["-device", "qemu-xhci", "-device", "usb-storage,drive=stick,bootindex=1"]
        else:
            words += ["-device", "virtio-blk-pci,drive=stick,bootindex=1"]
    if m.kernel:
        words += ["-kernel", m.kernel]
    if m.tftp:
        folder, name = os.path.split(os.path.abspath(m.tftp))
        words += ["-netdev", f"user,id=net,tftp={folder},bootfile={name}"]
        words += ["-device", "virtio-net-pci,netdev=net,bootindex=2"]
    else:
        words += ["-nic", "none"]
    if m.icount is not None:
        words += ["-icount", f"shift={m.icount}"]
    if m.state:
        words += ["-incoming", f"exec:cat {shlex.quote(m.state)}"]
    return words + m.arguments


# Where OVMF looks for a TPM (TCG PC Client Platform TPM Profile 1.05, 5.5). QEMU reads addresses without a device as
# zeros, which OVMF takes for a TPM that is not ready yet: it polls a timer until it gives up, which takes 1.4 s of
# processor time. All ones say that there is none.
TPM_AT, TPM_BYTES = 0xfed40000, 65536


class NoTpm:
    """All ones where OVMF looks for a TPM.

    They are the memory of a PCI device, which is placed there before the machine starts (QEMU's ivshmem, BAR 2, of 64
    bits; PCI configuration mechanism 1: PCI Local Bus 3.0, 3.2.2.3.2). OVMF moves it when it distributes addresses, and
    by then has seen that there is no TPM. In a machine that goes on from a saved state the device is where it was.
    """

    _SLOT = 0x1e
    _COMMAND, _BAR2, _MEMORY = 0x04, 0x18, 2

    def __init__(self, machine):
        self.ones = os.memfd_create("ones")
        os.write(self.ones, b"\xff" * TPM_BYTES)
        self._ours = self.monitor = None
        self.descriptors = (self.ones,)
        self.arguments = ["-object", f"memory-backend-file,id=ones,mem-path=/proc/self/fd/{self.ones},"
                          f"size={TPM_BYTES},share=off", "-device", f"ivshmem-plain,memdev=ones,master=on,addr=0x{self._SLOT:x}"]
        if not machine.state:
            self._place()

    def _place(self):
        self._ours, self.monitor = socket.socketpair()
        lines = [f"o /w 0x{port:x} 0x{value:x}"
                 for register, wanted in ((self._BAR2, TPM_AT), (self._BAR2 + 4, 0), (self._COMMAND, self._MEMORY))
                 for port, value in ((0xcf8, 1 << 31 | self._SLOT << 11 | register), (0xcfc, wanted))]
        self._ours.sendall("".join(f"{line}\n" for line in [*lines, "cont"]).encode())
        self.descriptors += (self.monitor.fileno(),)
        self.arguments += ["-S", "-chardev", f"socket,id=ones,fd={self.monitor.fileno()}",
                           "-mon", "chardev=ones,mode=readline"]

    def close(self):
        os.close(self.ones)
        if self.monitor:
            self._ours.close()
            self.monitor.close()


def no_tpm_of(machine):
    """The NoTpm of a machine, or None where its firmware looks for no TPM there."""
    return NoTpm(machine) if (machine.isa, machine.firmware) == ("x86_64", "edk2") else None


class Control:
    """QEMU's machine protocol (docs/interop/qmp-intro.txt), over a connection that QEMU inherits."""

    def __init__(self):
        ours, self.theirs = socket.socketpair()
        self.descriptors = (self.theirs.fileno(),)
        self.arguments = ["-chardev", f"socket,id=control,fd={self.theirs.fileno()}",
                          "-mon", "chardev=control,mode=control"]
        self._lines = ours.makefile("rw")
        ours.close()  # the file keeps it
        self._begun = False

    def next(self):
        """The next message. Without one QEMU has ended."""
        line = self._lines.readline()
        if not line:
            raise OSError("QEMU has ended")
        return json.loads(line)

    def ask(self, command, **arguments):
        """What a command returns. Events that come before that are dropped."""
        if not self._begun:
            self.theirs.close()  # QEMU has its own by now, and its end is noticed
            self._begun = True
            self.ask("qmp_capabilities")
        self._lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._lines.flush()
        while "return" not in (answer := self.next()):
            if "error" in answer:
                raise OSError(answer["error"]["desc"])
        return answer["return"]

    def go_on(self):
        """Lets a machine go on that was stopped when its state was saved."""
        while self.ask("query-status")["status"] == "inmigrate":
            time.sleep(0.01)
        self.ask("cont")

    def close(self):
        self._lines.close()
        self.theirs.close()


class Screen:
    """Shows a serial line as it comes, without records and control sequences."""

    _RECORD = re.compile(rb'\{"t":|~\d{6}\.')
    _CUT_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*)?$")
    _LINES = re.compile(rb"[^\r\n]*[\r\n]+|[^\r\n]+$")

    def __init__(self, out):
        self._out = out
        self._held = b""  # the end of what came, which may be the beginning of a record or a control sequence
        self._dropped = False  # a record was dropped last; the rest of its line end is to be dropped, too

    def feed(self, data):
        data = records.strip_escapes(self._held + data)
        self._held = b""
        for line in self._LINES.findall(data):
            if self._dropped:
                line = line.lstrip(b"\r\n")
            whole = line.endswith((b"\r", b"\n"))
            if not whole and (line[:1] in (b"{", b"~") or self._CUT_ESCAPE.search(line)):
                self._held = line
            elif whole and self._RECORD.match(line):
                self._dropped = True
            elif line:
                self._dropped = False
                self._out.write(line.decode("utf-8", "replace"))
        self._out.flush()


@dataclass
class Boot:
    """The result of a boot."""

    serial: bytes  # everything that came, without control sequences
    ended: bool  # QEMU ended by itself; False: it was stopped, or its time was up
    seconds: float
    status: int  # QEMU's exit status, negative where it was stopped

    def records(self):
        return records.read(self.serial.split(b"\n"))


def start(machine, helpers, **streams):
    """QEMU as a process, with what each of the helpers adds."""
    return subprocess.Popen(command(machine) + [word for helper in helpers for word in helper.arguments],
                            stderr=subprocess.STDOUT, **streams,
                            pass_fds=[number for helper in helpers for number in helper.descriptors])


def boot(machine, timeout, screen=None, stop=None, answers=(), gather=0.01):
    """Runs QEMU until it ends or `timeout` seconds have passed.

    `screen` is fed with what comes. `stop` is called with the serial text so far, control sequences included; when it
    returns true, QEMU is killed.
    `answers` are pairs: when the first, a pattern in bytes, has come, the second is called, and what it returns typed; in
    order, each once. QEMU hands on a few bytes at a time: more is waited for `gather` seconds before any is looked at.
    """
    began = time.monotonic()
    serial, ended, answers, searched = bytearray(), False, list(answers), 0
    helpers = [helper for helper in (no_tpm_of(machine), Control() if machine.state else None) if helper]
    process = start(machine, helpers, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if machine.state:
        with contextlib.suppress(OSError):  # it has ended, and its last words say why
            helpers[-1].go_on()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        try:
            while (left := began + timeout - time.monotonic()) > 0:
                if stop and stop(serial):
                    break
                # `stop` may depend on the time, so it is called often.
                if not selector.select(min(left, 0.05) if stop else left):
                    continue
                time.sleep(gather)
                data = os.read(process.stdout.fileno(), 65536)
                if not data:
                    ended = True
                    break
                serial += data
                if screen:
                    screen.feed(data)
                while answers and (found := re.compile(answers[0][0]).search(serial, searched)):
                    searched = found.end()
                    process.stdin.write(answers.pop(0)[1]())
                    process.stdin.flush()
        finally:
            if not ended:
                process.kill()
            process.stdin.close()
            process.stdout.close()
            status = process.wait()
            for helper in helpers:
                helper.close()
    return Boot(records.strip_escapes(bytes(serial)), ended, time.monotonic() - began, status)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", nargs="?", help="disk image to boot; the machine may write to it, so give a copy")
    parser.add_argument("--isa", choices=EDK2, default="x86_64", help="default: x86_64")
    parser.add_argument("--firmware", choices=("edk2", "uboot"), default="edk2",
                        help="edk2 (default) is OVMF or AAVMF")
    parser.add_argument("--secure", action="store_true", help="edk2 with Secure Boot on, and Debian's test key")
    parser.add_argument("--disk", choices=("virtio", "usb", "none"), default="virtio",
                        help="how the image is attached; default: virtio")
    parser.add_argument("--read-only", action="store_true", help="attach the image write-protected")
    parser.add_argument("--cpu", default="max", help="QEMU's CPU model; default: max")
    parser.add_argument("--memory", type=int, default=512, metavar="MIB", help="default: 512")
    parser.add_argument("--smp", type=int, default=1, metavar="CORES", help="default: 1")
    parser.add_argument("--el2", action="store_true", help="AArch64: firmware and image run at EL2")
    parser.add_argument("--icount", type=int, metavar="SHIFT",
                        help="instruction counting: every instruction takes 2^SHIFT ns")
    parser.add_argument("--kernel", metavar="EFI", help="start this application without a disk")
    parser.add_argument("--tftp", metavar="EFI", help="boot this application over the network")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS", help="default: 600")
    parser.add_argument("--log", metavar="FILE", help="save everything that came over the serial line")
    parser.add_argument("--records", action="store_true", help="show records too")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="--, and further words for QEMU's command line")
    return parser.parse_args()


class Plain:
    """Shows everything."""

    def feed(self, data):
        sys.stdout.buffer.write(records.strip_escapes(data))
        sys.stdout.flush()


def main():
    options = vars(parse_arguments())
    timeout, log, everything = options.pop("timeout"), options.pop("log"), options.pop("records")
    options["arguments"] = [word for word in options["arguments"] if word != "--"]
    result = boot(Machine(**options), timeout, Plain() if everything else Screen(sys.stdout))
    if log:
        with open(log, "wb") as file:
            file.write(result.serial)
    if not result.ended:
        print(f"\nqemu.py: the machine did not switch itself off and was stopped after {timeout:g} seconds; "
              "--timeout allows more", file=sys.stderr)
        sys.exit(1)
    sys.exit(result.status)


if __name__ == "__main__":
    main()
