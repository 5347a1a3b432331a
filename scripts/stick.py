"""Reads and writes the FATHOM volume of a stick image with mtools, without mounting it."""

import os
import subprocess

# Where scripts/image puts the partition. Callers give the offset of another volume.
OFFSET = "1M"
# The settings of the user are not read, and the geometry is not checked.
_ENVIRONMENT = dict(os.environ, MTOOLSRC="/dev/null", MTOOLS_SKIP_CHECK="1")


def mtools(tool, image, *words, data=None, offset=OFFSET, errors=None):
    """Runs one of the mtools on the volume; returns its output. Raises subprocess.CalledProcessError when it fails."""
    command = [tool, "-i", f"{image}@@{offset}", *words]
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=errors, check=True, env=_ENVIRONMENT)
    return done.stdout


def read(image, path, offset=OFFSET):
    return mtools("mcopy", image, f"::{path}", "-", offset=offset)


def write(image, path, data, offset=OFFSET):
    mtools("mcopy", image, "-o", "-", f"::{path}", data=data, offset=offset)


def configure(image, **settings):
    """Appends settings to FATHOM.CFG, where the later of two lines with the same key counts."""
    text = read(image, "/FATHOM.CFG")
    for key, value in settings.items():
        text += f"{key} = {value}\r\n".encode()
    write(image, "/FATHOM.CFG", text)


def results(image, offset=OFFSET, errors=None, prefix="RUN"):
    """Names of the result files, or with SUP of the support files, oldest first."""
    listing = mtools("mdir", image, "-b", "::/RESULTS", offset=offset, errors=errors).decode()
    names = [line.rpartition("/")[2].strip() for line in listing.splitlines()]
    return sorted(name for name in names if name.startswith(prefix) and name.endswith(".JSL"))
