"""Tests the checks: correct records pass, and each way of damaging them is noticed."""

import json
import zlib

import checks
import special
import sticks
import support

# What fsck.fat prints about a file whose last write was cut before it was flushed; with < instead of > its chain of
# clusters would be too short for its size.
HALF_WRITTEN = """FATs differ but appear to be intact.
  Using first FAT.
/RESULTS/RUN00001.JSL
  File size is 10042 bytes, cluster chain length is %s 10240 bytes.
  Truncating file to 10042 bytes.
"""

PROBES = checks.declared(
    "clock              system    Core clock and gates\n"
    "    system.clock.hz                      Hz           core clock while measuring\n"
    "noise              system    Silence of the core\n"
    "debug_undefined    system    Executes an undefined instruction (only when named)\n"
)

TABLE = {
    "isa": "aarch64", "cpu": "max", "records": "both", "probes": "noise debug_undefined",
    "faults": "debug_undefined undefined-instruction none",
    "timeouts": "", "measures": "yes", "skips": "", "warnings": "core: cannot be used", "fields": "environment.page_bytes = [4096]",
    "memory_lacks_pages": "", "cores": "0", "checks": "silence", "icount": "0", "repeat": "1", "runs": "1",
    "destination": "volume FATHOM", "notes": [],
}


def line(**record):
    text = json.dumps(record, separators=(",", ":"))[:-1].encode()
    return text + b',"c":"%08x"}' % zlib.crc32(text)


def silence(window, length, kernel, low, high):
    return line(t="table", probe="noise", name="silence", window=window, length=length, repetitions=12, cut=0,
                kernel_instructions=kernel, min_ticks=low // 16, max_ticks=high // 16, min_instructions=low,
                max_instructions=high)


def gaps(window, count):
    return line(t="curve", probe="noise", name=f"gaps {window}", x=[64, 128, 256], count=[0, count, 0], window=window,
                period_ns=32, threshold_ns=64, seconds=0.1, lists=2000, cut=0)


def good_run():
    return [
        line(t="run", schema=1, platform="uefi", isa="aarch64", destination="volume FATHOM, RESULTS\\RUN00001.JSL",
             repeat=1, repeat_index=1),
        line(t="machine", core=0, emulator=True, tick_hz=62500000),
        line(t="environment", core=0, page_bytes=[4096]),
        line(t="warning", subject="core", text="cannot be used"),
        line(t="start", probe="clock", core=0),
        line(t="finding", probe="clock", name="system.clock.hz", core=0, value=None, unit="Hz", grade="U",
             reason="untrusted-clock"),
        line(t="end", probe="clock", core=0, outcome="ok"),
        line(t="start", probe="debug_undefined", core=0),
        line(t="fault", probe="debug_undefined", core=0, vector="undefined-instruction", syndrome="0x2000000",
             address="0x0", pc="0xffffff8040000000"),
        line(t="end", probe="debug_undefined", core=0, outcome="fault"),
        line(t="start", probe="noise", core=0),
        gaps("stopped", 0),
        silence("stopped", "10us", 11000, 11007, 11007),
        silence("stopped", "20ms", 22000000, 22000007, 22000007),
        gaps("masked", 0),
        silence("masked", "10us", 11000, 11007, 11007),
        silence("masked", "20ms", 22000000, 22000007, 22000007),
        gaps("none", 9),
        silence("none", "10us", 11000, 11007, 11007),
        silence("none", "20ms", 22000000, 22002000, 22004000),
        silence("stopped", "twice", 44000000, 44000007, 44000007),
        line(t="end", probe="noise", core=0, outcome="ok"),
        line(t="done", ok=2, skipped=0, fault=1, timeout=0, findings=1, cores=1, trusted=False,
             untrusted_cause="an emulator", lost_lines=0, status=1),
    ]


def verdicts():
    rows = [line(t="table", probe="debug_verdicts", name="verdict", curve=i, sigma=1 / 7, knees=[[1, 2, 3]])
            for i in range(500)]
    return [*rows, line(t="table", probe="debug_verdicts", name="verdicts", curves=500, hash="0x1")]


# A support file of an AArch64 machine with one core at EL1 and 512 MiB.
SUPPORT_TABLE = dict(TABLE, firmware="edk2", el2="no", smp="1", memory="512", config="", arguments="")
SUPPORT_HEAD = {"isa": "aarch64", "fingerprint": "1", "number": 1, "build": "b"}
SUPPORT_RUN = [dict(SUPPORT_HEAD, t="run"), {"t": "environment", "core": 0, "control": {"CurrentEL": "0x4"}}]


def acpi_table(signature, rest=b""):
    """A table whose bytes add up to zero."""
    data = signature + bytes(40) + rest
    return data[:9] + bytes([-sum(data) % 256]) + data[10:]


def good_support():
    tables = {"FACP": acpi_table(b"FACP"), "APIC": acpi_table(b"APIC", b"\x0b\x02"), "GTDT": acpi_table(b"GTDT")}
    pieces = [line(t="bytes", source="acpi", name=name, bytes=len(data), at=at, data=data[at : at + 30].hex())
              for name, data in tables.items() for at in (0, 30)]
    return [
        line(t="support", **SUPPORT_HEAD),
        line(t="identity", core=0, registers={"midr_el1": "0x5"}),
        line(t="memory_map", rows=[["free", "0x40000000", 130000, "0xf"], ["device", "0x0", 9999999, "0x1"]]),
        line(t="protocols", rows=[]),
        line(t="acpi", rows=[[name, len(data), 1, True] for name, data in tables.items()]),
        *pieces,
        line(t="bytes", source="smbios", name="structures", bytes=6, at=0, data=b"Public".hex()),
        line(t="control", core=0, registers={"CurrentEL": "0x4"}),
        line(t="registers", core=0, group="support-identity", rows=[["MIDR_EL1", "0xc000", "0x5"], ["SCTLR_EL2", "0x1", None]]),
        line(t="support_end", lost_lines=0),
    ]


def check_support(lines, **other):
    return support.complaints(in_file(lines), SUPPORT_RUN, dict(SUPPORT_TABLE, **other))


def broken_support():
    """The same for support files."""
    good = good_support()

    def with_line(number, old, new):
        assert old in good[number], (old, good[number])
        record = json.loads(good[number].replace(old, new))
        del record["c"]
        return [*good[:number], line(**record), *good[number + 1 :]]

    yield "support file: it does not end", check_support(good[:-1])
    yield "support file: a record is damaged", check_support([good[0][:-3] + b'0"}', *good[1:]])
    yield "support file: lines were lost", check_support(with_line(len(good) - 1, b":0,", b":1,"))
    yield "support file: it is another run's", check_support(with_line(0, b'"number":1', b'"number":2'))
    for kind in ("identity", "memory_map", "protocols", "control", "registers"):
        yield f"support file: there is no {kind}", check_support([each for each in good if b'"t":"%s"' % kind.encode() not in each])
    yield "support file: a piece is missing", check_support(good[:6] + good[7:])
    yield "support file: a table is missing", check_support(good[:5] + good[7:])
    yield "support file: a table's checksum does not hold", check_support(with_line(6, b'"data":"00', b'"data":"01'))
    yield "support file: there are other cores", check_support(good, smp="2")
    yield "support file: there is less memory", check_support(good, memory="1024")
    yield "support file: control registers differ", check_support(with_line(12, b"0x4", b"0x8"))
    yield "support file: a fault is not marked", check_support(with_line(13, b"null", b'"0x0"'))
    yield "support file: a register faults at EL2", check_support(good, el2="yes")
    yield "support file: MIDR_EL1 differs", check_support(with_line(13, b'"0x5"', b'"0x6"'))
    yield "support file: a secret is in it", check_support(with_line(11, b"Public".hex().encode(), b"Secret".hex().encode()))
    yield "support file: what is public is not in it", check_support(good, arguments="-smbios type=1,product=PublicBoard")


def on_line(lines):
    return b"BdsDxe: starting\r\n" + b"".join(text + b"\r\n" for text in lines)


def in_file(lines):
    return b"".join(text + b"\n" for text in lines)


def check(serial, volume):
    files = [in_file(volume)] if volume is not None else []
    return checks.check_boot(on_line(serial), files, dict(TABLE, notes=[]), PROBES)


def edited(number, old, new):
    """A run in which one record is changed and its checksum made good again."""
    run = good_run()
    body = run[number][: run[number].rindex(b',"c"')]
    assert old in body, (old, body)
    text = body.replace(old, new)
    run[number] = text + b',"c":"%08x"}' % zlib.crc32(text)
    return run


def broken():
    """Pairs: what is wrong, and the complaints about it."""
    good = good_run()
    bad_sum = good[:4] + [good[4].replace(b'"core":0', b'"core":1')] + good[5:]
    yield "a byte differs and the checksum does not hold, on serial", check(bad_sum, good)
    yield "a byte differs and the checksum does not hold, on the volume", check(good, bad_sum)
    yield "a byte differs on one side, and the checksum holds", check(good, edited(4, b'"core":0', b'"core":1'))
    yield "a record is missing on serial", check(good[:5] + good[6:], good)
    yield "the last record is missing on the volume", check(good, good[:-1])
    yield "there is no result file", check(good, None)
    yield "there is text in the result file", check(good, good[:3] + [b"hello"] + good[3:])
    for what, run in (
        ("the run does not end", good[:-1]),
        ("a start has no end", good[:9] + good[10:]),
        ("an end has no start", good[:7] + good[8:]),
        ("there are two runs", good + good),
        ("a probe was not run", good[:10] + good[22:]),
        ("there is no fault record", good[:8] + good[9:]),
        ("there is no warning", good[:3] + good[4:]),
        ("a silence table is missing", good[:20] + good[21:]),
        ("a curve of gaps is missing", good[:14] + good[15:]),
        ("the fault has another vector", edited(8, b"undefined-instruction", b"data-abort")),
        ("the fault has an address", edited(8, b'"address":"0x0"', b'"address":"0xffffff8040001000"')),
        ("the fault lies outside the window's addresses", edited(8, b"0xffffff80", b"0x80")),
        ("another warning comes", edited(3, b'"subject":"core"', b'"subject":"tick"')),
        ("a finding is decided", edited(5, b'"value":null', b'"value":2')),
        ("a finding has a grade", edited(5, b'"grade":"U"', b'"grade":"C"')),
        ("a finding is not declared", edited(5, b"system.clock.hz", b"system.clock.khz")),
        ("a finding has another unit", edited(5, b'"unit":"Hz"', b'"unit":"kHz"')),
        ("the emulator is not recognised", edited(1, b'"emulator":true', b'"emulator":false')),
        ("the clock is trusted", edited(22, b'"trusted":false', b'"trusted":true')),
        ("a field differs", edited(2, b"[4096]", b"[4096,16384]")),
        ("the machine is another core's", edited(1, b'"core":0', b'"core":1')),
        ("the environment is another core's", edited(2, b'"core":0', b'"core":1')),
        ("a core has no environment", good[:2] + good[3:]),
        ("a probe ends on another core", edited(21, b'"core":0', b'"core":1')),
        ("a fault is another core's", edited(8, b'"core":0', b'"core":1')),
        ("done counts other cores", edited(22, b'"cores":1', b'"cores":2')),
        ("a probe ends with another outcome", edited(21, b'"ok"', b'"timeout"')),
        ("lines were lost", edited(22, b'"lost_lines":0', b'"lost_lines":1')),
        ("done counts another number of findings", edited(22, b'"findings":1', b'"findings":2')),
        ("the status is another", edited(22, b'"status":1', b'"status":0')),
        ("records go elsewhere", edited(0, b'"volume FATHOM', b'"boot volume')),
        ("a window is not silent", edited(13, b'"max_instructions":22000007', b'"max_instructions":22000008')),
        ("a window that is only masked is not silent",
         edited(16, b'"max_instructions":22000007', b'"max_instructions":22000008')),
        ("an interrupt ends a repetition", edited(13, b'"cut":0', b'"cut":1')),
        ("a window has a gap", edited(11, b"[0,0,0]", b"[0,1,0]")),
        ("a window that is only masked has a gap", edited(14, b"[0,0,0]", b"[0,1,0]")),
        ("the tick does not show without a window", edited(17, b"[0,9,0]", b"[0,0,0]")),
        ("the core spins for too short a time", edited(14, b'"seconds":0.1', b'"seconds":0.09')),
        ("reading does not cost a constant", edited(20, b"44000007", b"44000009")),
        ("ticks differ in a window", edited(13, b'"max_ticks":1375000', b'"max_ticks":1375003')),
        ("it is silent without a window", edited(19, b'"max_instructions":22004000', b'"max_instructions":22002000')),
        ("the kernel is short", edited(13, b'"kernel_instructions":22000000', b'"kernel_instructions":2000000')),
    ):
        yield what, check(run, run)
    yield "the firmware has crashed", check([*good, b"!!!! X64 Exception Type - 06"], good)
    misread = line(t="table", probe="noise", core=0, name="pages", page_bytes=4096, good=False)
    yield "pages are misread", check(good[:11] + [misread] + good[11:], good[:11] + [misread] + good[11:])

    def again(runs="2", **other):
        curve = dict(t="curve", probe="l1i", name="straight", x=list(range(20)), q20=[1.5] * 20, samples=[2] * 20)
        table = dict(TABLE, notes=[], runs=runs)
        first, second = [line(**curve)], [line(**dict(curve, **other))]
        return [complaint for run in (first, second) for complaint in special.check_exact(checks.Run(run, []), table)]

    assert not again()
    yield "a curve differs in a second run", again(q20=[1.5] * 19 + [1.5001])
    yield "there is no second run", again(runs="1")
    yield "a curve has another name in a second run", again(name="other")
    rows = verdicts()
    other = [*rows[:7], rows[7].replace(b"0.14285714285714285", b"0.14285714285714288"), *rows[8:]]
    yield "a verdict differs in its last digit", special.compare_verdicts(other, rows)
    yield "a verdict is missing", special.compare_verdicts(rows[:-1], rows)
    yield "there are no verdicts", special.compare_verdicts([], [])
    yield "no verdict has a knee", special.compare_verdicts(*[[row.replace(b"[[", b"[").replace(b"]]", b"]").replace(
        b"[1,2,3]", b"[]") for row in rows]] * 2)

    def power_cut(announced, kept):
        return checks.check_cut(on_line(announced), [kept])

    whole = in_file(good)
    yield "power cut: clusters of a file are lost", sticks.damage(HALF_WRITTEN % "<", True, True)
    yield "no power cut, but a file was half written", sticks.damage(HALF_WRITTEN % ">", True, False)
    yield "power cut: an announced record is not there", power_cut(good[:6], in_file(good[:5]))
    yield "power cut: an announced record differs", power_cut(good[:6], whole.replace(b"core", b"cure", 1))
    yield "power cut: a later record is damaged", power_cut(good[:6], whole.replace(b'"done"', b'"dome"'))
    yield "power cut: the file is empty", power_cut(good[:6], b"")
    yield "hang: the run went on", checks.check_hang(on_line(good[:5]), [whole], "start", "clock")
    yield "hang: another probe hangs", checks.check_hang(on_line(good[:5]), [in_file(good[:5])], "start", "noise")


def complaints():
    """Damage that the checks miss, and correct records that they complain about."""
    good = good_run()
    cut = checks.check_cut(on_line(good[:6]) + b'{"t":"en', [in_file(good[:8]) + b'{"t"'])
    hang = checks.check_hang(on_line(good[:5]), [in_file(good[:5])], "start", "clock")
    half_written = sticks.damage(HALF_WRITTEN % ">", True, True)
    alike = special.compare_verdicts(verdicts(), verdicts())
    wrong = [f"complains about correct records: {text}"
             for text in check(good, good) + cut + hang + half_written + alike]
    wrong += [f"complains about a correct support file: {text}" for text in check_support(good_support())]
    return wrong + [f"not noticed: {what}" for what, found in (*broken(), *broken_support()) if not found]
