"""Tests of the built images: the stick, the loaders, and the list of probes in every binary."""

import os
import re
import struct
import subprocess
import tempfile

import stick
from common import EFI, IMAGE, PATH, load, run


def section_header(image, name):
    """Offset of a section's header in a PE file."""
    pe = struct.unpack_from("<I", image, 0x3C)[0]
    count, optional_bytes = struct.unpack_from("<H", image, pe + 6)[0], struct.unpack_from("<H", image, pe + 20)[0]
    first = pe + 24 + optional_bytes
    return next(at for at in range(first, first + 40 * count, 40) if image[at : at + 8].rstrip(b"\0") == name)


def test_efi_header_faults_are_refused():
    finish = load("scripts/finish-efi").finish
    for isa, path in EFI.items():
        with open(path, "rb") as file:
            good = file.read()
        again = bytearray(good)
        assert finish(isa, again) == [] and again == good
        pe = struct.unpack_from("<I", good, 0x3C)[0]
        text, data = section_header(good, b".text"), section_header(good, b".data")
        for what, at, kind, value in (
            ("machine", pe + 4, "<H", 0x14C),
            ("subsystem", pe + 24 + 68, "<H", 3),
            ("section alignment", pe + 24 + 32, "<I", 512),
            ("relocation", pe + 24 + 112 + 40, "<II", (0, 0)),
            ("relocations-stripped", pe + 22, "<H", 0x20F),
            ("writable and executable", text + 36, "<I", 0xE0000020),
            ("writable and executable", data + 36, "<I", 0xE0000040),
            ("missing", section_header(good, b".sbat"), "<8s", b".tabs"),
            ("as shim wants it", struct.unpack_from("<I", good, section_header(good, b".sbat") + 20)[0], "<8s",
             b"sbom,1,x"),
            ("page of its own", data + 12, "<I", 0x1800),
            ("missing", data, "<8s", b".dado"),
            ("past the end", data + 16, "<I", 1 << 24),
            ("entry", pe + 24 + 16, "<I", 0x10),
        ):
            bad = bytearray(good)
            struct.pack_into(kind, bad, at, *(value if isinstance(value, tuple) else (value,)))
            assert any(what in sentence for sentence in finish(isa, bad)), f"{path}: {what}"
        assert any("bytes long" in sentence for sentence in finish(isa, bytearray(good) + bytes(4 << 20)))


def probe_pointers(path):
    """How many probes are on a binary's list."""
    lines = map(str.split, run("nm", path).stdout.splitlines())
    symbols = {words[-1]: int(words[0], 16) for words in lines if len(words) == 3}
    return (symbols["__stop_probes"] - symbols["__start_probes"]) // 8


def test_every_probe_is_on_the_list_of_every_binary():
    native = os.uname().machine
    for isa in EFI:
        objects = {"uefi": f"build/uefi/{isa}", "linux": f"build/linux/{isa}"}
        binary = {"uefi": f"build/uefi/{isa}/fathom.so",
                  "linux": "build/fathom" if isa == native else f"build/fathom-{isa}"}
        for platform, folder in objects.items():
            files = [f"{folder}/{top}/{name}.o" for top, _, names in os.walk("probes") for name in names
                     if name.endswith(".c")]
            found = [line.rpartition(":")[0] for line in run("nm", "-A", *files).stdout.splitlines()
                     if re.search(r"\bprobe_entry_\w+", line)]
            assert set(files) == set(found), f"these register no probe: {set(files) - set(found)}"
            entries = len(found)
            assert entries and probe_pointers(binary[platform]) == entries, (binary[platform], entries)


def test_the_reader_calls_nothing_but_kernels():
    """
    A window runs its list and nothing else: the reader has no foreign symbol, and one call, through a register. On
    AArch64 it also calls its own loop that reads a counter with an erratum again.
    """
    calls = {"x86_64": r"call \s*\*%r", "aarch64": r"\tblr\t|\tbl\t\w+ <read_again>$"}
    for isa, through_register in calls.items():
        code = f"build/uefi/{isa}/arch/{isa}/reader.S.o"
        tools = "" if isa == os.uname().machine else f"{isa}-linux-gnu-"
        foreign = subprocess.run([f"{tools}nm", "-u", code], capture_output=True, text=True, check=True).stdout
        assert not foreign.strip(), f"{isa}: {foreign}"
        listing = subprocess.run([f"{tools}objdump", "-d", "--no-show-raw-insn", "--disassemble=reader_run", code],
                                 capture_output=True, text=True, check=True).stdout
        assert "reader_run" in listing, isa
        found = re.findall(r".*\t(?:call|bl|blr)\b.*", listing)
        assert found and all(re.search(through_register, line) for line in found), f"{isa}: {found}"


def test_image_is_the_same_bytes_every_time():
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.img")
        result = run("scripts/image", again, EFI["x86_64"], EFI["aarch64"], "build/newlib/source", "build/viewer.html",
                     env=dict(os.environ, TZ="Asia/Tokyo"))
        assert result.returncode == 0, result.stdout
        assert run("cmp", again, IMAGE).returncode == 0


def test_image_partitions_and_volumes():
    environment = dict(os.environ, PATH=PATH)
    table = run("sgdisk", "-v", "-p", IMAGE, env=environment).stdout
    assert "No problems found" in table
    assert re.search(r"^ +1 +2048 .* 0700 +FATHOM$", table, re.M) and re.search(r"^ +2 .* EF00 +BOOT$", table, re.M)
    for start, size in ((1, 64), (65, 40)):
        with tempfile.NamedTemporaryFile() as part:
            run("dd", f"if={IMAGE}", f"of={part.name}", "bs=1M", f"skip={start}", f"count={size}")
            result = run("fsck.fat", "-n", part.name, env=environment)
            assert result.returncode == 0, result.stdout
    listing = run("mdir", "-i", f"{IMAGE}@@1M", "-b", "::/").stdout.split()
    shipped = ["::/FATHOM.CFG", "::/NOTICES.TXT", "::/README.TXT", "::/RESULTS/", "::/VIEWER.HTM"]
    assert sorted(listing) == shipped, listing
    notices = stick.read(IMAGE, "/NOTICES.TXT")
    for words in (b"fathom contributors", b"Hewlett-Packard", b"Red Hat", b"Mike Bostock"):
        assert words in notices, words
    for name in ("FATHOM.CFG", "README.TXT", "NOTICES.TXT"):
        text = stick.read(IMAGE, f"/{name}")
        assert text.count(b"\n") == text.count(b"\r\n") > 10, name
    for isa, path in EFI.items():
        with open(path, "rb") as file:
            name = os.path.basename(path)
            assert run("mcopy", "-i", f"{IMAGE}@@65M", f"::/EFI/BOOT/{name}", "-", text=False).stdout == file.read()


def test_configuration_documents_every_key():
    with open("lib/plan/config.h") as file:
        keys = set(re.findall(r"\* (\w+) = ", file.read()))
    with open("images/FATHOM.CFG") as file:
        documented = set(re.findall(r"^# (\w+) =", file.read(), re.M))
    assert keys == documented and len(keys) > 5, keys ^ documented
