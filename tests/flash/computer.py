"""A modelled computer for scripts/flash: a folder with what /sys, /proc and /dev would hold, where disks are files."""

import contextlib
import errno
import importlib.machinery
import importlib.util
import io
import os
import random
import shutil
import subprocess
import tempfile

import tap

_loader = importlib.machinery.SourceFileLoader("flash", "scripts/flash")
flash = importlib.util.module_from_spec(importlib.util.spec_from_loader("flash", _loader))
_loader.exec_module(flash)

MIB = 1 << 20
# Modelled disks lie in memory where possible, because they are flushed often.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
IMAGE_MIB, DISK_MIB = 3, 5
SERIAL = "4C530001230510115233"

USB = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-3"
PATHS = {
    "sda": "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda",
    "sdb": f"{USB}/1-3:1.0/host6/target6:0:0/6:0:0:0/block/sdb",
    "sr0": "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sr0",
    "nvme0n1": "/sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1",
    "mmcblk0": "/sys/devices/platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0",
    "dm-0": "/sys/devices/virtual/block/dm-0",
}


class Model(flash.Computer):
    """A modelled computer. Its disks are files of DISK_MIB, each at /dev/NAME, with two partitions."""

    def __init__(self, folder):
        self.root = os.path.realpath(folder)
        self.numbers, self.kept, self.writes = {}, {}, []
        self.open_error = self.write_error = self.read_flaw = self.number_now = None
        self.most = MIB  # bytes that one write accepts
        for number, name in enumerate(PATHS):
            self.add(name, number)
        self.set("/proc/self/mountinfo", "22 1 259:0 / / rw - ext4 /dev/other rw\n23 22 0:22 / /sys rw "
                 "shared:1 - sysfs sysfs rw\n")
        self.set("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n")
        self.set(f"{USB}/serial", SERIAL + "\n")
        self.set(f"{PATHS['sdb']}/removable", "1")
        self.set(f"{PATHS['sdb']}/device/vendor", "SanDisk ")
        self.set(f"{PATHS['sdb']}/device/model", "Ultra Fit")
        self.set(f"{PATHS['mmcblk0']}/device/type", "SD")
        self.set(f"{PATHS['mmcblk0']}/device/name", "SD32G")
        self.set(f"{PATHS['mmcblk0']}/device/serial", "0x1234abcd")
        self.set(f"{PATHS['sr0']}/device/type", "5")
        self.set(f"{PATHS['sr0']}/removable", "1")

    def set(self, name, text):
        path = self.path(name)
        if os.path.islink(path):
            os.unlink(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def add(self, name, number):
        at = PATHS[name]
        for file, text in (("size", str(DISK_MIB * 2048)), ("ro", "0"), ("removable", "0"),
                           ("queue/logical_block_size", "512"),
                           ("diskseq", "7"), ("device/type", ""), ("dev", f"8:{16 * number}")):
            self.set(f"{at}/{file}", text)
        for part in (1, 2):
            mark = "p" if name[-1].isdigit() else ""
            self.set(f"{at}/{name}{mark}{part}/partition", str(part))
            self.set(f"{at}/{name}{mark}{part}/dev", f"8:{16 * number + part}")
            os.makedirs(self.path(f"{at}/{name}{mark}{part}/holders"))
            self.node(f"{name}{mark}{part}", f"8:{16 * number + part}", f"{at}/{name}{mark}{part}", 3 * MIB)
        os.makedirs(self.path(f"{at}/holders"))
        self.node(name, f"8:{16 * number}", at, DISK_MIB * MIB)

    def node(self, name, number, sysfs, size):
        os.makedirs(self.path("/dev"), exist_ok=True)
        noise = random.Random(name).randbytes(4096)
        with open(self.path(f"/dev/{name}"), "wb") as file:
            file.truncate(size)
            # The first blocks stay empty, since blkid might recognise noise.
            for at in (8192, MIB, 2 * MIB, size - 4096):
                file.seek(at)
                file.write(noise)
        self.numbers[self.path(f"/dev/{name}")] = number
        os.makedirs(self.path("/sys/dev/block"), exist_ok=True)
        os.symlink(self.path(sysfs), self.path(f"/sys/dev/block/{number}"))

    def number(self, device):
        path = os.path.realpath(self.path(device))
        return self.numbers[path] if path in self.numbers else super().number(device)

    def open(self, device):
        if self.open_error:
            raise OSError(self.open_error, os.strerror(self.open_error))
        self.opened = os.path.realpath(self.path(device))
        return os.open(self.opened, os.O_RDWR)

    def number_of_open(self, fd):
        return self.number_now or self.numbers[self.opened]

    def write(self, fd, data, at):
        if self.write_error is not None and at + len(data) > self.write_error:
            raise OSError(errno.EIO, "Input/output error")
        self.writes.append((at, any(data)))
        return super().write(fd, data[:self.most], at)

    def read(self, fd, count, at):
        data = bytearray(super().read(fd, count, at))
        if self.read_flaw is not None and at <= self.read_flaw < at + len(data):
            data[self.read_flaw - at] ^= 1
        return bytes(data)

    def flush(self, fd):
        os.fsync(fd)

    def announce(self, fd):
        pass

    def stamp(self):
        """Afterwards `written` knows which disks were written to since."""
        for path in self.numbers:
            os.utime(path, (1, 1))

    def written(self):
        return [os.path.basename(path) for path in self.numbers if os.stat(path).st_mtime != 1]


def make_image(path, size=IMAGE_MIB * MIB):
    data = bytearray(random.Random(5).randbytes(size))
    data[510:512], data[512:520] = b"\x55\xaa", b"EFI PART"
    with open(path, "wb") as file:
        file.write(data)
    return bytes(data)


@contextlib.contextmanager
def computer():
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        model = Model(os.path.join(folder, "root"))
        model.image = os.path.join(folder, "image")
        model.data = make_image(model.image)
        yield model


def call(model, *words, answer=None):
    """Exit status and output. `answer` is what is typed: text, or a function that returns it; None: nothing."""
    said = io.StringIO()

    def ask(question):
        said.write(question)
        if answer is None:
            raise EOFError
        return answer() if callable(answer) else answer

    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = flash.main(["--image", model.image, *words], model, ask)
    return status, said.getvalue()


def refuses(why, *words, change=None, answer=SERIAL[-4:]):
    """The call ends with 1 and this reason, and no disk is written to. `change` alters the computer before."""
    with computer() as model:
        if change:
            change(model)
        model.stamp()
        status, said = call(model, *words, answer=(lambda: answer(model)) if callable(answer) else answer)
        assert status == 1 and why in said and said.endswith("Nothing was written.\n"), (why, status, said)
        assert not model.written() and not model.writes, f"{why}: something was written"


def formatted(tool, *words, name="sdb2"):
    def change(c):
        path = c.path(f"/dev/{name}")
        with open(path, "r+b") as file:
            file.write(bytes(os.path.getsize(path)))
        found = shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if not found:
            raise tap.Skip(f"there is no {tool}")
        subprocess.run([found, *words, path], check=True, capture_output=True)
    return change
