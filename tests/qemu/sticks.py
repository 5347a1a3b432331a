"""The disks that runs boot from: copies of the stick image, prepared and damaged as the tables say."""

import os
import pathlib
import random
import re
import subprocess

import stick

TOP = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
ESP = "65M"  # where scripts/image puts the EFI system partition
PARTITIONS = {"FATHOM": (1, 64), "BOOT": (65, 40)}  # begin and size in MiB
# After a power cut, or after U-Boot wrote to it, one thing may be wrong with a volume: the number of free clusters,
# which is only a hint that file systems count anew (Microsoft FAT specification 1.03, FSI_Free_Count).
FREE_HINT = re.compile(r"Free cluster summary wrong \(\d+ vs\. really \d+\)|  (Auto-correcting\.|\d\) .*)")
SANE = re.compile(r"fsck\.fat [\d.]+ \(.*\)|.*: \d+ files, \d+/\d+ clusters|Leaving filesystem unchanged\.|")

# And what a power cut in the middle of a write may leave, before its flush and therefore before its record is
# announced: one more cluster at the end of the result file, perhaps only in the first FAT, while the file's size does
# not yet reach into it. A chain of clusters that is too short for the size would be a loss, and is not among these.
HALF_WRITTEN = re.compile(r"FATs differ but appear to be intact\.|  Using first FAT\.|/RESULTS/(RUN|SUP)\d{5}\.JSL|"
                          r"  File size is \d+ bytes, cluster chain length is > \d+ bytes\.|"
                          r"  Truncating file to \d+ bytes\.")

TEST_KEY = "/usr/share/ovmf/PkKek-1-snakeoil"  # .key, with the password "snakeoil", and .pem

LOADERS = {"x86_64": "BOOTX64.EFI", "aarch64": "BOOTAA64.EFI"}


def settings_of(table):
    """
    Lines of FATHOM.CFG that make the run what the table says. Nobody is there to use the menu or to look at the bring-up
    page, and the checks compare all records.
    """
    lines = [f"{key} = {table[key]}" for key in ("profile", "after", "probes", "repeat") if table[key]]
    lines += table["config"].strip().splitlines()
    hangs = table["timeouts"] or table["ends"] == "hang"
    # A loaded host sometimes stops its guests for seconds; no window may reach its deadline because of that.
    defaults = {"menu": "off", "bringup": "off", "serial": "all", "deadline": 1000 if hangs else 60000}
    given = {line.split("=")[0].strip() for line in lines}
    lines += [f"{key} = {value}" for key, value in defaults.items() if key not in given]
    return "".join(line + "\r\n" for line in lines).encode()


def config_file(kind, shipped, settings):
    if kind == "shipped":
        return shipped + settings
    if kind == "empty":
        return b""
    if kind == "binary":
        return random.Random(1).randbytes(4096) + b"\r\n" + settings
    if kind == "1 MiB":
        line = b"# " + b"-" * 60 + b"\r\n"
        return settings + line * (MIB // len(line))
    raise ValueError(f"there is no configuration file of kind {kind!r}")


def damage(report, hint_may_be_wrong, cut):
    """Those lines of fsck.fat's report that mean a loss."""
    return [line for line in report.splitlines()
            if not SANE.fullmatch(line) and not (hint_may_be_wrong and FREE_HINT.fullmatch(line))
            and not (cut and HALF_WRITTEN.fullmatch(line))]


class Stick:
    """A scratch copy of an image, prepared as the table says; `shipped` is the configuration file of the image."""

    def __init__(self, original, shipped, path, table):
        self.path, self.table = path, table
        self.offset = "1M"  # of the volume that results go to
        self.plain = False
        if table["prepare"] == "plain stick":
            self._make_plain(original)
        else:
            subprocess.run(["cp", "--sparse=always", original, path], check=True)
        self.config = config_file(table["config_file"], shipped, settings_of(table))
        stick.write(path, "/FATHOM.CFG", self.config, self.offset)
        if table["kernels"]:
            stick.mtools("mmd", path, "::/KERNELS", offset=self.offset)
            stick.write(path, "/KERNELS/HOSTILE.TXT", pathlib.Path(TOP, table["kernels"]).read_bytes(), self.offset)
        if table["prepare"] == "shell":
            self._leave_it_to_the_shell()
        if table["prepare"] == "signed":
            self._sign()
        if table["prepare"] in ("e2h", "spin"):
            self._put_stub_before()
        if table["prepare"] in ("full", "nearly full"):
            self._fill(0 if table["prepare"] == "full" else 8192)
        self.boot_volume = self._boot_volume()
        # What a cut has left in a file stays there while this run makes files of its own: these lines, and no others.
        self.left = {line for _, report in self._reports() for line in report.splitlines()
                     if HALF_WRITTEN.fullmatch(line)} if table["continues"] else set()

    def _make_plain(self, original):
        """An ordinary stick: one FAT volume without a partition table, onto which the folder EFI was copied."""
        self.plain, self.offset = True, "0"
        subprocess.run(["truncate", "-s", "64M", self.path], check=True)
        stick.mtools("mformat", self.path, "-T", str(64 * 2048), "-h", "64", "-s", "32", "-F", "-v", "STICK", "::",
                     offset=self.offset)
        stick.mtools("mmd", self.path, "::/EFI", "::/EFI/BOOT", offset=self.offset)
        for name in LOADERS.values():
            stick.write(self.path, f"/EFI/BOOT/{name}", stick.read(original, f"/EFI/BOOT/{name}", ESP), self.offset)

    def _leave_it_to_the_shell(self):
        """Without a loader edk2 starts its Shell, which runs startup.nsh."""
        program = stick.read(self.path, f"/EFI/BOOT/{LOADERS[self.table['isa']]}", ESP)
        stick.mtools("mdel", self.path, *(f"::/EFI/BOOT/{name}" for name in LOADERS.values()), offset=ESP)
        script = "fs1:\n" + self.table["script"].strip() + "\nreset -s\n"
        stick.write(self.path, "/FATHOM.EFI", program, ESP)
        stick.write(self.path, "/startup.nsh", script.replace("\n", "\r\n").encode(), ESP)

    def _put_stub_before(self):
        """The firmware starts a stub, which changes the machine and starts our loader: see stubs/."""
        stub, name = f"{self.path}.stub", LOADERS["aarch64"]
        subprocess.run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "stubs/build"), self.table["prepare"], stub],
                       check=True)
        stick.mtools("mmd", self.path, "::/EFI/STUB", offset=ESP)
        stick.write(self.path, f"/EFI/STUB/{name}", stick.read(self.path, f"/EFI/BOOT/{name}", ESP), ESP)
        with open(stub, "rb") as file:
            stick.write(self.path, f"/EFI/BOOT/{name}", file.read(), ESP)

    def _sign(self):
        key = f"{self.path}.key"
        subprocess.run(["openssl", "pkey", "-in", f"{TEST_KEY}.key", "-passin", "pass:snakeoil", "-out", key],
                       check=True)
        sign = os.path.join(os.path.dirname(stick.__file__), "sign")
        subprocess.run([sign, key, f"{TEST_KEY}.pem", self.path], check=True, stdout=subprocess.DEVNULL)
        os.remove(key)

    def _fill(self, left):
        listing = stick.mtools("mdir", self.path, "::/", offset=self.offset).decode()
        free = int(re.search(r"([\d ]+) bytes free", listing)[1].replace(" ", ""))
        stick.write(self.path, "/FILLER.BIN", bytes(free - left), self.offset)

    def _boot_volume(self):
        if self.plain:
            return None
        begin, size = PARTITIONS["BOOT"]
        with open(self.path, "rb") as image:
            image.seek(begin * MIB)
            return hash(image.read(size * MIB))

    def results(self, prefix="RUN"):
        """Result files, or with SUP support files: name -> bytes."""
        top = stick.mtools("mdir", self.path, "-b", "::/", offset=self.offset).decode().split()
        names = stick.results(self.path, self.offset, prefix=prefix) if "::/RESULTS/" in top else []
        return {name: stick.read(self.path, f"/RESULTS/{name}", self.offset) for name in names}

    def _reports(self):
        """Each file system's name, and what fsck.fat says of it."""
        for name, (begin, size) in {"the stick": (0, 64)}.items() if self.plain else PARTITIONS.items():
            part = f"{self.path}.part"
            subprocess.run(["dd", f"if={self.path}", f"of={part}", "bs=1M", f"skip={begin}", f"count={size}",
                            "conv=sparse", "status=none"], check=True)
            found = subprocess.run(["/usr/sbin/fsck.fat", "-n", part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            os.remove(part)
            yield name, found.stdout.decode()

    def check(self):
        """Complaints unless the file systems are sound and nothing but RESULTS has changed."""
        complaints = []
        cut = self.table["ends"] == "cut"
        hint_may_be_wrong = cut or self.table["firmware"] == "uboot"
        for name, report in self._reports():
            wrong = [line for line in damage(report, hint_may_be_wrong, cut) if line not in self.left]
            complaints += [f"fsck.fat on {name}: {line}" for line in wrong]
            if not report.strip():
                complaints.append(f"fsck.fat on {name} failed")
        if stick.read(self.path, "/FATHOM.CFG", self.offset) != self.config:
            complaints.append("FATHOM.CFG was changed")
        # U-Boot keeps its own variables in a file there.
        if self.table["firmware"] != "uboot" and self._boot_volume() != self.boot_volume:
            complaints.append("the volume with the loaders was changed")
        return complaints
