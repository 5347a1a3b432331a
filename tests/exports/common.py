"""What the tests of scripts/export share: made-up cores, and what is exported of them."""

import os
import pathlib
import random
import subprocess

import made

TOP = pathlib.Path(__file__).resolve().parents[2]
CORES = 300 if os.environ.get("LONG") else 16
FORMATS = ("llvm", "osaca", "uica", "uops-xml", "gem5", "champsim", "csv", "yaml")


def command(*words):
    return subprocess.run([str(word) for word in words], cwd=TOP, capture_output=True, text=True, check=False)


def export(folder, run, form, *options):
    """Name -> text of the files."""
    path = pathlib.Path(folder) / "run.jsonl"
    path.write_bytes(run)
    out = pathlib.Path(folder) / form
    done = command("scripts/export", path, "--to", form, "--into", out, *options)
    assert done.returncode == 0, done.stderr + done.stdout
    return {file.name: file.read_text(encoding="utf-8") for file in out.iterdir()}


def cores(count=CORES):
    """Seed, truth, units, and which of the truth is undecided in the run: none, or a third."""
    for seed in range(count):
        truth, units = made.draw_core(seed)
        draw = random.Random(seed)
        yield truth, units, {key for key in truth if seed % 2 and draw.random() < 0.33}


def expect(found, wanted, what):
    assert found == wanted, f"{what}: {found!r}, not {wanted!r}"
