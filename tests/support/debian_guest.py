# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A whole emulated machine of another architecture: Debian's stock kernel, Debian's sshd, and a first program of the tests' own.

Its RAM disk has the files of Debian's packages, whose installation scripts are not run. It is reached through a port of
the loopback interface.

`python -m support.debian_guest ARCHITECTURE...` makes the RAM disks beforehand.
"""

from __future__ import annotations

import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rtstone.cache import cached, key_of
from rtstone.targets.boards.guest._debian import Debian, unpack
from rtstone.targets.boards.guest._image import plain
from rtstone.targets.boards.guest._ramdisk import archive
from support.sshd import client, make_keys

BOOT_S = 900
"""Time (s) that a guest has until its sshd answers: an emulator on a busy host may take minutes."""

PACKAGES = (
    *("openssh-server", "sudo", "dash", "coreutils", "findutils", "util-linux", "mount", "procps", "iproute2"),
    *("kmod", "libcap2-bin"),
)
"""These and their dependencies are the guest's programs."""

USER = "me"
"""Its user. `sudo` gives it root without a password, as on a board of Debian's."""

INSTALLING = (
    *("dpkg", "tar", "gzip", "diffutils", "libc-bin", "libstdc++6", "python3", "python3-venv", "pipx"),
    "ca-certificates",
)
"""With these too it installs packages and wheels of ours that were carried to it."""

MODULES = ("virtio_mmio", "virtio_net", "net_failover", "failover")
"""What the stock kernel needs of its modules for the emulator's network."""

_MERGED = ("bin", "sbin", "lib", "lib32", "lib64")
"""Folders that are links into /usr on an installed Debian."""
_MOUNTS = ("dev", "proc", "run", "sys", "tmp")
_LEFT_OUT = (
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "usr/share/info",
    "usr/share/perl",
    "usr/share/bash-completion",
)
_WITHOUT = ("perl", "libperl", "gcc-")
"""Packages whose files are not needed: only installation scripts use them."""

INIT = f"""\
#!/bin/sh
export PATH=/usr/sbin:/usr/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tracefs tracefs /sys/kernel/tracing
echo guest >/proc/sys/kernel/hostname
depmod
modprobe -a virtio_mmio virtio_net
until [ -e /sys/class/net/eth0 ]; do sleep 0.1; done
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
chmod 755 /
chown 1000:1000 /home/{USER}
chmod 4755 /usr/bin/sudo
chmod 440 /etc/sudoers
chmod 600 /etc/ssh/host
mkdir -p /run/sshd
/usr/sbin/sshd -D -e -f /etc/ssh/guest.conf &
while :; do wait; sleep 1; done
"""

_SSHD_USER = "sshd:x:101:65534::/run/sshd:/usr/sbin/nologin"
FILES = {
    "etc/passwd": f"root:x:0:0:root:/root:/bin/sh\n{_SSHD_USER}\n{USER}:x:1000:1000::/home/{USER}:/bin/sh\n",
    "etc/group": f"root:x:0:\nnogroup:x:65534:\n{USER}:x:1000:\n",
    "etc/shadow": f"root:*:1::::::\nsshd:*:1::::::\n{USER}:*:1::::::\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
    "etc/hosts": "127.0.0.1 localhost guest\n",
    "etc/sudoers": f"Defaults secure_path=/usr/sbin:/usr/bin\nroot ALL=(ALL:ALL) ALL\n{USER} ALL=(ALL:ALL) NOPASSWD: ALL\n",
    **dict.fromkeys(
        ("etc/pam.d/sudo", "etc/pam.d/other"),
        "auth required pam_permit.so\naccount required pam_permit.so\nsession required pam_permit.so\n",
    ),
    "etc/ssh/guest.conf": (
        "HostKey /etc/ssh/host\nUsePAM no\nPasswordAuthentication no\nPidFile none\nAuthorizedKeysFile /etc/ssh/authorized\n"
    ),
}


@dataclass(frozen=True)
class Machine:
    """An emulated machine and the Debian on it."""

    architecture: str
    """Debian's name of it."""
    suite: str
    kernel: str
    """The package that depends on the suite's stock kernel."""
    emulator: tuple[str, ...]
    console: str


MACHINES = {
    "arm64": Machine(
        "arm64", "bookworm", "linux-image-arm64", ("qemu-system-aarch64", "-cpu", "cortex-a57"), "ttyAMA0"
    ),
    "arm64-trixie": Machine(
        "arm64", "trixie", "linux-image-arm64", ("qemu-system-aarch64", "-cpu", "cortex-a57"), "ttyAMA0"
    ),
    "armhf": Machine("armhf", "bookworm", "linux-image-armmp", ("qemu-system-arm", "-cpu", "cortex-a15"), "ttyAMA0"),
    "riscv64": Machine("riscv64", "trixie", "linux-image-riscv64", ("qemu-system-riscv64",), "ttyS0"),
}


def disk(machine: Machine, more: tuple[str, ...] = ()) -> Path:
    """Return a folder of the cache with the stock kernel, `kernel`, and a RAM disk of packages, `initrd`.

    `more`: packages beside PACKAGES.

    Apt fetches Debian's packages, and checks them by Debian's keys. InfrastructureError when that fails.
    """
    key = key_of([machine.kernel, *PACKAGES, *more, *MODULES, *_LEFT_OUT, *_WITHOUT], Path(), [])

    def make(folder: Path) -> None:
        debian = Debian(machine.architecture, (machine.suite, f"{machine.suite}-updates", f"{machine.suite}-security"))
        with debian.held(), tempfile.TemporaryDirectory(dir=folder) as draft:
            debian.update()
            debian._run("apt-get", "clean", timeout=60)
            # One call of apt finds all dependencies.
            words = ("install", "-y", "--download-only", "--no-install-recommends", *PACKAGES, *more)
            done = debian._run("apt-get", "-qq", *words, timeout=1800)
            assert done.returncode == 0, done.stderr
            image = next(name for name in debian.find(machine.kernel).depends if name.startswith("linux-image-"))
            system, kernel = Path(draft) / "system", Path(draft) / "kernel"
            unpack(debian.download(debian.find(image), Path(draft)), kernel)
            known = system / "var/lib/dpkg"
            (known / "info").mkdir(parents=True)
            with (known / "status").open("w") as status:
                for package in sorted((debian.state / "cache" / "archives").glob("*.deb")):
                    if not package.name.startswith(_WITHOUT):
                        unpack(package, system)
                    status.write(_as_installed(package))
            release = image.removeprefix("linux-image-")
            (place,) = kernel.glob(f"boot/vmlinu[xz]-{release}")
            place.rename(folder / "kernel")
            (folder / "initrd").write_bytes(_ram_disk(system, kernel, release))

    return cached("ssh-guest", f"{machine.architecture}-{machine.suite}-{key}", make)


def _as_installed(package: Path) -> str:
    """The entry of a package in dpkg's list of installed packages."""
    words = ["dpkg-deb", "--field", str(package)]
    fields = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    return f"{fields}\nStatus: install ok installed\n\n"


def _merged(path: Path) -> str:
    """The path of a package's file on an installed system."""
    return f"usr/{path}" if path.parts[0] in _MERGED else str(path)


def _ram_disk(system: Path, kernel: Path, release: str) -> bytes:
    """The files of unpacked packages, and the modules that the network needs."""
    places = {_merged(path.relative_to(system)): path for path in system.rglob("*")}
    places = {name: path for name, path in places.items() if not name.startswith(_LEFT_OUT)}
    modules = next(place for top in ("lib", "usr/lib") if (place := kernel / top / "modules" / release).is_dir())
    links = {name: str(path.readlink()) for name, path in places.items() if path.is_symlink()}
    links |= {name: f"usr/{name}" for name in _MERGED} | {"usr/bin/sh": "dash"}
    files = {name: path.read_bytes() for name, path in places.items() if path.is_file() and not path.is_symlink()}
    for path in modules.rglob("*.*"):
        place = Path("usr/lib/modules", release, path.relative_to(modules))
        stem = path.name.partition(".ko")[0]
        if path.parent == modules:
            files[str(place)] = path.read_bytes()
        elif stem in MODULES:
            # Unpacked: the programs of Debian 13 need further libraries to read packed modules.
            files[str(place.with_name(f"{stem}.ko"))] = plain(path.read_bytes())
    folders = {str(parent) for name in (*files, *links) for parent in Path(name).parents}
    folders |= {
        *_MOUNTS,
        "var/lib/dpkg/info",
        "var/lib/dpkg/updates",
        "etc/ssh",
        "etc/pam.d",
        "home",
        f"home/{USER}",
        "root",
        *(f"usr/{name}" for name in _MERGED),
    }
    executable = {name for name in files if name in places and places[name].stat().st_mode & stat.S_IXUSR}
    return archive(
        files, executable=frozenset(executable), folders=tuple(sorted(folders - {"."} - set(links))), symlinks=links
    )


class Guest:
    """A machine that runs. `far` is its name for the program `ssh` in `programs`."""

    def __init__(self, machine: Machine, folder: Path, *, more: tuple[str, ...] = (), memory_mib: int = 1024) -> None:
        """`folder`: for its keys, its RAM disk and the output of its console. `more`: packages beside PACKAGES."""
        self.machine = machine
        self.more = more
        self.memory_mib = memory_mib
        self.folder = folder
        self.programs = folder / "bin"
        self.programs.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port: int = taken.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self.boot_s = 0.0
        """How long its sshd took to answer."""

    def start(self) -> None:
        """Boot it, and wait until its sshd answers."""
        made = disk(self.machine, self.more)
        make_keys(self.folder)
        keys = {"etc/ssh/host": self.folder / "host", "etc/ssh/authorized": self.folder / "key.pub"}
        files = {name: text.encode() for name, text in {"init": INIT, **FILES}.items()}
        files |= {name: file.read_bytes() for name, file in keys.items()}
        own = archive(files, executable=frozenset({"init"}))
        # The kernel unpacks one archive after the other.
        (self.folder / "initrd").write_bytes((made / "initrd").read_bytes() + own)
        network = f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:22"
        command = [
            *(*self.machine.emulator, "-machine", "virt", "-smp", "2", "-m", str(self.memory_mib)),
            *("-display", "none", "-no-reboot"),
            *("-kernel", str(made / "kernel"), "-initrd", str(self.folder / "initrd")),
            *("-append", f"console={self.machine.console} panic=-1", "-serial", f"file:{self.folder / 'console'}"),
            *("-monitor", "none", "-netdev", network, "-device", "virtio-net-device,netdev=net"),
        ]
        began = time.monotonic()
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        while not self._answers():
            assert self._process.poll() is None, self.console()
            assert time.monotonic() < began + BOOT_S, self.console()
            time.sleep(0.5)
        self.boot_s = time.monotonic() - began

    def _answers(self) -> bool:
        """Whether sshd greets. The emulator itself accepts connections from its start on."""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            return connection.recv(4) == b"SSH-"
        return False

    def console(self) -> str:
        """The end of its console's output, for the message of a failure."""
        return (self.folder / "console").read_text(errors="replace")[-2000:]

    def client(self, *, known: bool = True) -> None:
        """Set up the client. `known`: whether the host key is."""
        client(self.folder, self.programs, self.port, USER, known=known)

    def shell(self, command: str, *, timeout_s: float = 120) -> str:
        """Run a command in it, and return its output."""
        words = [str(self.programs / "ssh"), "-oBatchMode=yes", "far", command]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=timeout_s
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def carry(self, folder: Path, place: str, *, timeout_s: float = 600) -> None:
        """Copy the files of a folder into a new folder of it, `place`."""
        words = [str(self.programs / "ssh"), "-oBatchMode=yes", "far", f"mkdir {place} && tar -C {place} -x"]
        with subprocess.Popen(["tar", "-C", str(folder), "-c", "."], stdout=subprocess.PIPE) as packed:
            done = subprocess.run(words, stdin=packed.stdout, capture_output=True, check=False, timeout=timeout_s)
        assert (packed.returncode, done.returncode) == (0, 0), done.stderr

    def stop(self) -> None:
        """End the emulator."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def running(name: str, folder: Path, *, more: tuple[str, ...] = (), memory_mib: int = 1024) -> Iterator[Guest]:
    """A guest, one of MACHINES, which runs until this context ends, and whose host key the client knows."""
    guest = Guest(MACHINES[name], folder, more=more, memory_mib=memory_mib)
    try:
        guest.start()
        guest.client()
        yield guest
    finally:
        guest.stop()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        disk(MACHINES[name])
