"""Tests of the page with support files in it: one that is whole, one that is not, alone and beside a run."""

import json

import browser
import runs

EVIL = '<img src=x onerror="window.ran=1">'
FACP = bytes(range(256)) * 9  # more than a piece
COLUMNS = {
    "memory_map": ["type", "start", "pages", "attributes"],
    "protocols": ["guid", "handles", "name"],
    "acpi": ["signature", "bytes", "revision", "good"],
    "registers": ["name", "id", "value"],
}


def table(kind, *rows, **more):
    return {"t": kind, **more, "columns": COLUMNS[kind], "rows": list(rows)}


def piece(at, data, name="FACP", whole=len(FACP)):
    return {"t": "bytes", "source": "acpi", "name": name, "bytes": whole, "at": at, "data": data.hex()}


HEAD = {
    "t": "support",
    "schema": 1,
    "isa": "x86_64",
    "number": 7,
    "core_model": "A core",
    "firmware": {"vendor": EVIL, "revision": "0x10000", "uefi": "2.7.0"},
}
WHOLE = [
    HEAD,
    {"t": "identity", "core": 0, "registers": {"cpuid.00000000.0.eax": "0xd"}},
    table("memory_map", ["free", "0x100000", 1234, "0xf"]),
    table("protocols", ["5b1b31a1-9562-11d2-8e3f-00a0c969723b", 3, "loaded image"]),
    table("acpi", ["FACP", len(FACP), 6, True], ["MSDM", 85, 3, True]),
    piece(0, FACP[:2048]),
    piece(2048, FACP[2048:]),
    {"t": "warning", "subject": "devicetree", "text": EVIL},
    {"t": "control", "core": 0, "registers": {"CR0": "0x80010033"}},
    table("registers", ["IA32_PAT", "0x277", "0x7040600070406"], ["MSR_X", "0x1", None], core=0, group="support-common"),
    table("registers", core=0, group="support-model", left_out="this step hung the machine"),
    {"t": "support_end", "lost_lines": 0},
]


def dump(page, name):
    """The bytes that the dump of a table shows, once it is opened."""
    page.js("document.querySelector(`details[data-name='${arguments[0]}']`).open = true", name)
    page.wait_for(f"details[data-name='{name}'] pre")
    lines = page.text(f"details[data-name='{name}'] pre").split("\n")
    return b"".join(bytes.fromhex(line[8:55]) for line in lines)


def shows_all_of_it(open_page, axe, wrong):
    with open_page() as page:
        page.load(runs.write("SUP00007.JSL", runs.lines(WHOLE)))
        wrong.check(page.js("return document.getElementById('start').hidden"), "it still asks for a file")
        text = page.text(".view.support")
        for wanted in ("A core", "0x100000", "loaded image", "MSDM", "0x80010033", "0x7040600070406", "0xd",
                       "reading it faulted", "support-model was left out", "this step hung the machine", "<img src=x"):
            wrong.check(wanted in text, f"it does not show {wanted}")
        wrong.check("not whole" not in text, "it says that the file is not whole")
        wrong.check(dump(page, "FACP") == FACP, "the bytes of FACP are others")
        wrong.check(page.js("return window.ran === undefined && !document.querySelector('main img')"), "text of it ran")
        page.js("document.querySelectorAll('.support-file details').forEach(each => { each.open = true; })")
        for scheme in ("light", "dark"):
            page.scheme(scheme)
            browser.accessible(page, axe, f"support file, {scheme}", wrong)
        page.shot("support", whole=True)
        page.no_complaints(wrong)


def says_that_it_is_not_whole(open_page, wrong):
    damaged = [HEAD, piece(0, b"abc", whole=6), piece(4, b"ef", whole=6)]  # a piece is missing between these
    with open_page() as page:
        page.load(runs.write("SUP00008.JSL", runs.lines(damaged)))
        text = page.text(".view.support")
        wrong.check("not whole" in text, "it does not say that the file is not whole")
        wrong.check("6 bytes, of which 3 are here" in text, "it does not say that bytes are missing")
        wrong.check(dump(page, "FACP") == b"abc", "it shows other bytes than those that are there")
        page.no_complaints(wrong)


def stands_beside_runs(open_page, run, wrong):
    with open_page() as page:
        page.load(run.file, runs.write("SUP00007.JSL", runs.lines(WHOLE)))
        shown = page.js("return [...document.querySelectorAll('#views a')].map(each => each.textContent)")
        wrong.check("Overview" in shown and "Support file" in shown, f"there are the views {shown}")
        counts = json.loads(page.js("return JSON.stringify([cores.length, supports.length])"))
        wrong.check(counts[0] >= 1 and counts[1] == 1, f"there are {counts} cores and support files")
        page.view("support")
        page.view("findings")
        page.no_complaints(wrong)


def tests(report, open_page, every, axe):
    report.test("a support file is shown, and what it says never runs", shows_all_of_it, open_page, axe)
    report.test("a support file that is not whole says so", says_that_it_is_not_whole, open_page)
    report.test("a support file stands beside runs", stands_beside_runs, open_page, every["hosted"])
