"""Tests of the page with cut, damaged and foreign files, serial logs, hostile text, and more than people have."""

import json
import os
import re
import time

import runs
import tap

LOAD_BYTES = 50_000_000 if runs.LONG else 5_000_000
# While files load, the page answers within this time; a stall that people see is far longer than a busy machine's.
STALL_MS = 1000
NOTHING = object()  # the file is no run: nothing of it is shown


class Trouble:
    """Opens a file beside a whole run, and checks what is said of it and what is shown."""

    def __init__(self, open_page, beside):
        self.open_page, self.beside = open_page, beside

    def __call__(self, name, data, pattern, findings, wrong):
        """`pattern`: of the one message, None for none. `findings`: how many of the file are shown, or NOTHING."""
        with self.open_page() as one:
            one.load(runs.write(name, data), self.beside.file)
            said = one.js("return [...document.querySelectorAll('#messages .notice')].map(each => each.textContent)")
            good = len(said) == 1 and re.search(pattern, said[0]) if pattern else not said
            wrong.check(good, f"{name}: it says {said}")
            shown = one.js("return cores.map(core => [core.run.file, core.findings.length])")
            wanted = [] if findings is NOTHING else [[name, findings]]
            wanted.append([self.beside.name, len(self.beside.findings)])
            wrong.check(shown == wanted, f"{name}: it shows {shown} instead of {wanted}")
            one.no_complaints(wrong)
            if pattern:
                one.shot("trouble-" + re.sub(r"\W", "-", name))


def standing(data):
    """How many findings of these bytes stand, by scripts/records.py."""
    return len(runs.read(data)[1])


def truncated(trouble, whole, wrong):
    line = whole.index(b'\n{"t":"finding"', int(len(whole) * 0.6))
    cut = whole[: line + 40]
    trouble("truncated.jsl", cut, r"truncated\.jsl is cut short", standing(cut), wrong)
    stopped = whole[: whole.rindex(b'{"t":"done"')]
    trouble("stopped.jsl", stopped, "did not come to its end", standing(stopped), wrong)


def corrupted(trouble, whole, wrong):
    bad = bytearray(whole)
    at = bad.index(b'{"t":"finding"')
    later = bad.index(b'{"t":"end"', at)
    bad[at + 40] ^= 1
    bad[later + 20] = 0
    wrong.check(standing(bytes(bad)) == standing(whole) - 1, "the corruption does not do what it should")
    trouble("corrupted.jsl", bytes(bad), r"corrupted\.jsl is damaged in 2 places", standing(bytes(bad)), wrong)


def foreign(trouble, wrong):
    with open(os.path.join(runs.SCRATCH, "start.png"), "rb") as file:
        trouble("picture.png", file.read(), r"picture\.png is not a run of fathom", NOTHING, wrong)
    trouble("empty.jsl", b"", r"empty\.jsl is not a run.*empty", NOTHING, wrong)
    trouble("other.json", b'{"t":1}\n{"a":[1,2]}\n', r"other\.json has no good record", NOTHING, wrong)


def serial_logs(trouble, run, wrong):
    with open(os.path.join(os.path.dirname(run.file), "serial.log"), "rb") as file:
        trouble("serial.log", file.read(), None, len(run.findings), wrong)
    folded = []
    for number, text in enumerate(filter(None, run.data.split(b"\n"))):
        parts = [text[at : at + 80] for at in range(0, len(text), 80)]
        for i, part in enumerate(parts):
            mark = b"." if i == len(parts) - 1 else b"+"
            folded.append(b"text\r\x1b[2J~%06d.%02x%s%s\r\n" % (number, i % 256, mark, part))
    trouble("folded.log", b"".join(folded), None, len(run.findings), wrong)
    del folded[next(i for i, text in enumerate(folded) if b'"finding"' in text)]
    trouble("gap.log", b"".join(folded), r"gap\.log is damaged", len(run.findings) - 1, wrong)


def hostile_text(open_page, run, wrong):
    evil = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
    first, *rest = run.records
    records = [
        {**first, "notes": evil},
        *({**each, "core_model": evil, "core_name": evil} for each in rest if each["t"] == "machine"),
        {**run.findings[0], "name": f"memory.{evil}", "reason": evil, "grade": "U", "method": evil},
        {"t": "warning", "subject": evil, "text": evil},
    ]
    with open_page() as one:
        one.load(runs.write("evil.jsl", runs.lines(records)))
        for name in ("overview", "findings"):
            one.view(name)
        one.js("document.querySelector('tr[data-key] button').click()")
        wrong.check(one.js("return window.ran === undefined && !document.querySelector('main img')"), "it ran")
        wrong.check("<img src=x" in one.text(".view"), "it is not shown")
        one.no_complaints(wrong)


def write_large(run):
    """The hosted run as if of a machine with many cores, all of which were measured: path, cores, records."""
    path = os.path.join(runs.SCRATCH, "large.jsl")
    own = [each for each in run.records if each["t"] not in ("run", "done", "warning")]
    with open(path, "wb") as file:
        file.write(runs.lines(each for each in run.records if each["t"] == "run"))
        cores = 0
        while file.tell() < LOAD_BYTES:
            file.write(runs.lines({**each, "core": cores} for each in own))
            cores += 1
        file.write(runs.lines(each for each in run.records if each["t"] == "done"))
    return path, cores, 1 + cores * len(own) + 1


def much(open_page, run, wrong):
    path, cores, records = write_large(run)
    with open_page() as one:
        one.js(
            """
            window.worst = 0;
            window.turns = 0;
            let last = performance.now();
            setInterval(() => {
                const now = performance.now();
                window.worst = Math.max(window.worst, now - last - 20);
                window.turns++;
                last = now;
            }, 20)"""
        )
        one.load(path)
        read = json.loads(one.js("return document.getElementById('main').dataset.read"))
        worst, turns = one.js("return [window.worst, window.turns]")
        tap.note(
            f"{os.path.getsize(path) / 1e6:.1f} MB, {cores} cores, {read['records']} records: "
            f"{read['milliseconds'] / 1000:.2f} s; "
            f"the page's longest wait was {worst:.0f} ms, {turns} turns of 20 ms meanwhile"
        )
        wrong.check(read["records"] == records, f"{read['records']} records of {records}")
        wrong.check(worst < STALL_MS, f"it stood still for {worst:.0f} ms")
        wrong.check(
            one.js("return document.querySelectorAll('#subject option').length") == cores, "not every core is there"
        )
        one.choose("#subject", cores - 1)
        for name in ("findings", "measurements", "instructions", "compare", "overview"):
            began = time.monotonic()
            one.view(name)
            tap.note(f"{name}: {1000 * (time.monotonic() - began):.0f} ms")
        one.no_complaints(wrong)
    os.remove(path)


def tests(report, open_page, every):
    run = every["x86_64"]
    trouble = Trouble(open_page, every["hosted"])
    report.test("a truncated file says so, and the rest is shown", truncated, trouble, run.data)
    report.test("a corrupted file says where, and the rest is shown", corrupted, trouble, run.data)
    report.test("foreign files say so, and the others are shown", foreign, trouble)
    report.test("a serial log is read, in whole lines and folded ones", serial_logs, trouble, run)
    report.test("what a file says is text and never runs", hostile_text, open_page, every["hosted"])
    report.test(f"{LOAD_BYTES // 1_000_000} MB load while the page answers", much, open_page, every["hosted"])
