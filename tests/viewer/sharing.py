"""Tests of the picture of what threads of a core share: a bar for each structure and state, and what is decided."""

import browser
import runs

COLUMNS = ["structure", "unit", "sharing", *(state + end for state in ("asleep", "waiting", "filling") for end in ("", "_low", "_high"))]
SHOWN = """
const widths = name => [...document.querySelectorAll(`.sharing svg .${name}`)].map(each => +each.getAttribute('width'));
const texts = name => [...document.querySelectorAll(`.sharing svg ${name}`)].map(each => each.textContent);
return {asleep: widths('asleep'), waiting: widths('waiting'), filling: widths('filling'), titles: texts('.axis-title'), ticks: texts('.tick')}"""


def table(*rows):
    return {"t": "table", "probe": "smt_sharing", "core": 0, "name": "smt", "sibling": 1, "columns": COLUMNS, "rows": rows}


def picture(open_page, axe, wrong):
    rows = [
        ["l1d", "bytes", "by demand", 32768, 32768, 33024, 32768, 32768, 32768, 16384, 16000, 18000],
        ["rob", "NOPs", "halves", 510, 510, 510, 254, 254, 254, 254, 253, 254],
        ["load_queue", "loads", "", 190, 188, 191, 140, 90, 191, 96, 95, 96],
        ["store_queue", "stores", "", None, None, None, None, None, None, None, None, None],
    ]
    with open_page() as page:
        page.load(runs.write("sharing.jsl", runs.made(table(*rows))))
        page.js("document.querySelector('section.sharing').scrollIntoView()")
        page.wait_for(".sharing svg")
        shown = page.js(SHOWN)
        wrong.check(shown["titles"] == ["First data cache: by demand", "Reorder buffer: halves", "Load queue: undecided"], f"the titles are {shown['titles']}")
        parts = [waiting / asleep for waiting, asleep in zip(shown["waiting"], shown["asleep"])]
        wrong.check(len(parts) == 3 and abs(parts[0] - 1) < 0.01 and abs(parts[1] - 0.5) < 0.01, f"parts beside one that waits are {parts}")
        wrong.check({"half", "all", "254 NOPs"} <= set(shown["ticks"]), f"the texts are {shown['ticks']}")
        browser.accessible(page, axe, "the picture", wrong)
        page.shot("sharing", whole=True)
        page.no_complaints(wrong)


def nothing(open_page, wrong):
    """Where nothing was measured beside a sibling, there is no picture."""
    with open_page() as page:
        page.load(runs.write("no-sharing.jsl", runs.made()))
        wrong.check(page.js("return !document.querySelector('section.sharing')"), "there is a picture of nothing")
        page.no_complaints(wrong)


def tests(report, open_page, axe):
    report.test("sharing: what fits beside a sibling as a picture", picture, open_page, axe)
    report.test("sharing: no picture where nothing was measured", nothing, open_page)
