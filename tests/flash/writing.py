"""What scripts/flash writes, in which order, and what errors leave behind, on modelled computers."""

import errno
import os

from computer import DISK_MIB, IMAGE_MIB, MIB, SERIAL, USB, call, computer, formatted


def on(model, disk):
    with open(model.path(f"/dev/{disk}"), "rb") as file:
        return file.read()


def assert_written(model, disk):
    found, size = on(model, disk), len(model.data)
    assert found[:size] == model.data, "the image is on it"
    assert not any(found[max(size, len(found) - MIB):]), "no earlier partition table is left at its end"


def test_writes_a_stick():
    for words, answer in ((["/dev/sdb"], SERIAL[-4:]), (["--yes", SERIAL, "/dev/sdb"], None)):
        with computer() as model:
            formatted("mkfs.fat", name="sdb1")(model)
            model.stamp()
            status, said = call(model, *words, answer=answer)
            assert status == 0 and "SanDisk Ultra Fit" in said and SERIAL in said and "0.0 GB" in said, said
            assert_written(model, "sdb")
            assert model.written() == ["sdb"], "another disk was touched"
            assert "Everything on it is lost" in said or answer is None


def test_writes_a_card_and_one_named_by_a_link():
    with computer() as model:
        status, said = call(model, "/dev/mmcblk0", answer="abcd")
        assert status == 0 and "SD32G" in said, said
        assert_written(model, "mmcblk0")
    with computer() as model:
        os.makedirs(model.path("/dev/disk/by-id"))
        os.symlink("../../sdb", model.path("/dev/disk/by-id/usb-x"))
        assert call(model, "--yes", SERIAL, "/dev/disk/by-id/usb-x")[0] == 0
        assert_written(model, "sdb")


def test_a_disk_without_serial_number_is_confirmed_by_its_name():
    with computer() as model:
        os.unlink(model.path(f"{USB}/serial"))
        status, said = call(model, "/dev/sdb", answer="sdb")
        assert status == 0 and "(none)" in said, said


def test_dry_run_writes_nothing():
    with computer() as model:
        model.stamp()
        status, said = call(model, "--dry-run", "/dev/sdb")
        assert status == 0 and "Nothing was written" in said and not model.written() and not model.writes, said


def test_the_first_sectors_are_written_last():
    with computer() as model:
        assert call(model, "--yes", SERIAL, "/dev/sdb")[0] == 0
        assert model.writes[0] == (0, False), "it begins by emptying them"
        first = [i for i, (at, something) in enumerate(model.writes) if at < MIB and something]
        assert first == [len(model.writes) - 1], model.writes


def assert_does_not_boot(model, disk="sdb"):
    assert not any(on(model, disk)[:MIB]), "a partition table is on an unfinished stick"


def test_a_write_error_is_reported_and_leaves_nothing_that_boots():
    for at in (MIB, 2 * MIB + 5, IMAGE_MIB * MIB - 1, DISK_MIB * MIB - 1):
        with computer() as model:
            model.write_error = at
            status, said = call(model, "--yes", SERIAL, "/dev/sdb")
            assert status == 3 and "writing failed at byte" in said and "It does not boot" in said, said
            assert_does_not_boot(model)
    with computer() as model:  # of the disk's own memory
        count = []

        def flush(fd):
            count.append(fd)
            if len(count) == 2:
                raise OSError(errno.EIO, "Input/output error")
        model.flush = flush
        status, said = call(model, "--yes", SERIAL, "/dev/sdb")
        assert status == 3 and "at the flush to the disk: Input/output error" in said, said
        assert_does_not_boot(model)


def test_short_writes_are_continued():
    with computer() as model:
        model.most = 300007
        assert call(model, "--yes", SERIAL, "/dev/sdb")[0] == 0
        assert_written(model, "sdb")


def test_a_difference_on_reading_back_is_reported():
    for at in (MIB, 2 * MIB + 12345, IMAGE_MIB * MIB - 1):
        with computer() as model:
            model.read_flaw = at
            status, said = call(model, "--yes", SERIAL, "/dev/sdb")
            assert status == 3 and f"reading back differs from the image at byte {at}" in said, said
            assert_does_not_boot(model)
    with computer() as model:
        model.read_flaw = 700
        status, said = call(model, "--yes", SERIAL, "/dev/sdb")
        assert status == 3 and "differs from the image at byte 700" in said, said
