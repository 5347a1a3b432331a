"""scripts/flash on loop devices, with the real kernel; skipped where there are none, or this is not root."""

import contextlib
import errno
import hashlib
import os
import random
import shutil
import subprocess
import tempfile

import tap
from computer import DISK_MIB, MIB, call, flash, make_image


@contextlib.contextmanager
def loop_device(path):
    if os.geteuid() != 0 or not shutil.which("losetup", path="/usr/sbin:/sbin"):
        raise tap.Skip("loop devices are for root alone")
    made = subprocess.run(["/usr/sbin/losetup", "--show", "--find", path], capture_output=True, text=True)
    if made.returncode:
        raise tap.Skip(f"no loop devices here: {made.stderr.strip()}")
    device = made.stdout.strip()
    try:
        with open(f"/sys/block/{os.path.basename(device)}/loop/backing_file") as file:
            assert file.read().strip() == os.path.realpath(path)
        yield device
    finally:
        subprocess.run(["/usr/sbin/losetup", "--detach", device], check=True)


@contextlib.contextmanager
def taken_for_a_stick(folder, size=DISK_MIB * MIB):
    """The real computer, and a loop device of it that is accepted: only for it the rule on the kind of disk is off."""
    model, path, rule = flash.Computer(), os.path.join(folder, "disk"), flash.check_kind
    model.image = os.path.join(folder, "image")
    model.data = make_image(model.image)
    with open(path, "wb") as file:
        file.write(random.Random(1).randbytes(MIB))
        file.truncate(size)
    with loop_device(path) as device:
        def only_this(disk):
            if disk.device != device:
                rule(disk)
        flash.check_kind = only_this
        try:
            model.disk_file = path
            yield model, device
        finally:
            flash.check_kind = rule


def test_loop_device_is_written_and_refused_while_mounted_or_held():
    with tempfile.TemporaryDirectory() as folder, taken_for_a_stick(folder) as (model, device):
        name = os.path.basename(device)
        status, said = call(model, device, answer=name)
        assert status == 0, said
        with open(model.disk_file, "rb") as file:
            assert file.read(len(model.data)) == model.data

        subprocess.run(["/sbin/mke2fs", "-q", "-F", device], check=True, capture_output=True)
        point = os.path.join(folder, "mounted here")
        os.mkdir(point)
        before = hashlib.sha256(open(model.disk_file, "rb").read()).digest()
        subprocess.run(["mount", "-o", "ro", device, point], check=True)
        try:
            status, said = call(model, device, answer=name)
            assert status == 1 and f"is mounted at {point}" in said, said
            fd = None
            try:
                fd = model.open(device)
            except OSError as e:
                assert e.errno == errno.EBUSY
            assert fd is None, "the kernel itself refuses"
        finally:
            subprocess.run(["umount", point], check=True)
        status, said = call(model, device, answer=name)
        assert status == 1 and "holds a file system, ext" in said, said
        assert hashlib.sha256(open(model.disk_file, "rb").read()).digest() == before


def test_loop_device_whose_file_system_is_full_fails():
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small")
        os.mkdir(small)
        mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", small]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
            raise tap.Skip("nothing can be mounted here")
        try:
            with taken_for_a_stick(folder) as (model, _):
                path = os.path.join(small, "disk")
                with open(path, "wb") as file:
                    file.truncate(DISK_MIB * MIB)
                with loop_device(path) as device:
                    flash.check_kind = lambda disk: None if disk.device == device else refuse(disk)
                    status, said = call(model, device, answer=os.path.basename(device))
                    assert status == 3 and "writing failed" in said, said
                with open(path, "rb") as file:
                    assert not any(file.read(MIB)), "a partition table is on an unfinished disk"
        finally:
            subprocess.run(["umount", small], check=True)


def refuse(disk):
    raise flash.Refused(f"{disk.device} is not ours")
