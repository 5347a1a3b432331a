"""fathom on a machine of a labgrid lab: pytest --lg-env labgrid.yaml labgrid_fathom.py

Writes the image to the stick while the machine is off, boots it, waits for the end of the run on the serial line,
and collects the records from the stick. labgrid knows the disk by its USB port, so scripts/flash, which makes sure that
a disk is the right one, is not needed here.
"""

import os
import subprocess

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
RUN_SECONDS = 1200


def test_fathom(env, target):
    power, mux = target.get_driver("PowerProtocol"), target.get_driver("USBSDMuxDriver")
    power.off()
    mux.set_mode("host")
    target.get_driver("USBStorageDriver").write_image(env.config.get_image_path("fathom"))
    mux.set_mode("dut")

    console = target.get_driver("ConsoleProtocol")
    power.on()
    console.expect(r'\{"t":"run"', timeout=300)
    console.expect(r'\{"t":"done"[^\r\n]*"status":0', timeout=RUN_SECONDS)
    power.off()

    mux.set_mode("host")
    stick = target.get_driver("USBStorageDriver").storage.path
    subprocess.run([os.path.join(TOP, "scripts/collect"), "--into", "runs", stick], check=True)
