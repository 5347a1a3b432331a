"""What tests of scripts share: the built files, programs that are run, and records."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import zlib

IMAGE = "build/fathom.img"
EFI = {"x86_64": "build/BOOTX64.EFI", "aarch64": "build/BOOTAA64.EFI"}
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def load(path):
    """A script without .py as a module."""
    name = os.path.basename(path).replace("-", "_")
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def run(*words, **options):
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.STDOUT)
    options.setdefault("text", True)
    return subprocess.run(words, check=False, **options)


def record(**fields):
    """A good record line."""
    text = json.dumps(fields, separators=(",", ":"))[:-1].encode()
    return text + b',"c":"%08x"}' % zlib.crc32(text)


def fold(number, line, columns=100):
    payload = columns - len("~000000.00+")
    parts = [line[at : at + payload] for at in range(0, len(line), payload)]
    mark = lambda i: b"." if i == len(parts) - 1 else b"+"
    return [b"~%06d.%02x" % (number, i % 256) + mark(i) + part + b"\r\n" for i, part in enumerate(parts)]
