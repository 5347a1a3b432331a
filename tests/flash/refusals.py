"""Every reason for which scripts/flash refuses a disk or an image, on modelled computers."""

import errno
import glob
import os
import struct
import zlib

import tap
from computer import DISK_MIB, IMAGE_MIB, MIB, PATHS, SERIAL, USB, call, computer, flash, formatted, refuses


def test_refuses_what_is_not_a_disk():
    refuses("there is no /dev/sdx; lsblk lists the disks", "/dev/sdx")
    refuses("/dev/plain is not a disk", "/dev/plain", change=lambda c: c.set("/dev/plain", "x" * 100))
    refuses("/sys is not a disk", "/sys")
    refuses("does not describe /dev/sdb", "/dev/sdb", change=lambda c: os.unlink(c.path("/sys/dev/block/8:16")))


def test_refuses_a_partition():
    refuses("/dev/sdb1 is a partition; name the whole stick, /dev/sdb", "/dev/sdb1")


def test_refuses_disks_made_of_other_disks():
    refuses("made of other disks", "/dev/dm-0")


def test_refuses_disks_of_the_computer():
    refuses("a disk of this computer", "/dev/sda")
    refuses("a disk of this computer", "/dev/nvme0n1")


def test_refuses_soldered_memory():
    refuses("soldered in", "/dev/mmcblk0", change=lambda c: c.set(f"{PATHS['mmcblk0']}/device/type", "MMC"))


def test_refuses_a_drive_for_optical_discs():
    refuses("a drive for optical discs", "/dev/sr0")


def with_file(name, text, disk="sdb"):
    return lambda c: c.set(f"{PATHS[disk]}/{name}", text)


def test_refuses_a_drive_without_medium():
    refuses("has no medium in it", "/dev/sdb", change=with_file("size", "0"))
    refuses("has no medium in it", "/dev/sdb", change=lambda c: setattr(c, "open_error", errno.ENOMEDIUM))


def test_refuses_a_read_only_disk():
    refuses("is read-only", "/dev/sdb", change=with_file("ro", "1"))


def test_refuses_a_disk_that_is_too_large():
    refuses("more than --largest allows (128)", "/dev/sdb", change=with_file("size", str(129 * 10**9 // 512)))
    refuses("(0.001)", "--largest", "0.001", "/dev/sdb")


def test_refuses_a_disk_that_is_too_small():
    refuses("is too small", "/dev/sdb", change=with_file("size", str(IMAGE_MIB * 2048 - 1)))


def test_refuses_other_sector_sizes():
    refuses("sectors of 4096 bytes", "/dev/sdb", change=with_file("queue/logical_block_size", "4096"))


def mount(number, point, source="/dev/sdz", owner="self"):
    return lambda c: c.set(f"/proc/{owner}/mountinfo", c.text(f"/proc/{owner}/mountinfo") + "\n"
                           f"40 22 {number} / {point} rw,relatime shared:7 - ext4 {source} rw\n")


def test_refuses_the_disk_of_the_system():
    refuses("holds this computer's system: it is mounted at /", "/dev/sdb", change=mount("8:18", "/"))
    refuses("holds this computer's system: it is mounted at /boot/efi", "/dev/sdb", change=mount("8:17", "/boot/efi"))


def test_refuses_a_mounted_disk():
    refuses("is mounted at /mnt", "/dev/sdb", change=mount("8:16", "/mnt"))
    refuses("is mounted at /media/my stick;", "/dev/sdb", change=mount("8:17", r"/media/my\040stick"))
    # btrfs has device numbers of its own, so the source decides. /host is mounted for the first process only.
    refuses("is mounted at /data", "/dev/sdb", change=mount("0:55", "/data", "/dev/sdb2"))
    refuses("is mounted at /host", "/dev/sdb", change=mount("8:17", "/host", owner="1"))


def test_refuses_swap():
    refuses("holds swap space in use, /dev/sdb2; swapoff /dev/sdb2 frees it", "/dev/sdb",
            change=lambda c: c.set("/proc/swaps", "Filename Type\n/dev/sdb2 partition 1 0 -2\n"))


def held_by(name, uuid=None, part="sdb1"):
    def change(c):
        os.makedirs(c.path(f"{PATHS['sdb']}/{part}/holders/{name}"))
        if uuid:
            c.set(f"/sys/class/block/{name}/dm/uuid", uuid)
    return change


def test_refuses_lvm_raid_and_encrypted_volumes_in_use():
    refuses("sdb1 is used by LVM (dm-3)", "/dev/sdb", change=held_by("dm-3", "LVM-abc"))
    refuses("sdb1 is a member of the RAID md0", "/dev/sdb", change=held_by("md0"))
    refuses("sdb1 is used by an encrypted volume", "/dev/sdb", change=held_by("dm-4", "CRYPT-LUKS2-abc"))
    refuses("sdb is used by bcache0", "/dev/sdb", change=held_by("bcache0", part="."))


def put(name, at, data):
    def change(c):
        with open(c.path(f"/dev/{name}"), "r+b") as file:
            file.seek(at)
            file.write(data)
    return change


def lvm_label():
    """A physical volume's label (LVM2, lib/format_text/layout.h): its checksum begins at 20 with a start value."""
    body = struct.pack("<I8s", 32, b"LVM2 001") + b"x" * 32 + struct.pack("<Q", DISK_MIB * MIB)
    body += bytes(512 - 20 - 12 - 40)
    checksum = zlib.crc32(body, 0xF597A6CF ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
    return b"LABELONE" + struct.pack("<QI", 1, checksum) + body


def luks_header():
    return b"LUKS\xba\xbe" + struct.pack(">H", 1) + bytes(592)


def raid_superblock():
    """md's, version 1.2, 4 KiB from the start (linux/raid/md_p.h); the checksum is the sum of its words."""
    block = bytearray(256)
    struct.pack_into("<III", block, 0, 0xA92B4EFC, 1, 0)
    block[16:32] = b"u" * 16
    struct.pack_into("<Q", block, 144, 8)  # super_offset, in sectors
    total = sum(struct.unpack_from("<64I", block))
    struct.pack_into("<I", block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return bytes(block)


def test_refuses_members_of_lvm_raid_and_the_like_not_in_use():
    refuses("/dev/sdb1 is a physical volume of LVM, not in use", "/dev/sdb", change=put("sdb1", 512, lvm_label()))
    refuses("/dev/sdb is a member of a RAID", "/dev/sdb", change=put("sdb", 4096, raid_superblock()))
    refuses("/dev/sdb2 is encrypted", "/dev/sdb", change=put("sdb2", 0, luks_header()))
    refuses("/dev/sdb2 is swap space", "/dev/sdb", change=formatted("mkswap"))


def test_refuses_a_file_system_that_may_be_a_system():
    refuses("holds a file system, ext4 'root'", "/dev/sdb",
            change=formatted("mke2fs", "-q", "-t", "ext4", "-L", "root"))


def test_refuses_a_disk_in_use_or_out_of_reach():
    for number, why in ((errno.EBUSY, "/dev/sdb is in use"), (errno.EACCES, "use sudo"), (errno.ENXIO, "was unplugged"),
                        (errno.EROFS, "read-only"), (errno.EMFILE, "Too many open files")):
        refuses(why, "/dev/sdb", change=lambda c, n=number: setattr(c, "open_error", n))
        refuses(why, "--dry-run", "/dev/sdb", change=lambda c, n=number: setattr(c, "open_error", n))


def test_refuses_another_disk_than_the_one_shown():
    def meanwhile(change):
        def answer(model):
            change(model)
            return SERIAL[-4:]
        return answer

    refuses("is no longer the disk that was shown", "/dev/sdb", answer=meanwhile(with_file("diskseq", "8")))
    refuses("is no longer the disk that was shown", "/dev/sdb", answer=meanwhile(lambda c: c.set(f"{USB}/serial", "2")))
    refuses("is no longer the disk that was shown", "/dev/sdb",
            answer=meanwhile(lambda c: setattr(c, "number_now", "8:0")))
    refuses("is mounted at /mnt", "/dev/sdb", answer=meanwhile(mount("8:17", "/mnt")))
    refuses("does not describe /dev/sdb", "/dev/sdb",
            answer=meanwhile(lambda c: os.unlink(c.path("/sys/dev/block/8:16"))))


def test_refuses_without_the_right_answer():
    for answer in ("", "y", "yes", SERIAL[:4], SERIAL, None):
        refuses(f"the answer was not {SERIAL[-4:]}", "/dev/sdb", answer=answer)


def test_refuses_another_serial_number():
    refuses(f"has the serial number {SERIAL}, not 4C53", "--yes", "4C53", "/dev/sdb")
    refuses("has the serial number", "--yes", "", "/dev/sdb")
    refuses("reports no serial number", "--yes", SERIAL, "/dev/sdb",
            change=lambda c: os.unlink(c.path(f"{USB}/serial")))
    refuses("has the serial number", "--dry-run", "--yes", "1", "/dev/sdb")


def test_refuses_a_file_that_is_not_an_image():
    cut, missing = "not a stick image", "No such file or directory; `make image` makes one"
    for content, why in ((None, missing), (b"", cut), (bytes(4 * MIB), cut)):
        with computer() as model:
            os.unlink(model.image)
            if content is not None:
                with open(model.image, "wb") as file:
                    file.write(content)
            model.stamp()
            status, said = call(model, "/dev/sdb", answer=SERIAL[-4:])
            assert status == 1 and why in said and not model.written(), said
    with computer() as model:
        os.truncate(model.image, 3 * MIB + 100)
        assert call(model, "/dev/sdb", answer=SERIAL[-4:])[0] == 1
    assert flash.check_image("build/fathom.img") == os.path.getsize("build/fathom.img")


def test_refuses_this_computers_disks():
    """The real rules on the real /sys: no disk of the computer that runs the tests would be written."""
    model = flash.Computer()
    seen = 0
    for path in glob.glob("/sys/block/*"):
        name = os.path.basename(path)
        if not os.path.exists(f"/dev/{name}") or name.startswith("sd") and model.text(f"{path}/removable") == "1":
            continue
        seen += 1
        try:
            disk = flash.Disk(model, f"/dev/{name}")
            flash.check_kind(disk)
        except flash.Refused:
            continue
        assert "/usb" in disk.sysfs or name.startswith("mmcblk"), f"/dev/{name} would not be refused"
    if not seen:
        raise tap.Skip("this computer shows no disks")
