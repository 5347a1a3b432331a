"""Runs for the viewer to show: booted, hosted and made-up ones; numbers and keys as the page writes them."""

import decimal
import glob
import json
import os
import subprocess
import sys
import zlib

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(TOP, "scripts"))
import records as reading  # noqa: E402
import stick  # noqa: E402

SCRATCH = os.path.join(TOP, "build/tests/viewer")
IMAGE = os.path.join(TOP, "build/fathom.img")
PAGE = os.path.join(SCRATCH, "VIEWER.HTM")
LONG = bool(os.environ.get("LONG"))


class Run:
    """A run's file, and what scripts/records.py reads in it; the page has a reader of its own, which must agree."""

    def __init__(self, file):
        self.file = file
        with open(file, "rb") as opened:
            self.data = opened.read()
        self.records, self.findings, self.damaged = read(self.data)

    @property
    def name(self):
        return os.path.basename(self.file)


def read(data):
    """Records, findings that stand, and how many lines were damaged, of a file's bytes."""
    reader = reading.read(data.split(b"\n"))
    parsed = reading.parse(reader)
    return parsed, reading.findings(parsed), reader.damaged


def command(*words, status=0, **options):
    """A finished process; a status other than the wanted one is an error, None wants none."""
    options.setdefault("text", True)
    done = subprocess.run(words, cwd=TOP, capture_output=True, check=False, **options)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done


def booted(isa):
    """A booted run of this ISA, of one core: the fullest that tests/qemu left of this image, else one more boot."""
    built, own = os.path.getmtime(IMAGE), os.path.join(SCRATCH, isa)
    found = []
    for file in glob.glob(os.path.join(TOP, "build/tests/qemu/*/records-1.jsl")) + [os.path.join(own, "RUN00001.JSL")]:
        log = os.path.join(os.path.dirname(file), "serial.log")
        if not os.path.exists(file) or os.path.getmtime(file) <= built or not os.path.exists(log):
            continue
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
        if (
            f'"isa":"{isa}"' in text
            and text.count('{"t":"machine"') == 1
            and '{"t":"done"' in text
            and '{"t":"curve"' in text
        ):
            found.append((len(text), file))
    if found:
        return Run(max(found)[1])
    command("scripts/run", isa, IMAGE, own)
    return Run(os.path.join(own, "RUN00001.JSL"))


def hosted():
    file = os.path.join(SCRATCH, "hosted.jsl")
    # Not all probes: enough for findings, curves with knees, matrices and instructions. Caches take most of the time:
    # booted runs have them.
    probes = ["clock", *(["cache"] if LONG else []), "return_stack", "forwarding", "instructions"]
    command("build/fathom", "run", *probes, "--profile", "quick", "--json", file, status=None)
    return Run(file)


def page_of_image():
    """Puts the viewer, as it lies on the stick image, at PAGE."""
    os.makedirs(SCRATCH, exist_ok=True)
    with open(PAGE, "wb") as file:
        file.write(stick.read(IMAGE, "/VIEWER.HTM"))


def line(record):
    """The record as a line of a run, in bytes, with a checksum of its own."""
    body = json.dumps(
        {key: value for key, value in record.items() if key != "c"}, separators=(",", ":"), ensure_ascii=False
    )
    body = body[:-1].encode()
    return body + b',"c":"%08x"}\n' % zlib.crc32(body)


def lines(records):
    return b"".join(map(line, records))


def write(name, data):
    """A file below SCRATCH with these bytes; its path."""
    path = os.path.join(SCRATCH, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def made(*records):
    """A run of one core with these records in it."""
    return lines([{"t": "run", "schema": 1}, {"t": "machine", "core": 0}, *records, {"t": "done"}])


# ---- As JavaScript writes it -------------------------------------------------------------------------


def written(value):
    """String(value) of JavaScript, for what JSON holds."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        value = float(value)
        if value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        digits, _, exponent = repr(value).partition("e")
        if exponent and -7 < int(exponent) < 0:  # where Python takes an exponent and JavaScript none yet
            return format(decimal.Decimal(repr(value)), "f")
        return digits + (f"e{int(exponent):+d}" if exponent else "")
    return str(value)


def four_digits(value):
    """String(Number(value.toPrecision(4))): a tie goes away from zero."""
    context = decimal.Context(prec=4, rounding=decimal.ROUND_HALF_UP)
    return written(float(context.plus(decimal.Decimal(float(value)))))


def key_of(finding):
    """What the page knows a finding by: its name and variants, which stand before the value."""
    keys = list(finding)
    variants = [key for key in keys[: keys.index("value")] if key not in ("t", "probe", "name", "core", "type")]
    return " ".join([finding["name"], *(f"{key}={written(finding[key])}" for key in variants)])
