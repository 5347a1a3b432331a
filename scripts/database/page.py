"""One offline page over a database of runs: viewer/database.html with what the runs say inside."""

import json
import os

import viewer


def run_row(path, parsed):
    run = next(r for r in parsed if r["t"] == "run")
    environment = next(r for r in parsed if r["t"] == "environment")
    return {
        "path": path,
        "core": path.split("/")[1],
        "machine": run["fingerprint"],
        "date": (run.get("date") or "")[:10],
        "platform": run.get("platform"),
        "profile": run.get("profile"),
        "build": run.get("build"),
        "microcode": environment.get("microcode"),
    }


def page(found, result):
    """The page as text. `found`: (path, records) of runs; `result`: what they say together."""
    data = {"runs": [run_row(path, parsed) for path, parsed in found], "cores": result}
    text = viewer.read(os.path.join(viewer.VIEWER, "database.html"))
    script = viewer.as_script(viewer.read(os.path.join(viewer.VIEWER, "database.js")))
    inside = viewer.as_script(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    head, _, tail = text.partition('<script type="application/json" id="data"></script>')
    tail = tail.replace('<script src="database.js"></script>', f"<script>\n{script.strip()}\n</script>")
    return f'{head}<script type="application/json" id="data">{inside}</script>{tail}'
