"""
gem5's configuration of modelled cores, from power-on to the file: the probes run on a core whose design is known
(tests/model), scripts/export reads their records, and what the file says is held against the design.
"""

import json
import os
import pathlib
import re
import subprocess

import gem5_names
import tap

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/tests/model_x86_64"
# Tests of tests/model that run probes on designed cores, and the seed that is taken of each; most only with LONG=1.
RUNS = (("data_caches_are_given_back", 2), ("return_stacks_are_given_back", 1)) + (
    (("windows_are_given_back", 1), ("instruction_caches_are_given_back", 1), ("data_tlbs_are_given_back", 1),
     ("instruction_tlbs_are_given_back", 1), ("histories_are_given_back", 1)) if os.environ.get("LONG") else ())
DECIDED = len(RUNS) + 2  # parameters that these runs decide at least: fewer means that something is lost on the way
NAMED = 16  # registers that programs name
# Class and parameter -> what the design must say, from the parameter as it stands in the file.
TRUTHS = {("CPU", "numROBEntries"): ("rob", int), ("CPU", "LQEntries"): ("loads", int), ("CPU", "SQEntries"): ("stores", int),
          ("CPU", "numPhysIntRegs"): ("general", lambda n: n - NAMED), ("CPU", "numPhysFloatRegs"): ("vector", lambda n: n - NAMED),
          ("CPU", "renameWidth"): ("width", int), ("CPU", "commitWidth"): ("retire", int), ("RAS", "numEntries"): ("return_stack", int),
          ("TAGEBase", "maxHist"): ("history", int), ("DTB", "size"): ("dtlb", int), ("ITB", "size"): ("itlb", int),
          ("L1I", "size"): ("l1i_bytes", lambda text: int(text[:-1])), ("L1I", "assoc"): ("l1i_ways", int),
          ("L1D", "size"): ("bytes1", lambda text: int(text[:-1])), ("L2", "size"): ("bytes2", lambda text: int(text[:-1])),
          ("L1D", "assoc"): ("ways1", int), ("L1D", "data_latency"): ("latency1", lambda n: n + 1)}


def runs_of(path):
    """(design, records) of each run in a file of MODEL_RECORDS."""
    parts = re.split(rb"^design (.*)\n", path.read_bytes(), flags=re.MULTILINE)
    return list(zip(map(json.loads, parts[1::2]), parts[2::2]))


def measured(folder):
    for test, seed in RUNS:
        path = pathlib.Path(folder) / f"{test}.jsonl"
        done = subprocess.run([PROGRAM], env={**os.environ, "MODEL_TEST": test, "MODEL_SEED": str(seed), "MODEL_RECORDS": str(path)},
                              capture_output=True, text=True, check=False)
        assert path.exists(), done.stdout + done.stderr
        yield from ((test, design, run) for design, run in runs_of(path))


def compare(folder, export):
    """(how many parameters of files are the design's, what is not), of all modelled cores."""
    good, wrong = [], []
    for test, design, run in measured(folder):
        (text,) = (text for name, text in export(folder, run, "gem5").items() if name.endswith(".py"))
        read = gem5_names.read(text)
        (prefix,) = {name.removesuffix("CPU") for name in read if name.endswith("CPU") and name not in gem5_names.PARAMETERS}
        for (part, parameter), (key, change) in TRUTHS.items():
            value = vars(read[prefix + part]).get(parameter)
            if value is None:
                continue
            inside = change(value) == design[key]
            interval = re.search(rf"^    {parameter} = .*\[(\S+), (\S+)\]", text, re.MULTILINE)
            inside |= interval is not None and float(interval[1]) <= design[key] < float(interval[2])
            (good if inside else wrong).append(f"{test}: {part}.{parameter} = {value}, {key} {design[key]}")
    return good, wrong


def test(folder, export):
    if not PROGRAM.exists():
        raise tap.Skip("build/tests/model_x86_64 is missing; make it first")
    good, wrong = compare(folder, export)
    tap.note(f"{len(good)} parameters of gem5 are the modelled cores': {'; '.join(good)}")
    assert not wrong, wrong
    assert len({line.split(": ")[1].split(" ")[0] for line in good}) >= DECIDED, good
