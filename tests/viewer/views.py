"""What the page shows held against the records: tables of findings, and plots of curves."""

import runs  # finds the modules of scripts/

import reasons

FINDINGS = """
return [...document.querySelectorAll('tr[data-key]')].map(row => ({
    key: row.dataset.key,
    value: row.querySelector('.measured').dataset.value, shown: row.querySelector('.measured').textContent,
    grade: row.querySelector('.grade').textContent, remark: row.querySelector('.remark').textContent}))"""

PLOTS = """
return [...document.querySelectorAll(`#probe-${arguments[0]} .small-plot`)].map(plot => ({
    title: plot.querySelector('figcaption button').textContent,
    points: [...plot.querySelectorAll('.points circle')].map(circle =>
        [Number(circle.getAttribute('cx')), Number(circle.getAttribute('cy'))]),
    knees: [...plot.querySelectorAll('.knees line')].map(each =>
        each.getAttribute('x1') === each.getAttribute('x2') ? Number(each.getAttribute('x1')) : null),
    titles: [...plot.querySelectorAll('.axis-title')].map(each => each.textContent)}))"""


def check_findings(page, findings, wrong):
    """Every finding is in the table, with its value, grade and reason, and nothing else is."""
    page.view("findings")
    there = sorted(page.js(FINDINGS), key=lambda row: row["key"])
    wanted = sorted(((runs.key_of(finding), finding) for finding in findings), key=lambda pair: pair[0])
    wrong.check(wanted, "the run has no findings")
    wrong.check(len(wanted) == len(there), f"{len(wanted)} findings, {len(there)} rows")
    for at, (key, finding) in enumerate(wanted):
        row = there[at] if at < len(there) else {"key": None, "value": None, "shown": None, "grade": None, "remark": ""}
        wrong.check(row["key"] == key, f"row {row['key']} instead of {key}")
        wrong.check(row["grade"] == finding["grade"], f"{key}: grade {row['grade']} instead of {finding['grade']}")
        if finding["grade"] == "U":
            why = reasons.sentence(finding["reason"]) if finding.get("reason") else ""
            good = row["shown"] == "–" and row["remark"].startswith(why)
            wrong.check(good, f"{key}: \"{row['shown']}\", \"{row['remark']}\" for {finding.get('reason')}")
        else:
            good = row["value"] == runs.written(finding["value"]) and row["shown"] != "–"
            wrong.check(good, f"{key}: {row['value']} instead of {finding['value']}")


def sign(number):
    return (number > 0) - (number < 0)


def check_plot(plot, curve, wrong):
    """As many points as were measured, each on its side of the one before, every knee where it is, the axis's unit."""
    name = curve["name"]
    known = [(x, y) for x, y in zip(curve["x"], curve["q20"]) if y is not None]
    if not wrong.check(plot and plot["title"] == name, f"plot {plot and plot['title']} instead of {name}"):
        return
    points, knees = plot["points"], plot["knees"]
    wrong.check(len(knees) == len(curve["knees"]), f"{name}: {len(knees)} knees drawn of {len(curve['knees'])}")
    wrong.check(curve["unit"] in plot["titles"], f"{name}: the axis does not say {curve['unit']}")
    if not wrong.check(len(points) == len(known), f"{name}: {len(points)} points drawn of {len(known)}"):
        return
    for j in range(1, len(known)):
        wrong.check(points[j][0] > points[j - 1][0], f"{name}: point {j} is not to the right of the one before")
        wrong.check(
            sign(points[j - 1][1] - points[j][1]) == sign(known[j][1] - known[j - 1][1]),
            f"{name}: point {j} goes the wrong way",
        )
    for knee, drawn in zip(curve["knees"], knees):
        at = next(i for i, (x, _) in enumerate(known) if x >= knee["value"])
        left, right = points[max(0, at - 1 if known[at][0] > knee["value"] else at)][0], points[at][0]
        wrong.check(
            drawn is not None and left - 0.01 <= drawn <= right + 0.01,
            f"{name}: the knee at {knee['value']} is drawn at {drawn}, not between {left} and {right}",
        )


def check_curves(page, curves, wrong):
    """All plots of a probe, and the first one large: values at the keys and the pointer, zoom, and as a file."""
    page.view("measurements")
    probe = curves[0]["probe"]
    page.js("document.getElementById(`probe-${arguments[0]}`).open = true", probe)
    page.js("drawAll(1e6); drawAll(1e6)")
    plots = page.js(PLOTS, probe)
    for i, curve in enumerate(curves):
        check_plot(plots[i] if i < len(plots) else None, curve, wrong)

    values = [y for y in curves[0]["q20"] if y is not None]
    page.js("document.querySelector(`#probe-${arguments[0]} .small-plot button`).click()", probe)
    page.wait_for("dialog[open] svg.large")
    page.js("document.querySelector('dialog svg.large').focus()")
    for at, key in ((0, "ArrowRight"), (1, "ArrowRight"), (2, "ArrowRight"), (1, "ArrowLeft")):
        page.press(key)
        said, digits = page.text("dialog .said"), runs.four_digits(values[at])
        wrong.check(digits in said, f'at point {at}, {digits}, it says "{said}"')
    page.point_at(
        *page.js(
            """
        const box = document.querySelector('dialog svg.large .points circle:nth-child(3)').getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2]"""
        )
    )
    under = page.js("return tip.hidden || tip.parentElement !== large ? 'nothing' : tip.textContent")
    wrong.check(runs.four_digits(values[2]) in under, f"under the pointer, at {values[2]}, it says {under}")
    before = page.text("dialog svg.large .axis")
    page.press("+")
    wrong.check(page.text("dialog svg.large .axis") != before, "zooming changes no axis")
    page.press("0")
    wrong.check(page.text("dialog svg.large .axis") == before, "0 does not show the whole again")
    svg = page.js("return standaloneSvg(document.querySelector('dialog svg.large'))")
    wrong.check(svg.startswith("<svg") and "stroke" in svg and len(svg) > 2000, "the saved SVG is not one")
    page.shot("plot")
    page.js("large.close()")
