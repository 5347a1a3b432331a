"""Machines whose firmware has started, kept in files: most of a short run is firmware's start, which is always the same.

A machine is stopped when its firmware reads the disk for the first time, so that what it has in memory depends on no
disk's content. QEMU goes on from there with the disk of the run, reads what was asked for, and nothing else has changed.
A state is kept for each command line, size of the disk and version of firmware and QEMU; `make clean` removes them all.
"""

import dataclasses
import functools
import hashlib
import json
import os
import shlex
import subprocess
import threading
import time

import qemu

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STATES = os.path.join(TOP, "build/tests/firmware")
# The first read of the disk fails, and the machine stops there (QEMU, docs/devel/blkdebug.txt).
RULES = '[inject-error]\nevent = "none"\niotype = "read"\nerrno = "5"\n'
PATIENCE = 300  # seconds, on a loaded host

_locks, _lock = {}, threading.Lock()


@functools.cache
def _version(isa):
    return subprocess.check_output([f"qemu-system-{isa}", "--version"]).decode()


def _name(machine):
    """What the state depends on, as a name of a file."""
    words = qemu.command(dataclasses.replace(machine, image="stick" if machine.image else None))
    files = [word.split("file=")[1] for word in words if word.startswith("if=pflash")]
    known = [words, _version(machine.isa), os.path.getsize(machine.image),
             [(os.path.getsize(file), os.stat(file).st_mtime_ns) for file in files]]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:24]


def _save(machine, path):
    """Starts the machine, and writes its state to the file when its firmware reads the disk."""
    rules = f"{path}.rules"
    with open(rules, "w", encoding="utf-8") as file:
        file.write(RULES)
    stopping = dataclasses.replace(machine, image=f"blkdebug:{rules}:{machine.image},rerror=stop")
    control = qemu.Control()
    helpers = [helper for helper in (qemu.no_tpm_of(machine), control) if helper]
    process, began = qemu.start(stopping, helpers, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL), time.monotonic()
    try:
        while control.ask("query-status")["status"] != "io-error":
            if time.monotonic() - began > PATIENCE:
                raise OSError(f"firmware does not read the disk within {PATIENCE} s")
            time.sleep(0.02)
        control.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        control.ask("migrate", uri=f"exec:cat >{shlex.quote(path)}.part")
        while (status := control.ask("query-migrate")["status"]) not in ("completed", "failed"):
            time.sleep(0.02)
        if status == "failed":
            raise OSError(f"QEMU cannot save the state of {machine}")
        os.rename(f"{path}.part", path)
    finally:
        process.kill()
        process.wait()
        for helper in helpers:
            helper.close()
        os.remove(rules)


def started(machine):
    """
    The machine, to be gone on with from where its firmware reads the disk. As it is where it has no disk or counts
    instructions, or with U-Boot, which starts quickly and asks for a key before it reads the disk.
    """
    if machine.firmware != "edk2" or not machine.image or machine.disk == "none" or machine.icount is not None:
        return machine
    path = os.path.join(STATES, _name(machine))
    with _lock:
        lock = _locks.setdefault(path, threading.Lock())
    with lock:
        if not os.path.exists(path):
            os.makedirs(STATES, exist_ok=True)
            _save(machine, path)
    return dataclasses.replace(machine, state=path)
