"""The commands that the documents give for results of a run: each is run as it stands there."""

import os
import re
import shlex
import shutil
import tempfile

from common import run

TOP = os.getcwd()
DOCUMENTS = ("README.md", "docs/EXPORTS.md", "docs/DATABASE.md")
COMMAND = re.compile(r"^    (scripts/(?:export|report|contribute|consensus|summary\.py) .*?)(?:  +.*)?$", re.MULTILINE)


def test_examples_of_documents_run():
    commands = []
    for name in DOCUMENTS:
        with open(name, encoding="utf-8") as file:
            commands += COMMAND.findall(file.read())
    for script in ("export", "report", "contribute", "consensus", "summary.py"):
        assert any(command.startswith(f"scripts/{script} ") for command in commands), f"no example of {script}"
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "place")
        os.mkdir(place)
        os.symlink(os.path.join(TOP, "scripts"), os.path.join(place, "scripts"))
        shutil.copy("docs/example.jsonl", os.path.join(place, "r.jsonl"))
        for command in sorted(commands, key=lambda text: text.startswith("scripts/consensus")):  # needs what others made
            done = run(*shlex.split(command), cwd=place)
            assert done.returncode == 0, f"{command}: {done.stdout}"
        for made in (
            "a.html",
            "a.md",
            "r.html",
            "db.html",
            "exports/cypress-cove.td",
            "exports/cypress-cove.py",
            "../fathom-db/consensus.json",
        ):
            assert os.path.exists(os.path.join(place, made)), made
