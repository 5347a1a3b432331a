"""Tests of the page with whole runs in it: hosted, x86_64 and aarch64, open together on one page."""

import glob
import json
import os
import re

import browser
import runs
import tap
import views


def opens(page, axe, wrong):
    wrong.check(page.js("return !document.getElementById('start').hidden"), "it does not say what to do")
    browser.accessible(page, axe, "start", wrong)
    page.shot("start")
    page.no_complaints(wrong)


def knows_probes_and_findings(page, wrong):
    listing = runs.command("build/fathom", "list", "--findings").stdout.split("\n")
    shown_probes, shown_findings, untold = page.js(
        """
        return [[...probesKnown.keys()], [...findingsKnown.keys()],
                [...probesKnown.values()].filter(probe => probe.text.length < 100).map(probe => probe.name)]"""
    )
    probes = [each.split()[0] for each in listing if re.match(r"\w", each) and "only when named" not in each]
    findings = [each.split()[0] for each in listing if each.startswith(" ")]
    wrong.check(len(probes) > 20 and len(findings) > 50, "the program lists next to nothing")
    missing = [each for each in probes if each not in shown_probes]
    wrong.check(not missing, f"probes missing: {missing}")
    missing = [each for each in findings if each not in shown_findings]
    wrong.check(not missing, f"findings missing: {missing}")
    wrong.check(not untold, f"no experiment described: {untold}")


def is_that_of_the_records(page, name, every, wrong):
    """Machine, findings and curves of one run, which is one of several on the page."""
    run = every[name]
    core = run.findings[0]["core"] if run.findings else 0
    own = [finding for finding in run.findings if finding["core"] == core]
    curves = [each for each in run.records if each["t"] == "curve" and each["core"] == core and each.get("q20")]
    wrong.check(not run.damaged, f"{run.damaged} records are damaged")
    index = page.js(
        "return cores.findIndex(each => each.run.file === arguments[0] && each.index === arguments[1])", run.name, core
    )
    names = list(every)
    same = sum(every[other].name == run.name for other in names[: names.index(name)])
    page.choose("#subject", index + same)
    page.view("overview")
    text = page.text(".view")
    first = {
        kind: next((each for each in run.records if each["t"] == kind), None) for kind in ("machine", "run", "done")
    }
    for wanted in (first["machine"]["core_model"], first["run"]["isa"], first["run"]["profile"], first["run"]["date"]):
        wrong.check(wanted in text, f"the overview does not say {wanted}")
    cause = (first["done"] or {}).get("untrusted_cause")
    wrong.check((cause or "") in text, f"it does not say {cause}")
    ends = [each for each in run.records if each["t"] == "end" and each["core"] == core]
    readings = sum(each["readings"] for each in ends)
    causes = {cause for each in ends for cause in each["rejected_by"]}
    counts = [sum(each["rejected_by"].get(cause, 0) for each in ends) for cause in causes]
    expected = sorted((100 * count / readings for count in counts if count), reverse=True)
    told = page.js("const list = document.querySelector('.causes');"
                   "return list ? [...list.querySelectorAll('b')].map(each => parseFloat(each.textContent)) : []")
    wrong.check(all(abs(a - b) <= 0.06 * b for a, b in zip(told, expected)) and len(told) >= len(expected),
                f"of the readings {expected} percent were rejected, and the overview says {told}")
    page.shot(f"{name}-overview", whole=True)
    views.check_findings(page, own, wrong)
    page.shot(f"{name}-findings")
    probe = next(
        each
        for each in ["cache", *(curve["probe"] for curve in curves)]
        if any(curve["probe"] == each for curve in curves)
    )
    views.check_curves(page, [curve for curve in curves if curve["probe"] == probe], wrong)
    page.shot(f"{name}-measurements")
    decided = sum(finding["grade"] != "U" for finding in own)
    tap.note(
        f"{name}: {len(own)} findings, {decided} decided; {len(curves)} curves with "
        f"{sum(len(each['knees']) for each in curves)} knees"
    )
    page.no_complaints(wrong)


DRAWN = """
const plot = document.querySelector('#probe-cache .small-plot');
const numbers = (each, names) => names.map(name => Number(each.getAttribute(name)));
return {labels: [...plot.querySelectorAll('.knee-label')].map(each => each.textContent),
        bands: [...plot.querySelectorAll('.knees rect')].map(each => numbers(each, ['x', 'width'])),
        levels: [...plot.querySelectorAll('.levels line')].map(each => numbers(each, ['x1', 'x2', 'y1', 'y2'])),
        points: [...plot.querySelectorAll('.points circle')].map(each => numbers(each, ['cx', 'cy']))}"""


def draws_knees_and_levels(open_page, wrong):
    x = [1024 * (i + 1) for i in range(40)]
    y = [4 if at <= 12288 else 9 if at <= 30720 else 20 for at in x]

    def knee(value, high, before, after):
        return {
            "value": value,
            "low": value,
            "high": high,
            "half": value,
            "end": high,
            "before": before,
            "after": after,
            "ramp": False,
            "agreed": True,
            "fuzzy": False,
            "doubtful": False,
        }

    curve = {
        "t": "curve",
        "probe": "cache",
        "name": "made",
        "core": 0,
        "axis": "footprint_bytes",
        "unit": "cycles/load",
        "x": x,
        "q20": y,
        "median": y,
        "samples": [3] * 40,
        "rejected": [0] * 40,
        "knees": [knee(12288, 13312, 4, 9), knee(30720, 31744, 9, 20)],
        "levels": [
            {"from": 1024, "to": 12288, "height": 4, "spread": 0, "slope": 0},
            {"from": 13312, "to": 30720, "height": 9, "spread": 0, "slope": 0},
        ],
    }
    finding = {
        "t": "finding",
        "probe": "cache",
        "name": "memory.cache.bytes",
        "core": 0,
        "level": 1,
        "value": 12288,
        "unit": "bytes",
        "low": 12288,
        "high": 13312,
        "grade": "A",
        "agreement": "before",
        "curves": ["made"],
        "proof": "first",
    }
    second = {**finding, "level": 2, "value": 30720}
    replaced = {
        **finding,
        "value": None,
        "low": None,
        "high": None,
        "grade": "U",
        "reason": "masked-by:memory.dtlb.entries",
        "replaces": True,
        "seen": 12288,
        "proof": "second",
    }
    with open_page() as one:
        one.load(
            runs.write(
                "made-curve.jsl",
                runs.made({"t": "start", "probe": "cache", "core": 0}, curve, finding, second, replaced),
            )
        )
        views.check_findings(one, [second, replaced], wrong)
        views.check_curves(one, [curve], wrong)
        drawn = one.js(DRAWN)
        one.no_complaints(wrong)
    at = {value: drawn["points"][i] for i, value in enumerate(x)}
    wrong.check(drawn["labels"] == ["12 KiB", "30 KiB"], f"labels {drawn['labels']}")

    def near(a, b):
        return abs(a - b) < 0.01

    for i, each in enumerate(curve["knees"]):
        left, width = drawn["bands"][i]
        low, high = at[each["low"]][0], at[each["high"]][0]
        wrong.check(near(left, low) and near(width, high - low), f"band {i} is at {drawn['bands'][i]}")
    for i, each in enumerate(curve["levels"]):
        x1, x2, y1, y2 = drawn["levels"][i]
        first, last = at[each["from"]], at[each["to"]]
        good = near(x1, first[0]) and near(x2, last[0]) and near(y1, last[1]) and near(y2, last[1])
        wrong.check(good, f"level {i} is at {drawn['levels'][i]}")


def draws_matrices(page, run, wrong):
    page.choose("#subject", 0)
    page.view("measurements")
    matrices = [each for each in run.records if each["t"] == "matrix"]
    if not wrong.check(matrices, "the run has no matrix"):
        return
    probe = matrices[0]["probe"]
    own = [matrix for matrix in matrices if matrix["probe"] == probe]
    page.js("document.getElementById(`probe-${arguments[0]}`).open = true; drawAll(1e6); drawAll(1e6)", probe)
    cells = page.js(
        """
        return [...document.querySelectorAll(`#probe-${arguments[0]} svg.heat`)].map(each =>
            [each.querySelectorAll('.cell').length, each.querySelectorAll('.cell.missing').length])""",
        probe,
    )
    for i, matrix in enumerate(own):
        every = [cell for row in matrix["cells"] for cell in row]
        drawn = cells[i] if i < len(cells) else None
        wrong.check(drawn == [len(every), every.count(None)], f"{matrix['name']}: {drawn} cells of {len(every)}")
    page.js(
        "document.querySelector(`#probe-${arguments[0]} svg.heat`).closest('figure').querySelector('button').click()",
        probe,
    )
    page.wait_for("dialog[open] svg.heat")
    page.js("document.querySelector('dialog svg.heat').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    value, said = own[0]["cells"][0][1], page.text("dialog .said")
    wanted = "not measured" if value is None else runs.four_digits(value).replace("-", "\u2212")
    wrong.check(wanted in said, f'it says "{said}" of {value}')
    page.shot("matrix")
    page.js("large.close()")
    near = [
        [None if i == j else 10 if i % 4 == j % 4 else 30 if i % 2 == j % 2 else 90 for j in range(8)] for i in range(8)
    ]
    near[0][2] = None  # measured by the other core only
    cores = {"row_axis": "core", "column_axis": "other core", "rows": list(range(8)), "columns": list(range(8))}
    shown = page.js("return clustered(arguments[0])", {**cores, "cells": near})
    wrong.check(shown["rows"] == [0, 4, 2, 6, 1, 5, 3, 7], f"cores that are near each other lie apart: {shown['rows']}")
    wrong.check(shown["cells"][1] == [10, None, 30, 30, 90, 90, 90, 90], f"its times are {shown['cells'][1]}")
    other = {**cores, "row_axis": "bytes", "cells": near}
    wrong.check(page.js("return clustered(arguments[0]).rows", other) == list(range(8)), "rows that are no cores moved")


def finds_instructions(page, run, wrong):
    tables = [each for each in run.records if each["t"] == "table" and each["name"] == "backend.instruction"]
    rows = [dict(zip(table["columns"], row)) for table in tables for row in table["rows"]]
    if not wrong.check(rows, "the run has no instructions"):
        return
    page.view("instructions")
    wrong.check(page.text(".view [role=status]").endswith(f"of {len(rows)} forms"), "not all forms are there")
    word = rows[len(rows) // 2]["form"].split(" ")[0]
    page.type("#instruction-search", word)
    found = page.js("return [...document.querySelectorAll('.instructions tbody th')].map(each => each.textContent)")
    fits = [row for row in rows if word in f"{row['form']} {row['feature']} {row['class']} {row['state']}".lower()]
    forms = {row["form"] for row in fits}
    wrong.check(len(found) == len(fits) and all(form in forms for form in found), f'"{word}" finds {found}')
    page.clear("#instruction-search")
    page.js(
        "[...document.querySelectorAll('.instructions .sort')]"
        ".find(each => each.textContent === 'Cycles per instruction').click()"
    )
    order = page.js(
        """
        return [...document.querySelectorAll('.instructions tbody tr')]
            .map(row => row.cells[3].textContent.replace(/[^\\d.]/g, ''))
            .filter(Boolean).map(Number)"""
    )
    wrong.check(len(order) > len(fits), "the search is not cleared")
    wrong.check(order == sorted(order), f"not sorted: {order}")
    first = page.js(
        "const button = document.querySelector('.instructions tbody .link'); button.click(); return button.textContent"
    )
    evidence = next(row for row in rows if row["form"] == first)["bytes"]
    wrong.check((evidence or "Instructions") in page.text("tr.open"), f"no evidence of {first}")
    for state, said in (("decided", "4 5 + 2 × 9 10 (some), 3 cycles each"), ("undecided", None)):
        text = page.js(
            f"return unitsText({{state: '{state}', operations: [[1, '=', '4 5', 1], [2, '<=', '9 10', 3]]}})"
        )
        wrong.check(text == said, f"units of a form that is {state} are {text}")
    page.shot("instructions")


def rows_compared(page):
    return page.js(
        """
        return [...document.querySelectorAll('.comparison tbody tr')].map(row =>
            [row.dataset.key, row.className, row.cells[3].textContent])"""
    )


def compares_runs(page, every, axe, wrong):
    page.view("compare")
    # Clicking redraws the boxes: each is looked up anew.
    count = page.js("return document.querySelectorAll('.cores input').length")
    for i in range(count):
        page.js(
            "const box = document.querySelectorAll('.cores input')[arguments[0]]; "
            "if (box.checked !== arguments[0] < 2) box.click()",
            i,
        )
    rows, order = rows_compared(page), ["differ", "some", "same", "none"]
    kinds = [order.index(row[1]) for row in rows]
    wrong.check(kinds == sorted(kinds), "differences do not come first")
    keys = {runs.key_of(finding) for finding in every["hosted"].findings + every["x86_64"].findings}
    wrong.check(len(rows) == len(keys), f"{len(rows)} rows for {len(keys)} findings")
    page.js("document.querySelector('.comparison tbody .link').click()")
    page.shot("compare")
    browser.accessible(page, axe, "compare", wrong)


def finds_the_one_difference(open_page, run, wrong):
    shape = {**run.findings[0], "grade": "B", "value": 100, "low": 99, "high": 101}
    for key in ("reason", "published"):
        shape.pop(key, None)

    def make(values):
        out = []
        for record in (each for each in run.records if each["t"] in ("run", "machine", "done")):
            if record["t"] == "done":
                out += [
                    {**shape, "name": f"memory.made.number{i}", "value": value, "low": value - 1, "high": value + 1}
                    for i, value in enumerate(values)
                ]
            out.append(record)
        return runs.lines(out)

    with open_page() as other:
        other.load(runs.write("made-a.jsl", make([100, 200, 300])), runs.write("made-b.jsl", make([100, 260, 300.5])))
        other.view("compare")
        rows = rows_compared(other)
    wrong.check(
        rows and [rows[0][0].split(" ")[0], *rows[0][1:]] == ["memory.made.number1", "differ", "× 1.3"],
        f"first is {rows[:1]}",
    )
    wrong.check(all(row[1] == "same" for row in rows[1:]), f"others: {rows[1:]}")


def compares_with_published(open_page, wrong):
    text = ""
    for path in glob.glob(os.path.join(runs.TOP, "lib/plan/published/*.def")):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    every = [json.loads(f"[{row}]") for row in re.findall(r'^PUBLISHED\("zen4", (".*)\)$', text, re.M)]
    rows = [row for row in every if sum(each[:2] == row[:2] for each in every) == 1][:6]
    wrong.check(len(rows) == 6, "too little is published about zen4")
    findings = []
    for i, (name, variant, value, *_) in enumerate(rows):
        measured = value * (1 if i % 2 else 1.5)  # every other one is what is published
        findings.append(
            {
                "t": "finding",
                "probe": "made",
                "name": name,
                "core": 0,
                **dict(word.split("=") for word in variant.split()),
                "value": measured,
                "unit": "entries",
                "low": measured,
                "high": measured + 1,
                "grade": "A",
                "curves": [],
            }
        )
    with open_page() as one:
        one.load(runs.write("made-zen4.jsl", runs.made(*findings)))
        one.view("compare")
        one.choose("#published", "zen4")
        shown = rows_compared(one)
        wrong.check(len(shown) == 6, f"{len(shown)} rows of 6")
        for i, finding in enumerate(findings):
            row = next((each for each in shown if each[0] == runs.key_of(finding)), None)
            wrong.check(row and row[1] == ("same" if i % 2 else "differ"), f"{runs.key_of(finding)}: {row}")
        one.no_complaints(wrong)


def is_accessible(page, axe, wrong):
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for name in ("overview", "findings", "measurements", "instructions"):
            page.view(name)
            if name == "findings":
                page.js("document.querySelector('tr[data-key] button').click(); drawAll(20)")
            browser.accessible(page, axe, f"{name}, {scheme}", wrong)
        page.view("overview")
        page.shot(f"overview-{scheme}")
    page.scheme("")
    page.js("document.querySelector('#subject').focus()")
    reached = set()
    for _ in range(12):
        page.press("Tab")
        reached.add(page.js("return document.activeElement.textContent.trim().slice(0, 20)"))
    for wanted in ("Findings", "Open runs…", "Theme: system"):
        wrong.check(wanted in reached, f'the tabulator key does not reach "{wanted}", but {reached}')


# HTML allows each group of terms in a list a div of its own (Living Standard, 4.4.9); tidy, of 2017, does not.
AS_TIDY_KNOWS_IT = """
const main = document.querySelector('main').cloneNode(true);
main.querySelectorAll('dl > div').forEach(group => group.replaceWith(...group.childNodes));
return main.outerHTML"""


def is_valid_html(page, wrong):
    with open(runs.PAGE, encoding="utf-8") as file:
        browser.valid(file.read(), "VIEWER.HTM", wrong)
    for name in ("overview", "findings", "measurements"):
        page.view(name)
        page.js("drawAll(1e6)")
        markup = page.js(AS_TIDY_KNOWS_IT)
        wrong.check(len(markup) > 1000, f"{name} shows next to nothing")
        browser.valid(
            f'<!DOCTYPE html><html lang="en"><head><title>view</title></head><body>{markup}</body></html>', name, wrong
        )


BAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>bad</title></head><body>
<p id="a">x</p><p id="a">y</p><p shape="round">z</p><blink>w</blink><b><p>v</p></b>
<input><img src="data:,"><p style="color: #bbb; background: #ccc">pale</p>
<script>console.warn("warned"); fetch("http://127.0.0.1:9/asked").catch(() => 0); throw Error("thrown")</script>
</body></html>
"""


def judges_find_what_is_wrong(open_page, axe, wrong):
    """What the other tests rest on: a page with such faults does not pass."""
    found = tap.Wrong()
    browser.valid(BAD, "bad", found)
    for fault in ('"a" already defined', '"shape"', "<blink> is not approved", "missing </b> before <p>"):
        wrong.check(any(fault in text for text in found), f"tidy does not report {fault}, but {found}")
    found = tap.Wrong()
    with open_page(runs.write("bad.html", BAD.encode())) as bad:
        browser.accessible(bad, axe, "bad", found)
        found += bad.complaints()
    for fault in ("label", "image-alt", "color-contrast"):
        wrong.check(any(f"bad: {fault}: " in text for text in found), f"axe does not report {fault}, but {found}")
    for fault in ("warned", "thrown", "asked for http://127.0.0.1:9/asked"):
        wrong.check(any(fault in text for text in found), f"nobody complained that the page {fault}, but {found}")


def fits_phone_and_paper(page, open_page, run, wrong):
    with open_page(width=390, height=844, phone=True) as phone:
        phone.load(run.file)
        for name in ("overview", "findings", "measurements", "instructions"):
            phone.view(name)
            width = phone.js("return document.documentElement.scrollWidth")
            wrong.check(width <= 390, f"{name} is {width} wide on a phone of 390")
            phone.shot(f"phone-{name}")
    page.view("overview")
    paper = page.pdf()
    runs.write("print.pdf", paper)
    wrong.check(len(paper) > 50000, "next to nothing is printed")


def is_written_by_report(open_page, every, wrong):
    file = os.path.join(runs.SCRATCH, "report.html")
    runs.command("scripts/report", every["hosted"].file, every["aarch64"].file, "-o", file)
    with open_page(file) as report:
        report.wait_for(".view")
        report.js("return opening.then(() => null)")
        wrong.check(
            report.js("return document.querySelectorAll('#subject option').length") == 2, "it does not show two cores"
        )
        findings = every["hosted"].findings
        views.check_findings(report, [each for each in findings if each["core"] == findings[0]["core"]], wrong)
        report.no_complaints(wrong)
    none = runs.command("scripts/report", runs.PAGE, "-o", f"{file}.none", status=None)
    wrong.check(none.returncode == 1 and "no good record" in none.stderr, f"of a foreign file it says {none.stderr}")


def tests(report, page, open_page, every, axe):
    """All of them, on one page that first is empty."""
    report.test("the page opens from the image by file path, with nothing to complain about", opens, page, axe)
    report.test("it knows every probe and finding that the program knows", knows_probes_and_findings, page)
    page.load(*(run.file for run in every.values()))
    for name in every:
        report.test(
            f"{name}: machine, findings and curves are those of the records", is_that_of_the_records, page, name, every
        )
    report.test(
        "knees and levels are drawn where they are, and what is replaced is gone", draws_knees_and_levels, open_page
    )
    report.test("matrices are heat maps of every cell", draws_matrices, page, every["hosted"])
    report.test("instructions are found, sorted and lead to their evidence", finds_instructions, page, every["hosted"])
    report.test("runs are compared, differences first", compares_runs, page, every, axe)
    report.test(
        "two runs that differ in one finding: that one is first, and only that one differs",
        finds_the_one_difference,
        open_page,
        every["hosted"],
    )
    report.test("a run is compared with what is published about any core", compares_with_published, open_page)
    report.test("every view is accessible, light and dark", is_accessible, page, axe)
    report.test("the page is valid HTML, as built and with runs shown", is_valid_html, page)
    report.test("what judges the page finds faults that are there", judges_find_what_is_wrong, open_page, axe)
    report.test("it fits a phone, and paper", fits_phone_and_paper, page, open_page, every["hosted"])
    report.test("scripts/report writes the page with runs inside", is_written_by_report, open_page, every)
