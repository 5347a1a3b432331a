"""Tests of what reads records: scripts/records.py, collect, summary.py, qemu.py, and the LAVA job of lab/."""

import contextlib
import io
import json
import os
import re
import struct
import subprocess
import tempfile
import termios
import time

import qemu
import records
import stick
import summary
from common import IMAGE, fold, record, run

LONG = record(t="curve", name="memory.cache", x=list(range(9000)))
LINES = [record(t="run", schema=1), record(t="warning", text="a\u20ac \\ \" ~"), LONG, record(t="done")]


def test_records_plain_lines_among_text():
    log = [b"\x1b[2J\x1b[01;01HBdsDxe: starting\r\n"]
    log += [b"measuring\r" + line + b"\r\r\n" for line in LINES] + [b"{ not a record }\r\n"]
    found = records.read(log)
    assert (found.lines, found.damaged) == (LINES, 0)


def test_records_every_flipped_bit_is_damage():
    line = LINES[1]
    for bit in range(8 * len(b'{"t":'), 8 * len(line)):
        bad = bytearray(line)
        bad[bit // 8] ^= 1 << bit % 8
        assert not records.good(bytes(bad)), bit


def test_records_cut_line_is_counted():
    found = records.read([LINES[0], LINES[1][:-3], LINES[3]])
    assert (found.lines, found.damaged) == ([LINES[0], LINES[3]], 1)


def test_records_folded_are_put_together():
    assert len(fold(2, LONG)) > 256
    log = [part for number, line in enumerate(LINES) for part in fold(number, line)]
    log.insert(1, b"text of the console\r\n")
    found = records.read(log)
    assert (found.lines, found.damaged) == (LINES, 0)


def test_records_folded_losses_are_counted():
    first, long, last = fold(7, LINES[0]), fold(8, LONG), fold(9, LINES[3])
    for log, lines, damaged in (
        (first + long[:5] + long[6:] + last, [LINES[0], LINES[3]], 1),  # a part is missing
        (first + long[1:] + last, [LINES[0], LINES[3]], 1),  # the first part is
        (first + last, [LINES[0], LINES[3]], 1),  # a whole record is
        (first + long[:5], [LINES[0]], 1),  # the end is
        (first + fold(0, LINES[0]) + fold(1, LINES[3]), [LINES[0], LINES[0], LINES[3]], 0),  # the next boot
        (fold(0, LINES[0]) + fold(0, LINES[0]), [LINES[0], LINES[0]], 0),  # a boot that said one thing
        (fold(0, LONG)[:256] + fold(0, LINES[0]), [LINES[0]], 1),  # a boot cut where parts count anew
    ):
        found = records.read(log)
        assert (found.lines, found.damaged) == (lines, damaged), (len(found.lines), found.damaged, damaged)


def test_collect_prints_records_and_counts_damaged_ones():
    with tempfile.NamedTemporaryFile() as log:
        log.write(b"text\r\n" + LINES[0] + b"\r\n")
        log.flush()
        assert run("scripts/collect", log.name, stderr=subprocess.DEVNULL).stdout == LINES[0].decode() + "\n"
        assert run("scripts/collect", log.name).returncode == 0
        log.write(b'{"t":"done"')
        log.flush()
        result = run("scripts/collect", log.name)
        assert result.returncode == 1 and "1 records, 1 damaged" in result.stdout


RUN_A = [record(t="run", fingerprint="0123456789abcdef", date="2026-01-02T03:04:05Z", number=1),
         record(t="machine", core=0, core_name="zen4", product="Board (rev. 2)"), LONG, record(t="done")]
RUN_B = [record(t="run", fingerprint="0123456789abcdef", date="2026-01-03T00:00:00Z", number=2),
         record(t="machine", core=0), record(t="warning", text="x"), record(t="done")]
FILE_A = "board-rev-2-0123456789abcdef/2026-01-02T03-04-05Z-00001.jsl"
FILE_B = "machine-0123456789abcdef/2026-01-03T00-00-00Z-00002.jsl"


def text_of(lines):
    return b"".join(line + b"\n" for line in lines)


def filed(folder):
    """The files below a folder: path -> bytes."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(top, name), "rb") as file:
                found[os.path.relpath(os.path.join(top, name), folder)] = file.read()
    return found


@contextlib.contextmanager
def stick_with_results(kind, files):
    """A stick: our image, or a formatted stick with one volume, behind a partition table or without one."""
    with tempfile.TemporaryDirectory() as folder:
        path, offset = os.path.join(folder, "stick"), {"image": "1M", "partitioned": "32768", "plain": "0"}[kind]
        if kind == "image":
            run("cp", "--sparse=always", IMAGE, path)
        else:
            run("truncate", "-s", "16M", path)
            stick.mtools("mformat", path, "-T", "16384", "-h", "64", "-s", "32", "::", offset=offset)
            stick.mtools("mmd", path, "::/RESULTS", offset=offset)
        if kind == "partitioned":
            with open(path, "r+b") as file:  # one entry of type FAT32, from sector 64 on
                file.seek(446)
                file.write(struct.pack("<B3xB3xII", 0, 12, 64, 16384) + bytes(48) + b"\x55\xaa")
        for name, data in files.items():
            stick.write(path, f"/RESULTS/{name}", data, offset)
        yield path


def test_collect_files_runs_by_machine():
    for kind in ("image", "partitioned", "plain"):
        with stick_with_results(kind, {"RUN00001.JSL": text_of(RUN_A), "RUN00002.JSL": text_of(RUN_B)}) as path, \
                tempfile.TemporaryDirectory() as folder:
            result = run("scripts/collect", "--into", folder, path)
            assert result.returncode == 0 and "2 new runs, 0 known" in result.stdout, (kind, result.stdout)
            assert filed(folder) == {FILE_A: text_of(RUN_A), FILE_B: text_of(RUN_B)}, (kind, filed(folder).keys())
            result = run("scripts/collect", "--into", folder, path)
            assert result.returncode == 0 and "0 new runs, 2 known" in result.stdout, result.stdout


SUPPORT = [record(t="support", schema=1, number=1), record(t="support_end", lost_lines=0)]


def test_collect_files_support_files_beside_their_runs():
    beside = FILE_A[: -len(".jsl")] + ".support"
    for kind in ("image", "plain"):
        files = {"RUN00001.JSL": text_of(RUN_A), "SUP00001.JSL": text_of(SUPPORT), "RUN00002.JSL": text_of(RUN_B)}
        with stick_with_results(kind, files) as path, tempfile.TemporaryDirectory() as folder:
            result = run("scripts/collect", "--into", folder, path)
            assert result.returncode == 0 and "2 new runs" in result.stdout, (kind, result.stdout)
            wanted = {FILE_A: text_of(RUN_A), FILE_B: text_of(RUN_B), beside: text_of(SUPPORT)}
            assert filed(folder) == wanted, (kind, filed(folder).keys())
            result = run("scripts/collect", "--into", folder, path)
            assert result.returncode == 0 and f"{beside}: known" in result.stdout, result.stdout
    with tempfile.TemporaryDirectory() as folder:  # damaged, in a folder; and alone
        for name, data in (("RUN00001.JSL", text_of(RUN_A)), ("SUP00001.JSL", text_of(SUPPORT)[:-9])):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        into = os.path.join(folder, "into")
        result = run("scripts/collect", "--into", into, folder)
        assert result.returncode == 1 and "1 damaged records" in result.stdout, result.stdout
        assert filed(into) == {FILE_A: text_of(RUN_A), beside: text_of(SUPPORT[:1])}
        result = run("scripts/collect", "--into", into, os.path.join(folder, "SUP00001.JSL"))
        assert result.returncode == 1 and "has no run beside it" in result.stdout, result.stdout


def collect_text(*texts, into=None):
    """Exit status, output and filed runs of collect, for result files or logs with these contents."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "from/RESULTS"))
        for i, text in enumerate(texts):
            with open(os.path.join(folder, f"from/RESULTS/RUN{i:05d}.JSL"), "wb") as file:
                file.write(text)
        into = into or os.path.join(folder, "into")
        result = run("scripts/collect", "--into", into, os.path.join(folder, "from"))
        return result.returncode, result.stdout, filed(into)


def test_collect_verifies_records_and_overwrites_nothing():
    bad = text_of(RUN_A).replace(b"8000", b"8001", 1)
    status, said, found = collect_text(bad)
    assert status == 1 and "1 damaged records" in said, (status, said)
    assert found == {FILE_A: text_of(RUN_A[:2] + RUN_A[3:])}, said
    status, said, found = collect_text(text_of(RUN_A[:3]))
    assert status == 1 and "did not come to its end" in said and found == {FILE_A: text_of(RUN_A[:3])}
    status, said, _ = collect_text(b"")
    assert status == 1 and "no records" in said
    # A log with two boots, one of them folded; and a part that is completed by what came to the volume.
    log = b"text\r\n" + text_of(RUN_A[:3]) + b"".join(p for n, line in enumerate(RUN_B) for p in fold(n, line))
    status, said, found = collect_text(log, text_of(RUN_A))
    assert found == {FILE_A: text_of(RUN_A), FILE_B: text_of(RUN_B)} and "1 completed" in said, said
    # Another run of the same name does not take its place.
    other = RUN_A[:3] + [record(t="done", seconds=1)]
    status, said, found = collect_text(text_of(RUN_A), text_of(other))
    assert status == 0 and found[FILE_A] == text_of(RUN_A) and found[FILE_A[:-4] + "-2.jsl"] == text_of(other)
    with tempfile.TemporaryDirectory() as folder:
        for source in (folder, os.path.join(folder, "none"), "/dev/null", IMAGE):
            result = run("scripts/collect", "--into", os.path.join(folder, "into"), source)
            assert result.returncode in (1, 3) and source in result.stdout, result.stdout


def test_collect_follows_a_port():
    said = b"BdsDxe\r\n" + b"".join(b"probe\rnoise\r\n" + line + b"\r\n" for line in RUN_A) + b"Finished.\r\n"
    for chunks, status, wanted in ((said, 0, RUN_A), (said[: said.index(b'{"t":"done')], 4, RUN_A[:3])):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.openpty()
            words = ["scripts/collect", "--into", folder, "--serial", os.ttyname(theirs), "--silence", "1.5"]
            follower = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # What comes before it has opened the port is lost.
            while termios.tcgetattr(theirs)[3] & termios.ICANON:
                assert follower.poll() is None, follower.communicate()
                time.sleep(0.01)
            for at in range(0, len(chunks), 1000):
                os.write(ours, chunks[at : at + 1000])
                time.sleep(0.001)
            out, error = follower.communicate(timeout=60)
            os.close(ours)
            os.close(theirs)
            assert follower.returncode == status, (follower.returncode, error)
            assert filed(folder) == {FILE_A: text_of(wanted)} and b"probe" in out and b'{"t"' not in out, error
            assert status == 0 or (b"hangs" in error and b"noise" in error), error


def test_collect_follows_a_log_that_grows():
    with tempfile.TemporaryDirectory() as folder:
        log, into = os.path.join(folder, "log"), os.path.join(folder, "into")
        with open(log, "wb") as file:
            file.write(text_of(RUN_A)[:5000])
            file.flush()
            words = ["scripts/collect", "--into", into, "--serial", log, "--runs", "2", "--silence", "20"]
            follower = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(0.3)
            file.write(text_of(RUN_A)[5000:] + text_of(RUN_B))
        _, error = follower.communicate(timeout=60)
        assert follower.returncode == 0 and b"2 runs ended, 0 did not" in error, error
        assert filed(into) == {FILE_A: text_of(RUN_A), FILE_B: text_of(RUN_B)}


def test_patterns_of_the_lava_job_match_records():
    with open("lab/lava-job.yaml") as file:
        values = dict(re.findall(r"^ +(?:- )?(\w+): '(.*)'$", file.read(), re.M))
    said = run("build/fathom", "run", "clock", "return_stack", "--profile", "smoke", "--json", "-",
               stderr=subprocess.DEVNULL).stdout
    lines = said.replace("\n", "\r\n")
    ends = [record for record in map(json.loads, said.splitlines()) if record["t"] == "end"]
    assert len(ends) == 2 and len(re.findall(values["start"], lines)) == len(re.findall(values["end"], lines)) == 1
    assert re.findall(values["pattern"], lines) == [(end["probe"], end["outcome"]) for end in ends]
    with open("lab/lava-job.yaml") as file:
        known = set(re.findall(r"(\w+): ", re.search(r"fixupdict: \{(.*)\}", file.read())[1]))
    with open("lib/probe/probe.c") as file:
        names = re.search(r"outcome_names\[OUTCOMES\] = \{(.*?)\}", file.read(), re.S)[1]
    outcomes = set(re.findall(r'"(\w+)"', names))
    assert known == outcomes, known ^ outcomes


def test_summary_fails_without_a_done_record():
    for lines, good in ((LINES, True), (LINES[:3], False), (LINES + [b'{"t":"finding"'], False)):
        with contextlib.redirect_stdout(io.StringIO()):
            assert summary.summarise(records.read(lines)) == good


def test_summary_shows_each_core_by_itself():
    lines = [record(**fields) for fields in (
        {"t": "machine", "core": 0, "type": "P"}, finding(48, grade="A"),
        {"t": "machine", "core": 8, "type": "E"}, finding(32, grade="A", core=8), {"t": "done", "seconds": 1})]
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert summary.summarise(records.read(lines))
    parts = shown.getvalue().split("core 8 (type E)")
    assert len(parts) == 2 and "core 0 (type P)" in parts[0] and " 48 " in parts[0] and " 48 " not in parts[1]
    assert " 32 " in parts[1] and " 32 " not in parts[0]


def finding(value, **fields):
    return dict({"t": "finding", "name": "memory.cache.bytes", "core": 0, "level": 1, "value": value}, **fields)


def test_a_finding_that_replaces_takes_the_place_of_earlier_ones():
    first, other, core = finding(49152, grade="A", holds=1), finding(2 << 20, level=2), finding(65536, core=1)
    last = finding(None, grade="U", replaces=True, seen=49152, reason="masked-by:memory.dtlb.entries level=1 page=4k")
    assert records.findings([{"t": "start"}, first, other, core]) == [first, other, core]
    assert records.findings([first, other, first, core, last]) == [other, core, last]
    assert records.findings([first, first]) == [first, first]  # two verdicts for one name, neither replaces
    assert records.variants(last) == [("level", 1)]

    lines = [record(**fields) for fields in (first, last, {"t": "done", "seconds": 1})]
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert summary.summarise(records.read(lines))
    table = [line for line in shown.getvalue().splitlines() if "memory.cache.bytes" in line]
    assert len(table) == 1 and " U " in table[0], table
    assert "masked-by:memory.dtlb.entries level=1 page=4k, seen at" in table[0], table


def test_summary_shows_published_values_and_ranges():
    published = [{"value": 13, "source": "a"}, {"value": [11, 18], "source": "b"}]
    row = summary.finding_row(finding(13.1, unit="cycles", grade="B", agreement="two agree", published=published))
    assert row[-1] == "two agree; published 13 cycles or 11 cycles to 18 cycles", row


def test_screen_shows_text_without_records_in_pieces_of_any_size():
    stream = b"\x1b[2Jfirst\r\n" + LINES[0] + b"\r\nprogress 1\rprogress 2\r\n"
    stream += b"".join(fold(0, LINES[2])) + b"{last}\r\nend"
    for step in (1, 2, 3, 7, 64, len(stream)):
        out = io.StringIO(newline="")
        screen = qemu.Screen(out)
        for at in range(0, len(stream), step):
            screen.feed(stream[at : at + step])
        assert out.getvalue() == "first\r\nprogress 1\rprogress 2\r\n{last}\r\nend", (step, out.getvalue())
